import type { Migration, Queryable } from '@weir/postgres';

export const jobModule = 'jobs';

export const jobMigrations: readonly Migration[] = [
  {
    id: 'jobs/0001-initial',
    sql: `
      -- The last run of each job. Times are of the database's clock.
      CREATE TABLE weir.jobs (
        service text NOT NULL,
        name text NOT NULL,
        -- Null: no next run is expected.
        every_ms double precision,
        registered_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        -- Later than finished_at: it runs now, or its process has ended.
        started_at timestamptz,
        finished_at timestamptz,
        took_ms double precision,
        -- Of the last run; null: it succeeded.
        failure text,
        succeeded_at timestamptz,
        next_at timestamptz,
        PRIMARY KEY (service, name)) WITH (fillfactor = 50);
      CREATE POLICY read_all ON weir.jobs FOR SELECT USING (true);
      CREATE POLICY insert_own ON weir.jobs FOR INSERT
        WITH CHECK (pg_has_role(current_user, to_regrole(quote_ident('weir_' || replace(service, '-', '_'))), 'USAGE'));
      CREATE POLICY update_own ON weir.jobs FOR UPDATE
        USING (pg_has_role(current_user, to_regrole(quote_ident('weir_' || replace(service, '-', '_'))), 'USAGE'));
      ALTER TABLE weir.jobs ENABLE ROW LEVEL SECURITY;`,
  },
  {
    id: 'jobs/0002-trying-since',
    // Not started_at: a job that ends its process at each run would never be late.
    sql: `
      -- Start of the first run since the last success. Null: none, or a stop has ended it.
      ALTER TABLE weir.jobs ADD COLUMN trying_since timestamptz;`,
  },
];

export interface JobRow extends Record<string, unknown> {
  readonly service: string;
  readonly name: string;
  readonly every_ms: number | null;
  readonly registered_at: Date;
  readonly started_at: Date | null;
  readonly finished_at: Date | null;
  readonly took_ms: number | null;
  readonly failure: string | null;
  readonly succeeded_at: Date | null;
  readonly next_at: Date | null;
  /** A success is missing; the alert `WeirJobFailing` compares the same. */
  readonly is_late: boolean;
  /** Its first run since it became late goes on, and is not late itself. */
  readonly is_catching_up: boolean;
}

export async function readJobs(db: Queryable): Promise<JobRow[]> {
  const { rows } = await db.query<JobRow>(
    `SELECT service, name, every_ms, registered_at, started_at, finished_at, took_ms, failure, succeeded_at, next_at,
       coalesce(clock_timestamp() > late_at AND NOT is_catching_up, false) AS is_late, is_catching_up
     FROM weir.jobs,
       LATERAL (SELECT every_ms * 1.1 * interval '1 millisecond' + interval '10 minutes' AS patience) AS p,
       LATERAL (SELECT coalesce(succeeded_at, registered_at) + patience AS late_at) AS l,
       LATERAL (SELECT failure IS NULL AND coalesce(trying_since > late_at AND clock_timestamp() < trying_since + patience, false) AS is_catching_up) AS c
     ORDER BY service, name`,
  );
  return rows;
}

/** Of a job that is not to run any more. False if there is none. Only the owner of the database may. */
export async function forgetJob(db: Queryable, name: string): Promise<boolean> {
  const { rowCount } = await db.query(`DELETE FROM weir.jobs WHERE service || '/' || name = $1`, [name]);
  return (rowCount ?? 0) > 0;
}
