import convict from 'convict';

export class ConfigError extends Error {
  readonly code = 'CONFIG_INVALID';
  readonly retriable = false;
}

// convict's own formats accept 40.5 or 12abc as a port and `no` as true, so these are stricter.
convict.addFormats({
  'non-negative-int': { validate: requireInteger(0), coerce: wholeNumber },
  'positive-int': { validate: requireInteger(1), coerce: wholeNumber },
  // The range that the budget can pace.
  'per-second': { validate: requireInteger(1, 1_000_000), coerce: wholeNumber },
  port: { validate: requireInteger(0, 65_535), coerce: wholeNumber },
  int: { validate: requireInteger(), coerce: wholeNumber },
  nat: { validate: requireInteger(0), coerce: wholeNumber },
  number: { validate: requireNumber, coerce: (text: string) => (/^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text) },
  ratio: { validate: requireRatio, coerce: (text: string) => (/^\d+(\.\d+)?$/.test(text) ? Number(text) : text) },
  boolean: { validate: requireBoolean, coerce: (text: string) => ({ true: true, false: false })[text] ?? text },
  'http-url': { validate: requireUrl(/^https?:$/, 'must be an http or https address') },
  'redis-url': { validate: requireUrl(/^rediss?:$/, 'must be a redis:// or rediss:// address') },
  'postgres-url': { validate: requireUrl(/^postgres(ql)?:$/, 'must be a postgres:// address') },
});

function wholeNumber(text: string): unknown {
  return /^-?\d+$/.test(text) ? Number(text) : text;
}

function requireInteger(minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER): (value: unknown) => void {
  const range = maximum < Number.MAX_SAFE_INTEGER ? ` from ${minimum} to ${maximum}` : minimum < 0 ? '' : ` of at least ${minimum}`;
  return (value) => {
    if (!Number.isSafeInteger(value) || (value as number) < minimum || (value as number) > maximum)
      throw new Error(`must be a whole number${range}`);
  };
}

function requireNumber(value: unknown): void {
  if (!Number.isFinite(value)) throw new Error('must be a number');
}

function requireRatio(value: unknown): void {
  if (typeof value !== 'number' || !(value >= 0 && value <= 1)) throw new Error('must be a number from 0 to 1');
}

function requireBoolean(value: unknown): void {
  if (typeof value !== 'boolean') throw new Error('must be true or false');
}

/** Empty means unset. */
function requireUrl(protocol: RegExp, said: string): (value: unknown) => void {
  return (value) => {
    if (value === '') return;
    if (typeof value !== 'string' || !URL.canParse(value) || !protocol.test(new URL(value).protocol)) throw new Error(said);
  };
}

/** Whether the host of a URL is this machine: then nobody is on the way. */
export function isLoopback({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}

/**
 * `overrides` (e.g. command-line flags) win over `env`. Throws `ConfigError` with one line for the first wrong setting, without its value,
 * which may be secret.
 */
export function loadConfig<T>(schema: convict.Schema<T>, env: NodeJS.ProcessEnv, overrides: Partial<T> = {}): T {
  const entries = schema as Record<string, Entry>;
  const given = Object.entries(overrides).filter(([, value]) => value !== undefined);
  const unknown = given.find(([name]) => !Object.hasOwn(entries, name));
  if (unknown !== undefined) throw new ConfigError(`setting ${unknown[0]} is wrong: not a known setting`);
  const read = ([name, entry]: [string, Entry]): [string, unknown] => [name, readOne(name, entry, env, new Map(given).get(name))];
  return Object.fromEntries(Object.entries(entries).map(read)) as T;
}

/** One at a time, so that an error belongs to a known setting. */
function readOne(name: string, entry: Entry, env: NodeJS.ProcessEnv, override: unknown): unknown {
  const text = entry.env === undefined ? undefined : env[entry.env];
  try {
    // convict prefers the environment over loaded values, so it receives only one of them. `sensitive` keeps values out of messages.
    const source = override !== undefined || entry.env === undefined || text === undefined || text === '' ? {} : { [entry.env]: text };
    const config = convict<Record<string, unknown>>({ [name]: { ...entry, sensitive: true } as never }, { env: source, args: [] });
    if (override !== undefined) config.load({ [name]: override });
    config.validate({ allowed: 'strict' });
    return config.getProperties()[name];
  } catch (error) {
    const said = error instanceof SyntaxError ? '' : (error as Error).message;
    const why = said.startsWith(`${name}: `) ? said.slice(name.length + 2).split('\n')[0] : 'cannot be read';
    throw new ConfigError(`setting ${entry.env ?? name} is wrong: ${why}`);
  }
}

/** The environment of a process with these settings. */
export function environmentOf<T extends object>(schema: convict.Schema<T>, values: T): Record<string, string> {
  const entries = Object.entries(schema as Record<string, Entry>);
  return Object.fromEntries(
    entries.flatMap(([name, { env }]) => (env === undefined ? [] : [[env, String((values as Record<string, unknown>)[name])]])),
  );
}

export interface Setting {
  readonly env: string;
  readonly doc: string;
  readonly value: string;
  readonly isDefault: boolean;
}

/** The settings in force, with secrets masked. */
export function listSettings<T extends object>(schema: convict.Schema<T>, values: T): Setting[] {
  return Object.entries(schema as Record<string, Entry>).map(([name, entry]) => {
    const value = (values as Record<string, unknown>)[name];
    const shown = entry.sensitive && value !== '' ? '***' : String(value);
    return { env: entry.env ?? name, doc: entry.doc ?? '', value: shown, isDefault: value === entry.default };
  });
}

interface Entry {
  readonly env?: string;
  readonly doc?: string;
  readonly default?: unknown;
  readonly sensitive?: boolean;
}
