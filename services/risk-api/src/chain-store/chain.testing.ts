import type { LabelRow, SourceRecord, TransferRow } from '@weir/chain-import';
import { migrate, type Queryable } from '@weir/postgres';
import { createTestDatabase, type TestDatabase } from '@weir/postgres/testing';
import { riskApiMigrations, riskApiModule } from '../migrations.ts';

export const address = (n: number): string => `0x${n.toString(16).padStart(40, '0')}`;
export const txid = (n: number): string => `0x${n.toString(16).padStart(64, '0')}`;

export const label: LabelRow = {
  chain: 'ethereum',
  address: address(100),
  name: 'Someone',
  category: 'scam',
  validFrom: '2024-01-01',
  validTo: null,
  confidence: 0.9,
  source: 'test',
};

export const transfer: TransferRow = {
  chain: 'ethereum',
  txid: txid(1),
  position: 0,
  fromAddress: address(100),
  toAddress: address(101),
  coin: 'ETH',
  amount: '1.5',
  usdValue: '3000.25',
  time: '2024-01-01T00:00:00Z',
  source: 'test',
};

export async function* recordsOf<Row>(rows: readonly Row[], after = 0): AsyncGenerator<SourceRecord<Row>> {
  for (const [index, row] of rows.entries()) if (index >= after) yield { number: index + 1, rows: [row] };
}

export async function createChainDatabase(): Promise<TestDatabase> {
  const database = await createTestDatabase();
  await migrate(database.pool, riskApiModule, riskApiMigrations);
  return database;
}

const factTables = ['labels', 'transfers', 'edges', 'sides', 'address_stats'] as const;

/** The contents of all tables that the importers write, sorted. */
export async function contents(db: Queryable): Promise<unknown> {
  const each = factTables.map((table) => `(SELECT json_agg(t ORDER BY t::text) FROM chain.${table} t) AS ${table}`);
  return (await db.query(`SELECT ${each.join(', ')}`)).rows[0];
}

export async function emptyChain(db: Queryable): Promise<void> {
  await db.query(`TRUNCATE chain.import_runs, chain.prices, ${factTables.map((table) => `chain.${table}`).join(', ')}`);
}
