import { chainStoreMigrations, chainStoreModule } from '@weir/chain-store';
import { migrate, type Migration, type Pool } from '@weir/postgres';
import { keys, reportKeys } from './keys.ts';
import { payments } from './payments.ts';
import { runs } from './runs.ts';
import { scoreChanges } from './score-changes.ts';

export const riskApiModule = 'risk-api';

export const riskApiMigrations: readonly Migration[] = [
  { id: 'risk-api/0001-initial', sql: `${keys}${runs}${scoreChanges}${reportKeys}${payments}` },
];

/** The schemas `chain` and `risk`. Functions of `risk` read `chain`. */
export async function migrateRiskApi(pool: Pool): Promise<void> {
  await migrate(pool, chainStoreModule, chainStoreMigrations);
  await migrate(pool, riskApiModule, riskApiMigrations);
}
