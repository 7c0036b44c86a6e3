import { chainStoreMigrations, chainStoreModule } from '@weir/chain-store';
import { coinMigrations, coinModule } from '@weir/coin-store';
import { migrate, type Migration, type Pool } from '@weir/postgres';
import { jobMigrations, jobModule } from '@weir/service-kit';
import { keys, reportKeys } from './keys.ts';
import { payments } from './payments.ts';
import { runs } from './runs.ts';
import { scoreChanges } from './score-changes.ts';

export const riskApiModule = 'risk-api';

/** Results without sides are computed again when they are asked for. */
const resultsWithoutSides = `
  UPDATE risk.runs SET state = 'failed', result = NULL, scanned_at = NULL
  WHERE id IN (SELECT id FROM risk.runs WHERE state = 'done' AND NOT result ? 'illicit_usd' LIMIT 1000)`;

export const riskApiMigrations: readonly Migration[] = [
  { id: 'risk-api/0001-initial', sql: `${keys}${runs}${scoreChanges}${reportKeys}${payments}` },
  { id: 'risk-api/0002-results-without-sides', kind: 'batches', sql: resultsWithoutSides },
];

/** The jobs of `weir`, and the schemas `coins`, `chain` and `risk`. Functions of `risk` read `chain`. */
export async function migrateRiskApi(pool: Pool): Promise<void> {
  await migrate(pool, jobModule, jobMigrations);
  await migrate(pool, coinModule, coinMigrations);
  await migrate(pool, chainStoreModule, chainStoreMigrations);
  await migrate(pool, riskApiModule, riskApiMigrations);
}
