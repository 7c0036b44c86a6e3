import { createHash } from 'node:crypto';
import { PostgresError } from './errors.ts';
import { type Pool, transaction } from './pool.ts';

/** One step of one module's schema. Applied once, in the order given; its text never changes afterwards. */
export interface Migration {
  /** `<module>/<number>-<what>`, unique in the database. */
  readonly id: string;
  readonly sql: string;
}

/** Any 64-bit number will do, as long as every instance uses the same. */
const migrationLock = 7_305_141_981n;

/**
 * Brings the schema of one module up to date. Safe to run from several processes at once.
 * Fails with `DATA_FOLDER_VERSION` when the database holds a step of this module that this program does not know,
 * or knows with another text: a newer or another Weir has written it.
 */
export async function migrate(pool: Pool, module: string, migrations: readonly Migration[]): Promise<void> {
  await transaction(pool, async (tx) => {
    await tx.query('SELECT pg_advisory_xact_lock($1)', [migrationLock]);
    await tx.query(`CREATE SCHEMA IF NOT EXISTS weir`);
    await tx.query(
      `CREATE TABLE IF NOT EXISTS weir.migrations (
         id text PRIMARY KEY, module text NOT NULL, sha256 text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`,
    );
    const { rows } = await tx.query<{ id: string; sha256: string }>('SELECT id, sha256 FROM weir.migrations WHERE module = $1', [module]);
    const applied = new Map(rows.map((row) => [row.id, row.sha256]));
    const known = new Map(migrations.map((step) => [step.id, sha256(step.sql)]));
    for (const [id, hash] of applied) {
      if (known.get(id) !== hash) {
        throw new PostgresError('DATA_FOLDER_VERSION', `the data was written by another version of Weir (${id})`);
      }
    }
    for (const step of migrations) {
      if (applied.has(step.id)) continue;
      await tx.query(step.sql);
      await tx.query('INSERT INTO weir.migrations (id, module, sha256) VALUES ($1, $2, $3)', [step.id, module, sha256(step.sql)]);
    }
  });
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
