import { backoff, type Clock, repeat } from '@weir/clock';
import type { Queryable } from '@weir/postgres';
import type { Counter, Registry } from 'prom-client';
import { createJobMetrics } from './job-metrics.ts';
import { type Logger, messageOf } from './logger.ts';

export interface Job {
  /** Its service; `weir` for work of the database's owner. Row-level security lets a service write its own rows alone. */
  readonly service: string;
  /** Unique within the service. */
  readonly name: string;
  /** Milliseconds within which the next run is to succeed. Absent: none is expected. */
  readonly everyMs?: number | undefined;
  /** A run that ends after its abort has not failed. */
  readonly signal?: AbortSignal | undefined;
}

/** A run that has more to do says when the next one begins. A bare number would be taken for a count. */
interface Again {
  readonly againInMs: number;
}

interface RepeatedJob extends Job {
  readonly everyMs: number;
  readonly signal: AbortSignal;
  /** Also runs at each start of the process. Default: the first run is when the stored one is due, so that restarts do not postpone it. */
  readonly atStart?: boolean;
}

/** Pauses after failures, in milliseconds. None is longer than the job's interval. */
const retry = { firstMs: 60_000, longestMs: 900_000 };
const logEveryMs = 60_000;
/** A job that runs more often has its row written this often, and when it begins or ceases to fail. */
const writeEveryMs = 10_000;
const longestText = 300;

/**
 * Runs scheduled work and records each run in `weir.jobs` and in metrics. A run that fails is logged, counted and stored. A run that cannot be
 * recorded is logged, and goes on.
 *
 * Each replica runs its jobs, perhaps at the same time as another. A job must bear that, by conditions in its statements, row locks or an
 * advisory lock of its own. Some also refresh what their process keeps in memory: keys, prices, checkpoints.
 */
export class Jobs {
  readonly #db: Queryable;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #runs: Counter<'name' | 'result'> | undefined;
  /** The last written result of each job. */
  readonly #written = new Map<string, { readonly atMs: number; readonly failed: boolean }>();
  /** The last logged failure of each job. */
  readonly #logged = new Map<string, { readonly atMs: number; readonly text: string }>();

  /** Without a registry there are no metrics, as in a command. */
  constructor(options: { db: Queryable; clock: Clock; logger: Logger; registry?: Registry | undefined }) {
    this.#db = options.db;
    this.#clock = options.clock;
    this.#logger = options.logger;
    this.#runs = options.registry && createJobMetrics(options.registry, options.db);
  }

  /** Runs `work` at its interval until `signal` aborts. Never rejects. */
  async repeat(job: RepeatedJob, work: () => Promise<Again | void>): Promise<void> {
    const { everyMs, signal, atStart = false } = job;
    let failures = 0;
    const dueMs = await this.#register(job);
    const onError = (): void => undefined;
    await repeat({ clock: this.#clock, every: everyMs, firstAfter: atStart ? 0 : dueMs, signal, onError }, async () => {
      const againInMs = Math.min(everyMs, backoff(failures + 1, retry));
      const nextMs = (result: Again | void): number | undefined => result?.againInMs;
      try {
        const result = await this.#run(job, work, { againInMs, nextMs });
        failures = 0;
        return nextMs(result);
      } catch (err) {
        failures += 1;
        if (!signal.aborted) this.#logFailure(nameOf(job), err);
        return againInMs;
      }
    });
  }

  /** Runs `work` once, for work that something else schedules. Rejects as it does. */
  async run<T>(job: Job, work: () => Promise<T>): Promise<T> {
    return this.#run(job, work);
  }

  /** The same failure of a job that runs often is logged once a minute. */
  #logFailure(job: string, err: unknown): void {
    const text = textOf(err);
    const now = this.#clock.monotonic();
    const last = this.#logged.get(job);
    if (last?.text === text && now - last.atMs < logEveryMs) return;
    this.#logged.set(job, { atMs: now, text });
    this.#logger.warn({ err, job }, 'a job failed; it will be tried again');
  }

  /** `again`: of a job that is repeated here; when it runs again after a failure, and when after a result that says so. */
  async #run<T>(job: Job, work: () => Promise<T>, again?: { againInMs: number; nextMs(result: T): number | undefined }): Promise<T> {
    const name = nameOf(job);
    const began = this.#clock.monotonic();
    const last = this.#written.get(name);
    const isWritten = last === undefined || (job.everyMs ?? writeEveryMs) >= writeEveryMs || began - last.atMs >= writeEveryMs;
    if (isWritten) await this.#record(job, startStatement, [job.everyMs ?? null]);
    const end = async (failure: string | null, nextMs: number | undefined): Promise<void> => {
      const ended = this.#clock.monotonic();
      this.#runs?.inc({ name, result: failure === null ? 'ok' : 'failed' });
      if (!isWritten && last?.failed === (failure !== null)) return;
      this.#written.set(name, { atMs: ended, failed: failure !== null });
      await this.#record(job, endStatement, [ended - began, failure, nextMs ?? null]);
    };
    try {
      const result = await work();
      await end(null, again?.nextMs(result) ?? job.everyMs);
      return result;
    } catch (error) {
      // A stop is no failure.
      if (job.signal?.aborted !== true) await end(textOf(error), again?.againInMs);
      else if (isWritten) await this.#record(job, stopStatement, []);
      throw error;
    }
  }

  /** Milliseconds until the job is due. */
  async #register(job: RepeatedJob): Promise<number> {
    for (const result of ['ok', 'failed']) this.#runs?.inc({ name: nameOf(job), result }, 0);
    const rows = await this.#record<{ ms: number }>(job, registerStatement, [job.everyMs]);
    return Math.min(Math.max(rows?.[0]?.ms ?? job.everyMs, 0), job.everyMs);
  }

  async #record<R extends Record<string, unknown>>(job: Job, sql: string, values: readonly unknown[]): Promise<R[] | undefined> {
    try {
      return (await this.#db.query<R>(sql, [job.service, job.name, ...values])).rows;
    } catch (err) {
      this.#logger.warn({ err, job: nameOf(job) }, 'a run of a job could not be recorded');
      return undefined;
    }
  }
}

const ms = (parameter: string): string => `${parameter} * interval '1 millisecond'`;

const registerStatement = `
  INSERT INTO weir.jobs AS j (service, name, every_ms, next_at) VALUES ($1, $2, $3::float8, clock_timestamp() + ${ms('$3::float8')})
  ON CONFLICT (service, name) DO UPDATE SET every_ms = excluded.every_ms, next_at = least(j.next_at, excluded.next_at)
  RETURNING (extract(epoch FROM next_at - clock_timestamp()) * 1000)::float8 AS ms`;

// A run without an interval, as of a backup by hand, leaves the one that is expected. One that ends its process is not run again at once.
const startStatement = `
  INSERT INTO weir.jobs AS j (service, name, every_ms, started_at, trying_since)
  VALUES ($1, $2, $3::float8, clock_timestamp(), clock_timestamp())
  ON CONFLICT (service, name) DO UPDATE SET every_ms = coalesce(excluded.every_ms, j.every_ms), started_at = excluded.started_at,
    trying_since = coalesce(j.trying_since, excluded.trying_since),
    next_at = clock_timestamp() + ${ms(`least(coalesce(excluded.every_ms, j.every_ms), ${retry.firstMs})`)}`;

const endStatement = `
  UPDATE weir.jobs SET finished_at = clock_timestamp(), took_ms = $3, failure = $4::text, next_at = clock_timestamp() + ${ms('coalesce($5::float8, CASE WHEN $4::text IS NULL THEN every_ms END)')},
    succeeded_at = CASE WHEN $4::text IS NULL THEN clock_timestamp() ELSE succeeded_at END,
    trying_since = CASE WHEN $4::text IS NOT NULL THEN trying_since END
  WHERE service = $1 AND name = $2`;

const stopStatement = 'UPDATE weir.jobs SET trying_since = NULL WHERE service = $1 AND name = $2';

/** As in metrics, alerts and logs. */
function nameOf({ service, name }: Pick<Job, 'service' | 'name'>): string {
  return `${service}/${name}`;
}

function textOf(error: unknown): string {
  // PostgreSQL stores no NUL.
  return (error instanceof Error ? messageOf(error) : 'failed').replaceAll('\0', '').slice(0, longestText);
}
