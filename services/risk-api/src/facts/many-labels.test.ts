import { systemClock } from '@weir/clock';
import type { LabelRow, TransferRow } from '@weir/facts';
import { powerLawTransfers } from '@weir/risk-engine/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadLabels, loadTransfers } from '../index.ts';
import { createFactsDatabase, label, transfer } from './facts.testing.ts';

const [transfers, labels] = [25_000, 60_000];

let database: Awaited<ReturnType<typeof createFactsDatabase>>;
beforeAll(async () => {
  database = await createFactsDatabase();
});
afterAll(() => database.drop());

it('more labels than edges are loaded by the edges that each has, and not each by going through all', async () => {
  const { pool } = database;
  const rows = [...powerLawTransfers({ seed: 5, addresses: 15_000, transfers })].map(
    ({ txid, position, from: fromAddress, to: toAddress }): TransferRow => ({ ...transfer, txid, position, fromAddress, toAddress }),
  );
  await loadTransfers(pool, rows);
  await pool.query('ANALYZE');
  const [bearer] = rows;
  const addressOf = (n: number): string => (n === 0 ? (bearer?.toAddress ?? '') : `0x${n.toString(16).padStart(8, '0')}${'5'.repeat(32)}`);
  const start = systemClock.monotonic();
  await loadLabels(
    pool,
    Array.from({ length: labels }, (_, n): LabelRow => ({ ...label, address: addressOf(n) })),
  );
  const ms = systemClock.monotonic() - start;
  process.stdout.write(`${labels} labels beside ${2 * transfers} edges: ${Math.round(ms)} ms\n`);
  // A minute and more where each label goes through all edges.
  expect(ms).toBeLessThan(30_000);
  const { rows: flagged } = await pool.query('SELECT FROM chain.edges WHERE peer_labelled LIMIT 1');
  expect(flagged).toHaveLength(1);
}, 120_000);
