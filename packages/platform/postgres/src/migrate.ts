import { createHash } from 'node:crypto';
import { backoff, type Clock, systemClock } from '@weir/clock';
import pg from 'pg';
import { mayMigrate } from './access.ts';
import { advisoryLock } from './advisory-locks.ts';
import { PostgresError } from './errors.ts';
import { clientConfig, namedError, type Pool, type Queryable } from './pool.ts';

/**
 * One schema step in a module's `migrations.ts`, applied once and in order. Its text never changes once released. Replicas of the previous
 * release run during and after a step, so a step only adds (expand). A later release removes unused parts (contract) and names in
 * `requires` the step that a replica must know. See docs/decisions/0022-migrations.md.
 */
export type Migration = SchemaMigration | IndexMigration | BatchMigration;

interface MigrationStep {
  /** `<module>/<number>-<name>`, unique in the database. */
  readonly id: string;
  readonly sql: string;
  /** The id of an earlier step. A program that does not know that step must not run on this schema. Default: every program may. */
  readonly requires?: string;
}

interface SchemaMigration extends MigrationStep {
  readonly kind?: 'schema';
}

/** One `CREATE INDEX CONCURRENTLY`, which does not block writers. */
interface IndexMigration extends MigrationStep {
  readonly kind: 'index';
  /** The index, with its schema. The next attempt drops the invalid index of an interrupted build. */
  readonly index: string;
}

/** One statement that changes a bounded number of rows. It repeats, each time in its own transaction, until it changes none. */
interface BatchMigration extends MigrationStep {
  readonly kind: 'batches';
}

export interface MigrationOptions {
  readonly clock?: Clock;
  /** A statement that waits longer for a lock fails and is retried, because others queue behind it. */
  readonly lockTimeoutMs?: number;
  /** Total pause before `MIGRATION_BLOCKED`. */
  readonly waitLimitMs?: number;
}

const defaults: Required<MigrationOptions> = { clock: systemClock, lockTimeoutMs: 2_000, waitLimitMs: 3_600_000 };
const pauses = { firstMs: 100, longestMs: 10_000 } as const;

/**
 * Applies missing steps as the owner; for other users a missing step is `MIGRATION_MISSING`. Safe to run concurrently; no time limit. A
 * later step that is required, or a step applied with another text, is `DATA_FOLDER_VERSION`.
 */
export async function migrate(pool: Pool, module: string, migrations: readonly Migration[], options: MigrationOptions = {}): Promise<void> {
  // No lock: processes of this or the previous release start while a later one migrates.
  const missing = await missingSteps(pool, module, migrations);
  if (missing?.length === 0) return;
  if (!(await mayMigrate(pool))) {
    const first = (missing ?? migrations)[0]?.id;
    throw new PostgresError('MIGRATION_MISSING', `the database lacks the step ${first}: run "weir migrate" as its owner`);
  }
  const limits = { ...defaults, ...options };
  const client = new pg.Client({ ...clientConfig({ url: pool.url, applicationName: 'weir migrations' }), ...withoutLimit });
  // The current statement rejects with it.
  client.on('error', () => undefined);
  const db: Queryable = { query: (text, values) => client.query(text, values && [...values]).catch(namedError) };
  try {
    await client.connect().catch(namedError);
    await db.query('SET statement_timeout = 0');
    await takeTurn(db, limits);
    await db.query(tables);
    for (const step of (await missingSteps(db, module, migrations)) ?? []) await apply(db, module, step, limits);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** The first statement switches off the server's limit; TCP detects a dead server. */
const withoutLimit: pg.ClientConfig = {
  statement_timeout: 0,
  query_timeout: 0,
  idle_in_transaction_session_timeout: 0,
  keepAliveInitialDelayMillis: 10_000,
};

const tables = `
  CREATE SCHEMA IF NOT EXISTS weir;
  CREATE TABLE IF NOT EXISTS weir.migrations (
    id text PRIMARY KEY, module text NOT NULL, sha256 text NOT NULL, requires text, applied_at timestamptz NOT NULL DEFAULT now())`;

/** The steps not applied yet; undefined if their table is missing. Throws when this program must not run here. */
async function missingSteps(db: Queryable, module: string, migrations: readonly Migration[]): Promise<Migration[] | undefined> {
  const applied = await db
    .query<{ id: string; sha256: string; requires: string | null }>('SELECT id, sha256, requires FROM weir.migrations WHERE module = $1', [
      module,
    ])
    .catch((error: { code?: unknown }) => {
      if (error.code === '42P01' || error.code === '42501') return undefined;
      throw error.code === '42703' ? otherVersion('weir.migrations') : error;
    });
  if (applied === undefined) return undefined;
  for (const row of applied.rows) if (!mayRunOn(row, migrations)) throw otherVersion(row.id);
  const ids = new Set(applied.rows.map(({ id }) => id));
  return migrations.filter(({ id }) => !ids.has(id));
}

/** Whether a program with these steps may run where this one was applied. A step that it does not know is of a later release. */
export function mayRunOn(applied: { id: string; sha256: string; requires: string | null }, migrations: readonly Migration[]): boolean {
  const own = migrations.find(({ id }) => id === applied.id);
  if (own !== undefined) return sha256(own.sql) === applied.sha256;
  return applied.requires === null || migrations.some(({ id }) => id === applied.requires);
}

/** Polls: a waiting lock statement would hold a snapshot, for which an index build of the other process waits. */
async function takeTurn(db: Queryable, limits: Required<MigrationOptions>): Promise<void> {
  await retry(limits, 'another process migrates this database', async () => {
    const { rows } = await db.query<{ free: boolean }>(`SELECT ${advisoryLock('migrations', 'try-session')} AS free`);
    return rows[0]?.free === true;
  });
}

async function apply(db: Queryable, module: string, step: Migration, limits: Required<MigrationOptions>): Promise<void> {
  const record = (): Promise<unknown> =>
    db.query('INSERT INTO weir.migrations (id, module, sha256, requires) VALUES ($1, $2, $3, $4)', [
      step.id,
      module,
      sha256(step.sql),
      step.requires ?? null,
    ]);
  const attempt = async (): Promise<void> => {
    if (step.kind === 'index') {
      // It waits for older transactions and blocks nobody, so no lock_timeout.
      await db.query('SET lock_timeout = 0');
      await buildIndex(db, step);
      await record();
      return;
    }
    await db.query(`SET lock_timeout = ${limits.lockTimeoutMs}`);
    while (step.kind === 'batches' && ((await db.query(step.sql)).rowCount ?? 0) > 0);
    await db.query('BEGIN');
    try {
      if (step.kind !== 'batches') await db.query(step.sql);
      await record();
      await db.query('COMMIT');
    } catch (error) {
      await db.query('ROLLBACK');
      throw error;
    }
  };
  await retry(limits, `others hold locks that the migration ${step.id} needs`, async () => {
    try {
      await attempt();
      return true;
    } catch (error) {
      if (isLockFailure(error)) return false;
      throw error;
    }
  });
}

/** Skips an index that exists: a killed process may have built it without recording the step. */
async function buildIndex(db: Queryable, { index, sql }: IndexMigration): Promise<void> {
  const { rows } = await db.query<{ valid: boolean }>('SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass($1)', [
    index,
  ]);
  if (rows[0]?.valid === true) return;
  if (rows[0] !== undefined) await db.query(`DROP INDEX CONCURRENTLY ${index}`);
  await db.query(sql);
}

/** lock_timeout, or a deadlock that this transaction lost. */
function isLockFailure(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return code === '55P03' || code === '40P01';
}

async function retry(limits: Required<MigrationOptions>, reason: string, attempt: () => Promise<boolean>): Promise<void> {
  let waitedMs = 0;
  for (let nth = 1; !(await attempt()); nth += 1) {
    if (waitedMs >= limits.waitLimitMs) throw new PostgresError('MIGRATION_BLOCKED', `the database could not be migrated: ${reason}`);
    const ms = backoff(nth, pauses);
    await limits.clock.sleep(ms);
    waitedMs += ms;
  }
}

function otherVersion(id: string): PostgresError {
  return new PostgresError('DATA_FOLDER_VERSION', `the data was written by another version of Weir (${id})`);
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
