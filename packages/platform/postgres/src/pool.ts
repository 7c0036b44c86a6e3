import { tracedStatement } from '@weir/tracing';
import pg from 'pg';
import { arrayLiteral } from './array-literal.ts';
import { PostgresError } from './errors.ts';

/**
 * The pool or one transaction. `int8` arrives as `bigint`, `numeric` as text. Rejects with PostgreSQL's own error and SQLSTATE, or with
 * `DATABASE_UNAVAILABLE` when the connection failed.
 */
export interface Queryable {
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller knows the rows of its statement
  query<Row extends pg.QueryResultRow = pg.QueryResultRow>(
    text: string,
    values?: readonly unknown[],
  ): Promise<{ rows: Row[]; rowCount: number | null }>;
}

export interface Pool extends Queryable {
  /** The `postgres://` URL with the password; never log it. */
  readonly url: string;
  connect(): Promise<pg.PoolClient>;
  /** Its connections, and the work that waits for one. */
  counts(): { readonly busy: number; readonly idle: number; readonly waiting: number };
  end(): Promise<void>;
}

export interface PoolOptions {
  readonly url: string;
  readonly max?: number;
  readonly statementTimeoutMs?: number;
  readonly applicationName?: string;
  /** Receives errors of idle connections, which the pool replaces. */
  readonly onError?: (error: Error) => void;
}

/** `int8` as bigint: offsets and counts do not fit a double. */
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
    // The server enforces the statement's own limit; this one covers a server that vanished.
    query_timeout: statementTimeoutMs + 5_000,
    idle_in_transaction_session_timeout: 60_000,
    keepAlive: true,
    types,
  };
}

export function openPool(options: PoolOptions): Pool {
  const pool = new pg.Pool({ ...clientConfig(options), max: options.max ?? 8, idleTimeoutMillis: 10_000 });
  // Ignores connections that end while the pool closes.
  pool.on('error', (error) => {
    if (!pool.ending) options.onError?.(error);
  });
  // An unheard error while a connection changes hands would end the process.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return {
    url: options.url,
    query: (text, values) => tracedStatement(text, () => pool.query(queryOf(text, values)).catch(namedError)),
    connect: () => pool.connect().catch(namedError),
    counts: () => ({ busy: pool.totalCount - pool.idleCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    end: () => pool.end(),
  };
}

const preparedNames = new Map<string, string>();

/**
 * Each connection parses and plans it once, over half the server's cost of a small statement. For constant texts with named columns (`*`
 * breaks when the table changes) and one plan for all values.
 */
export function prepared(text: string): string {
  if (!preparedNames.has(text)) preparedNames.set(text, `weir_${preparedNames.size}`);
  return text;
}

function queryOf(text: string, values: readonly unknown[] | undefined): pg.QueryConfig {
  const name = preparedNames.get(text);
  return { text, ...(name === undefined ? {} : { name }), ...(values === undefined ? {} : { values: values.map(valueOf) }) };
}

function valueOf(value: unknown): unknown {
  return Array.isArray(value) ? arrayLiteral(value) : value;
}

/** pg reports a broken or late connection by a bare `Error` without a code. */
export function namedError(error: unknown): never {
  const bare = error instanceof Error && error.constructor === Error && (error as { code?: unknown }).code === undefined;
  throw bare ? new PostgresError('DATABASE_UNAVAILABLE', 'the database cannot be reached', { cause: error }) : error;
}

interface TransactionOptions {
  readonly statementTimeoutMs?: number;
  readonly lockTimeoutMs?: number;
  readonly idleTimeoutMs?: number;
  readonly copies?: boolean;
}

/**
 * Commits when `work` resolves, rolls back when it rejects. Rejects with its error, or with `DATABASE_UNAVAILABLE`; after a broken COMMIT
 * the outcome is unknown. `client` serves COPY. `statementTimeoutMs` replaces the pool's limit. A lock wait above `lockTimeoutMs` fails
 * (55P03); keep it above a second, or deadlocks look like waits. A process that sends nothing for `idleTimeoutMs` loses the transaction and
 * its locks; default 60 s. Concurrent statements are pipelined; `copies` turns that off for COPY.
 */
export async function transaction<T>(
  pool: Pool,
  work: (tx: Queryable, client: pg.PoolClient) => Promise<T>,
  options: TransactionOptions = {},
): Promise<T> {
  const client: pg.PoolClient & { pipeline?: boolean } = await pool.connect();
  const { statementTimeoutMs } = options;
  // Set while nothing is under way; other users of the pool get the connection back unchanged.
  client.pipeline = options.copies !== true;
  const limit = statementTimeoutMs === undefined ? {} : { query_timeout: statementTimeoutMs + 5_000 };
  const tx: Queryable = {
    query: (text, values) => tracedStatement(text, () => client.query({ ...queryOf(text, values), ...limit }).catch(namedError)),
  };
  let broken: Error | undefined;
  // Without a listener, a connection that breaks between statements would end the process.
  const onError = (error: Error): void => {
    broken = error;
  };
  client.on('error', onError);
  try {
    await tx.query(begin(options));
    if (statementTimeoutMs !== undefined) await tx.query(`SET LOCAL statement_timeout = ${statementTimeoutMs}`);
    const result = await work(tx, client);
    const { command } = await tracedStatement('COMMIT', () => client.query({ text: 'COMMIT', ...limit }).catch(namedError));
    // PostgreSQL answers ROLLBACK if a statement failed and `work` went on regardless.
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

/** One message: the limits cost no round trip. */
function begin({ lockTimeoutMs, idleTimeoutMs }: TransactionOptions): string {
  const lock = lockTimeoutMs === undefined ? '' : `; SET LOCAL lock_timeout = ${lockTimeoutMs}`;
  const idle = idleTimeoutMs === undefined ? '' : `; SET LOCAL idle_in_transaction_session_timeout = ${idleTimeoutMs}`;
  return `BEGIN${lock}${idle}`;
}
