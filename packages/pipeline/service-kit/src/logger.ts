import { type DestinationStream, type Logger as PinoLogger, pino, type SerializedError } from 'pino';
import { withoutQueryValues, withoutSecrets } from './redact.ts';

export type Logger = PinoLogger;

/** Wherever in a log line they stand, down to the headers of a request. */
const secretPaths = ['api_key', 'apiKey', 'token', 'authorization', 'password', 'permit'].flatMap((name) => [
  name,
  `*.${name}`,
  `*.*.${name}`,
]);

/**
 * Structured logs, one JSON object a line on stderr; stdout belongs to data.
 * Errors are written from an allow-list: errors of HTTP and database clients carry headers, addresses and statements.
 */
export function createLogger(options: { service: string; level: string; destination?: DestinationStream }): Logger {
  return pino(
    {
      level: options.level,
      base: { service: options.service },
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: {
        err: (error: unknown) => serializeError(error),
        error: (error: unknown) => serializeError(error),
        url: (url: unknown) => withoutQueryValues(String(url)),
      },
      hooks: {
        // pino takes an error's message for the line's when the line has none.
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
}

/** Causes are followed this far; an error may be its own cause. */
const causes = 5;

/** Name, code, message and stack frames, and the same of the cause; nothing else an error may carry. */
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

/** A parser's message quotes what was parsed, and the database's about bad data quotes the data: an answer or a parameter may be secret. */
function messageOf(error: Error): string {
  const { code, severity } = error as { code?: unknown; severity?: unknown };
  if (error instanceof SyntaxError) return 'could not be parsed';
  if (severity !== undefined && typeof code === 'string' && code.startsWith('22')) return 'the database refused the data';
  return withoutSecrets(error.message);
}

/** The lines that say where, without the message that stands above them. */
function framesOf(error: Error): string {
  const frames = (error.stack ?? '').split('\n').filter((line) => /^ +at /.test(line));
  return withoutSecrets(frames.join('\n'));
}
