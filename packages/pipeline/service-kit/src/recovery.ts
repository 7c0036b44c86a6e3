import { type Clock, repeat } from '@weir/clock';
import type { Migration, Queryable } from '@weir/postgres';

/**
 * PostgreSQL begins a new timeline when it ends a recovery, and a cluster that was loaded from a dump has another identifier. So a database
 * whose place is not the stored one was restored, by whatever tool, and what left it since its backup is unknown.
 */
export const recoveryMigrations: readonly Migration[] = [
  {
    id: 'recovery/0001-initial',
    sql: `
      -- Where the database was when it was last known to agree with everything outside it.
      CREATE TABLE weir.recovery (
        id boolean PRIMARY KEY DEFAULT true CHECK (id),
        system_identifier bigint NOT NULL,
        timeline integer NOT NULL,
        reconciled_at timestamptz NOT NULL DEFAULT clock_timestamp());
      CREATE FUNCTION weir.recovery_place(OUT system_identifier bigint, OUT timeline integer) LANGUAGE sql VOLATILE
        RETURN ROW((SELECT c.system_identifier FROM pg_control_system() c),
          ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::integer);
      INSERT INTO weir.recovery (system_identifier, timeline) SELECT p.system_identifier, p.timeline FROM weir.recovery_place() p;
      CREATE FUNCTION weir.is_restored() RETURNS boolean LANGUAGE sql VOLATILE
        RETURN NOT EXISTS (SELECT FROM weir.recovery r, weir.recovery_place() p
          WHERE r.system_identifier = p.system_identifier AND r.timeline = p.timeline);`,
  },
  {
    id: 'recovery/0002-group-offsets',
    sql: `
      -- On Kafka: what each consumer group had handled in this database, at least.
      CREATE TABLE weir.group_offsets (
        group_name text NOT NULL,
        topic text NOT NULL,
        partition integer NOT NULL,
        read_up_to bigint NOT NULL,
        recorded_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        PRIMARY KEY (group_name, topic, partition)) WITH (fillfactor = 50);`,
  },
];

export const restoredDetail = 'the database was restored; run "weir reconcile"';
const lookEveryMs = 1_000;

/** Whether the database was restored and not reconciled since. */
export async function isRestored(db: Queryable): Promise<boolean> {
  const { rows } = await db.query<{ restored: boolean }>('SELECT weir.is_restored() AS restored');
  return rows[0]?.restored !== false;
}

/** The end of a reconciliation. Only the owner may do it. */
export async function markReconciled(db: Queryable): Promise<void> {
  await db.query(
    `INSERT INTO weir.recovery (system_identifier, timeline) SELECT p.system_identifier, p.timeline FROM weir.recovery_place() p
     ON CONFLICT (id) DO UPDATE SET system_identifier = excluded.system_identifier, timeline = excluded.timeline, reconciled_at = excluded.reconciled_at`,
  );
}

/** Closes every service until the next reconciliation: something outside knows more than this database. */
export async function markRestored(db: Queryable): Promise<void> {
  await db.query('UPDATE weir.recovery SET timeline = 0');
}

/** Resolves once the database is restored (`true`) or reconciled (`false`), or `signal` is aborted. A database that is away is asked again. */
export async function untilRestored(
  db: Queryable,
  wanted: boolean,
  { clock, signal }: { clock: Clock; signal: AbortSignal },
): Promise<void> {
  const found = new AbortController();
  const onError = (): void => undefined;
  await repeat({ clock, every: lookEveryMs, signal: AbortSignal.any([signal, found.signal]), onError }, async () => {
    if ((await isRestored(db)) === wanted) found.abort();
  });
}
