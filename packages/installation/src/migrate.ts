import { auditMigrations } from '@weir/audit-writer';
import { chainStoreMigrations, chainStoreModule } from '@weir/chain-store';
import type { Clock } from '@weir/clock';
import { consoleMigrations } from '@weir/console';
import { decisionMigrations } from '@weir/decision';
import { intakeMigrations } from '@weir/deposit-ingest';
import { type CombinedRoles, grantAccess, mayMigrate, migrate, type Migration, openPool, type Pool, PostgresError } from '@weir/postgres';
import { rateBudgetMigrations } from '@weir/rate-budget';
import { riskApiMigrations, riskApiModule } from '@weir/risk-api';
import { scoringMigrations } from '@weir/scoring';
import { databaseAccess, type Logger, openPipeline, sharedMigrations } from '@weir/service-kit';
import { gateMigrations } from '@weir/withdrawal-gate';

const modules: Readonly<Record<string, readonly Migration[]>> = {
  intake: intakeMigrations,
  gate: gateMigrations,
  scoring: scoringMigrations,
  'rate-budget': rateBudgetMigrations,
  decision: decisionMigrations,
  audit: auditMigrations,
  console: consoleMigrations,
  [chainStoreModule]: chainStoreMigrations,
  [riskApiModule]: riskApiMigrations,
};

/** Steps of every module, the applied ones and those to come. */
export const allMigrations: Readonly<Record<string, readonly Migration[]>> = { ...sharedMigrations, ...modules };

/** Migrates the whole schema and grants each service's role its privileges. `url`: the owner's. `combined`: roles of several services. */
export async function migrateDatabase(
  url: string,
  { combined = {}, ...options }: { clock: Clock; logger: Logger; combined?: CombinedRoles },
): Promise<void> {
  await requireOwner(url);
  // As owner it migrates the shared modules, and creates the topics and schemas of the PostgreSQL log.
  const pipeline = await openPipeline({ ...options, databaseUrl: url, poolSize: 2, retentionMs: Number.MAX_SAFE_INTEGER });
  try {
    for (const [module, steps] of Object.entries(modules)) await migrate(pipeline.pool, module, steps);
    await grantAccess(pipeline.pool, databaseAccess, combined);
  } finally {
    await pipeline.close();
  }
}

/** Of every service whose tables an erasure changes, so that a command runs on the schema that it knows. */
export async function migrateServices(pool: Pool): Promise<void> {
  for (const module of ['intake', 'gate', 'scoring', 'decision', 'audit', 'console']) await migrate(pool, module, modules[module] ?? []);
}

async function requireOwner(url: string): Promise<void> {
  const pool = openPool({ url, max: 1 });
  try {
    if (await mayMigrate(pool)) return;
    throw new PostgresError('MIGRATION_MISSING', 'this database user may not change the schema: migrate as the owner of the database');
  } finally {
    await pool.end();
  }
}
