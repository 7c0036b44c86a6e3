import { type DestinationStream, type Logger as PinoLogger, pino, type SerializedError } from 'pino';
import { withoutQueryValues, withoutSecrets } from './redact.ts';

export type Logger = PinoLogger;

/** Anywhere in a log line, including the headers of a request. */
const secretPaths = ['api_key', 'apiKey', 'token', 'authorization', 'password', 'permit'].flatMap((name) => [
  name,
  `*.${name}`,
  `*.*.${name}`,
]);

/** Each log without the name of its service. */
const unnamed = new WeakMap<Logger, Logger>();

/** The same log, for another service of the process. */
export function loggerOf(logger: Logger, service: string): Logger {
  const log = unnamed.get(logger);
  return log === undefined ? logger : named(log, service);
}

const namesOf = new WeakMap<Logger, Map<string, Logger>>();

function named(log: Logger, service: string): Logger {
  const names = namesOf.get(log) ?? new Map<string, Logger>();
  namesOf.set(log, names);
  const own = names.get(service) ?? log.child({ service });
  names.set(service, own);
  unnamed.set(own, log);
  return own;
}

/**
 * One JSON object per line on stderr, with its level as a word; stdout is for data. Errors pass an allow-list, because they carry headers, addresses and statements.
 */
export function createLogger(options: { service: string; level: string; destination?: DestinationStream }): Logger {
  const log = pino(
    {
      level: options.level,
      base: null,
      formatters: { level: (level) => ({ level }) },
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: {
        err: (error: unknown) => serializeError(error),
        error: (error: unknown) => serializeError(error),
        url: (url: unknown) => withoutQueryValues(String(url)),
      },
      hooks: {
        // pino would use an error's message as the line's.
        logMethod(args: unknown[], method) {
          const [first, ...rest] = args;
          const error = first instanceof Error ? first : (first as { err?: unknown } | null | undefined)?.err;
          const line =
            error !== undefined && rest[0] === undefined
              ? [{ ...(first instanceof Error ? { err: first } : (first as object)) }, serializeError(error).message]
              : args;
          method.apply(this, line.map((part) => (typeof part === 'string' ? withoutSecrets(part) : part)) as Parameters<typeof method>);
        },
      },
      redact: { paths: secretPaths, censor: '***' },
    },
    options.destination ?? pino.destination({ dest: 2, sync: true }),
  );
  return named(log, options.service);
}

/** A limit on causes; an error may be its own cause. */
const causes = 5;

/** Name, code, message and stack frames, also of the cause; nothing else. */
function serializeError(error: unknown, depth = 0): SerializedError {
  if (!(error instanceof Error)) return { type: typeof error, message: 'not an Error' } as SerializedError;
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  return {
    type: error.name,
    message: messageOf(error),
    ...(typeof code === 'string' || typeof code === 'number' ? { code: withoutSecrets(String(code)) } : {}),
    stack: framesOf(error),
    ...(cause === undefined || depth >= causes ? {} : { cause: serializeError(cause, depth + 1) }),
  } as unknown as SerializedError;
}

/** Messages of parsers quote their input and the database's quote bad data, which may be secret. */
export function messageOf(error: Error): string {
  const { code, severity } = error as { code?: unknown; severity?: unknown };
  if (error instanceof SyntaxError) return 'could not be parsed';
  if (severity !== undefined && typeof code === 'string' && code.startsWith('22')) return 'the database refused the data';
  return withoutSecrets(error.message);
}

function framesOf(error: Error): string {
  const frames = (error.stack ?? '').split('\n').filter((line) => /^ +at /.test(line));
  return withoutSecrets(frames.join('\n'));
}
