import { randomUUID } from 'node:crypto';
import { chainStoreMigrations, chainStoreModule } from '@weir/chain-store';
import { migrate } from '@weir/postgres';
import { createTestDatabase, type TestDatabase } from '@weir/postgres/testing';
import { unknown } from '@weir/risk-engine';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { migrateRiskApi, riskApiMigrations, riskApiModule } from './migrations.ts';

let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.drop());

it('lets results without sides be computed again, and keeps the others', async () => {
  const { pool } = database;
  await migrate(pool, chainStoreModule, chainStoreMigrations);
  await migrate(pool, riskApiModule, riskApiMigrations.slice(0, 1));
  const { illicit_usd: _, ...withoutSides } = unknown;
  for (const [subject, result] of [
    ['old', withoutSides],
    ['new', unknown],
  ] as const)
    await pool.query(
      `INSERT INTO risk.runs (id, chain, kind, subject, direction, state, result, scanned_at, created_at, enqueued_at)
       VALUES ($1, 'ethereum', 'address', $2, 'deposit', 'done', $3, now(), now(), now())`,
      [randomUUID(), subject, JSON.stringify(result)],
    );
  await migrateRiskApi(pool);
  const { rows } = await pool.query('SELECT subject, state, result IS NULL AS is_empty FROM risk.runs ORDER BY subject');
  expect(rows).toEqual([
    { subject: 'new', state: 'done', is_empty: false },
    { subject: 'old', state: 'failed', is_empty: true },
  ]);
});
