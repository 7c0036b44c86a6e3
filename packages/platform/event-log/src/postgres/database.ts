import { type Clock, within } from '@weir/clock';
import { databaseError, type Pool, PostgresError } from '@weir/postgres';
import { EventLogError } from '../errors.ts';
import { settings } from './settings.ts';

export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** SQLSTATE classes of transient errors: transaction rollback, insufficient resources, operator intervention. */
const passing = ['40', '53', '57'];

function late(): never {
  throw new EventLogError('LOG_UNAVAILABLE', 'the database did not answer in time');
}

/** Runs prepared statements with a time limit. Rejects with `EventLogError`. */
export class Database {
  readonly #pool: Pool;
  readonly #clock: Clock;

  constructor(pool: Pool, clock: Clock) {
    this.#pool = pool;
    this.#clock = clock;
  }

  async run<Row extends object>(
    statement: Statement,
    values: readonly unknown[],
    timeoutMs: number = settings.statementTimeoutMs,
  ): Promise<Row[]> {
    const end = this.#clock.monotonic() + timeoutMs;
    const connecting = this.#pool.connect();
    const client = await within(this.#clock, timeoutMs, connecting, { late }).catch((error: unknown) => {
      connecting.then((unused) => unused.release()).catch(() => undefined);
      throw error instanceof EventLogError ? error : notConnected(error);
    });
    let broken: Error | undefined;
    // Without a listener a broken connection would end the process.
    const onError = (error: Error): void => {
      broken = error;
    };
    client.on('error', onError);
    try {
      const querying = client.query<Row>({ ...statement, values: [...values] });
      const { rows } = await within(this.#clock, end - this.#clock.monotonic(), querying, { late });
      return rows;
    } catch (error) {
      if (error instanceof EventLogError) broken = error;
      throw failed(error);
    } finally {
      client.off('error', onError);
      client.release(broken);
    }
  }
}

function stateOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : undefined;
}

/** A failed connect means unavailable, unless the server rejected the user or the database. */
function notConnected(error: unknown): EventLogError {
  const state = stateOf(error) ?? '';
  if (state.startsWith('28') || state.startsWith('3D'))
    return new EventLogError('LOG_FAILED', 'the database refused the connection', { cause: error });
  return new EventLogError('LOG_UNAVAILABLE', 'the database cannot be reached', { cause: error });
}

function failed(error: unknown): EventLogError {
  if (error instanceof EventLogError) return error;
  const named = databaseError(error);
  const state = stateOf(error);
  // pg reports a connection that breaks during a statement without a code.
  if (named instanceof PostgresError || state === undefined || passing.some((prefix) => state.startsWith(prefix))) {
    return new EventLogError('LOG_UNAVAILABLE', 'the database cannot do this now', { cause: named });
  }
  return new EventLogError('LOG_FAILED', 'the database refused a statement of the log', { cause: error });
}
