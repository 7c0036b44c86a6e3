import { chainStoreMigrations } from '@weir/chain-store';
import { coinMigrations } from '@weir/coin-store';
import { grantAccess, openPool } from '@weir/postgres';
import { createTestDatabase, type TestDatabase } from '@weir/postgres/testing';
import { databaseAccess } from '@weir/service-kit';
import { migrateRiskApi, riskApiMigrations } from '../schema/migrations.ts';

/** With the risk API's schema, and all privileges of its role. */
export function createRiskDatabase(): Promise<TestDatabase> {
  return createTestDatabase({
    content: ['risk-api', coinMigrations, chainStoreMigrations, riskApiMigrations, databaseAccess],
    access: databaseAccess,
    make: async (url) => {
      const pool = openPool({ url, max: 2 });
      await migrateRiskApi(pool);
      await grantAccess(pool, databaseAccess);
      await pool.end();
    },
  });
}
