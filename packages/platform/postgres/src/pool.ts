import pg from 'pg';
import { PostgresError } from './errors.ts';

/**
 * What a statement can be run on: the pool, or one transaction. Rows of `int8` arrive as `bigint`, `numeric` as text.
 * Rejects with PostgreSQL's own error and its SQLSTATE; with `DATABASE_UNAVAILABLE` when the connection failed.
 */
export interface Queryable {
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller knows the rows of its statement
  query<Row extends pg.QueryResultRow = pg.QueryResultRow>(
    text: string,
    values?: readonly unknown[],
  ): Promise<{ rows: Row[]; rowCount: number | null }>;
}

export interface Pool extends Queryable {
  /** Where the pool connects to; holds the password, so never log it. */
  readonly url: string;
  connect(): Promise<pg.PoolClient>;
  end(): Promise<void>;
}

export interface PoolOptions {
  /** A `postgres://` address. */
  readonly url: string;
  /** Connections at most. */
  readonly max?: number;
  /** A statement that takes longer than this fails; every wait has a limit. */
  readonly statementTimeoutMs?: number;
  readonly applicationName?: string;
  /** Told of connections that break while idle; the pool replaces them by itself. */
  readonly onError?: (error: Error) => void;
}

/** `int8` as bigint: offsets and counts do not fit a double. The other types stay as pg has them. */
const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === 20 && format !== 'binary'
      ? (text: string) => BigInt(text)
      : pg.types.getTypeParser(oid, format)) as pg.CustomTypesConfig['getTypeParser'],
};

export function clientConfig(options: PoolOptions): pg.ClientConfig {
  const statementTimeoutMs = options.statementTimeoutMs ?? 30_000;
  return {
    connectionString: options.url,
    application_name: options.applicationName ?? 'weir',
    connectionTimeoutMillis: 10_000,
    statement_timeout: statementTimeoutMs,
    // For a server that has gone without a word: the statement's own limit is kept by the server.
    query_timeout: statementTimeoutMs + 5_000,
    idle_in_transaction_session_timeout: 60_000,
    keepAlive: true,
    types,
  };
}

export function openPool(options: PoolOptions): Pool {
  const pool = new pg.Pool({ ...clientConfig(options), max: options.max ?? 8, idleTimeoutMillis: 10_000 });
  // Connections that the server ends while the pool is closing are no news.
  pool.on('error', (error) => {
    if (!pool.ending) options.onError?.(error);
  });
  // The pool does not listen while a connection changes hands: what the server says just then would end the process. Who has it learns at the next statement.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return {
    url: options.url,
    query: (text, values) => pool.query(queryOf(text, values)).catch(namedError),
    connect: () => pool.connect().catch(namedError),
    end: () => pool.end(),
  };
}

const preparedNames = new Map<string, string>();

/**
 * Marks a statement that runs again and again: each connection parses and plans it once, which is more than half of what a small statement costs the
 * server. For texts that are written in the code, whose columns are named (a `*` would fail on a connection that knows an older table), and whose best
 * plan does not hang on the values.
 */
export function prepared(text: string): string {
  if (!preparedNames.has(text)) preparedNames.set(text, `weir_${preparedNames.size}`);
  return text;
}

function queryOf(text: string, values: readonly unknown[] | undefined): pg.QueryConfig {
  const name = preparedNames.get(text);
  return { text, ...(name === undefined ? {} : { name }), ...(values === undefined ? {} : { values: [...values] }) };
}

/** pg tells of a connection that broke, or did not come in time, by a bare `Error` without a code. */
export function namedError(error: unknown): never {
  const bare = error instanceof Error && error.constructor === Error && (error as { code?: unknown }).code === undefined;
  throw bare ? new PostgresError('DATABASE_UNAVAILABLE', 'the database cannot be reached', { cause: error }) : error;
}

/**
 * Runs `work` in one transaction: committed when it resolves, rolled back when it rejects. Rejects with what `work` rejected with,
 * or with `DATABASE_UNAVAILABLE` when the connection broke: at the commit it is then not known whether it took effect.
 * `client` is for what is no plain statement (COPY). `statementTimeoutMs` takes the place of the pool's limit. `lockTimeoutMs`: a statement that waits
 * longer for somebody else's transaction fails (55P03); above a second, or deadlocks are not told from waits. Statements that `work` starts
 * together are sent together and carried out in that order; `copies`: one after the other, as COPY needs it.
 */
export async function transaction<T>(
  pool: Pool,
  work: (tx: Queryable, client: pg.PoolClient) => Promise<T>,
  options: { statementTimeoutMs?: number; lockTimeoutMs?: number; copies?: boolean } = {},
): Promise<T> {
  const client: pg.PoolClient & { pipeline?: boolean } = await pool.connect();
  const { statementTimeoutMs, lockTimeoutMs } = options;
  // Changed while nothing is under way; the pool's other users have it as they know it.
  client.pipeline = options.copies !== true;
  const limit = statementTimeoutMs === undefined ? {} : { query_timeout: statementTimeoutMs + 5_000 };
  const tx: Queryable = {
    query: (text, values) => client.query({ ...queryOf(text, values), ...limit }).catch(namedError),
  };
  let broken: Error | undefined;
  // Without a listener a connection that breaks between two statements would end the process.
  const onError = (error: Error): void => {
    broken = error;
  };
  client.on('error', onError);
  try {
    // In one message: the limit costs no round trip.
    await tx.query(lockTimeoutMs === undefined ? 'BEGIN' : `BEGIN; SET LOCAL lock_timeout = ${lockTimeoutMs}`);
    if (statementTimeoutMs !== undefined) await tx.query(`SET LOCAL statement_timeout = ${statementTimeoutMs}`);
    const result = await work(tx, client);
    const { command } = await client.query('COMMIT').catch(namedError);
    // What PostgreSQL answers when a statement has failed and `work` went on regardless.
    if (command !== 'COMMIT') throw new Error('a statement of the transaction had failed: nothing was committed');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch((failure: Error) => {
      broken = failure;
    });
    throw error;
  } finally {
    client.off('error', onError);
    client.pipeline = false;
    client.release(broken);
  }
}
