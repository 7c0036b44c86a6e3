import type { LabelRow, TransferRow } from '@weir/chain-import';
import { powerLawTransfers } from '@weir/risk-engine/testing';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createChainDatabase, label, loadLabels, loadTransfers, transfer } from '../testing.ts';

const [transfers, labels] = [25_000, 60_000];

let database: Awaited<ReturnType<typeof createChainDatabase>>;
beforeAll(async () => {
  database = await createChainDatabase();
});
afterAll(() => database.drop());

it('more labels than edges are loaded by the edges that each has, and not each by going through all', async () => {
  const { pool } = database;
  const rows = [...powerLawTransfers({ seed: 5, addresses: 15_000, transfers })].map(
    ({ txid, position, from: from_address, to: to_address }): TransferRow => ({ ...transfer, txid, position, from_address, to_address }),
  );
  await loadTransfers(pool, rows);
  await pool.query('ANALYZE');
  const [bearer] = rows;
  const addressOf = (n: number): string => (n === 0 ? (bearer?.to_address ?? '') : `0x${n.toString(16).padStart(8, '0')}${'5'.repeat(32)}`);
  const all = Array.from({ length: labels }, (_, n): LabelRow => ({ ...label, address: addressOf(n) }));
  const loading = database.openPool({ max: 1, applicationName: 'weir-loading' });
  await loadLabels(loading, all);
  // A session reports its statistics when it ends, at the latest.
  await loading.end();
  const session = `SELECT FROM pg_stat_activity WHERE application_name = 'weir-loading' AND datname = current_database()`;
  await vi.waitFor(async () => expect((await pool.query(session)).rowCount).toBe(0));
  const { rows: counts } = await pool.query<{ read: bigint }>(
    `SELECT coalesce(sum(seq_tup_read), 0)::int8 + coalesce(sum(idx_tup_fetch), 0)::int8 AS read FROM pg_stat_user_tables`,
  );
  const read = Number(counts[0]?.read);
  process.stdout.write(`${labels} labels beside ${2 * transfers} edges: ${read} rows read\n`);
  // 3,000,000,000 if each label scanned all edges.
  expect(read).toBeLessThan(100 * (labels + 2 * transfers));
  const { rows: flagged } = await pool.query('SELECT FROM chain.edges WHERE peer_labelled LIMIT 1');
  expect(flagged).toHaveLength(1);
});
