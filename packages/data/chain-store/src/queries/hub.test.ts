import { rowsRead, type TestDatabase } from '@weir/postgres/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createRiskStore } from './store.ts';
import { createChainDatabase } from '../testing.ts';
import { addressCounterparties } from './counterparties.ts';
import { investigate } from './investigation.ts';
import { addressTrace } from './trace.ts';

/** More transfers of one address than can be paged through. */
const size = 110_000;
const hub = `0x${'b'.repeat(40)}`;
const start = Date.UTC(2025, 0, 1);

let database: TestDatabase;
beforeAll(async () => {
  database = await createChainDatabase();
  const { pool } = database;
  // Written as an import would leave them, in a second instead of a minute. Ten transfers share a timestamp.
  await pool.query(
    `INSERT INTO chain.transfers (chain, txid, position, from_address, to_address, coin, amount, usd, at, source)
     SELECT 'ethereum', '0x' || lpad(to_hex(n), 64, '0'), 0, '0x' || lpad(to_hex(n % 50000 + 4096), 40, 'a'), $1, 'ETH', 1, 1000,
       $2::timestamptz + n / 10 * interval '1 second', 'test' FROM generate_series(0, ${size - 1}) n`,
    [hub, new Date(start)],
  );
  await pool.query(
    `INSERT INTO chain.edges (chain, address, side, peer, peer_labelled, transfers, unknown_transfers, usd)
     SELECT chain, to_address, 0, from_address, false, count(*), 0, sum(usd) FROM chain.transfers GROUP BY 1, 2, 4`,
  );
  await pool.query(
    `INSERT INTO chain.sides (chain, address, side, peers, transfers, unknown_transfers, usd)
     SELECT chain, address, side, count(*), sum(transfers), 0, sum(usd) FROM chain.edges GROUP BY 1, 2, 3`,
  );
  await pool.query(
    `INSERT INTO chain.address_stats SELECT 'ethereum', $1, 'ETH', count(*), 0, count(*), 0, count(*) * 1000, 0, 0, 0, min(at), max(at) FROM chain.transfers`,
    [hub],
  );
  await pool.query('ANALYZE');
});
afterAll(() => database.drop());

const subject = { chain: 'ethereum', address: hub, atMs: start + 1e10 } as const;
const pageOf = (page: number, range: { from?: number; to?: number } = {}, pool = database.pool) =>
  investigate(pool, createRiskStore(pool), {
    ...subject,
    coin: 'ETH',
    from: new Date(range.from ?? 0),
    to: new Date(range.to ?? start + 1e10),
    type: 'all',
    page,
  });

it('pages of a hub neither overlap nor miss anything, also where many transfers share a moment', async () => {
  const seen = new Set<string>();
  for (const page of [1, 2, 3]) {
    const { in: units, transactions_on_page } = await pageOf(page);
    expect(transactions_on_page).toBe(1_000);
    for (const unit of units) for (const hash of unit.tx_hash_list) seen.add(hash);
  }
  expect(seen.size).toBe(3_000);
  expect(seen).toContain(`0x${(size - 1).toString(16).padStart(64, '0')}`);
});

it('a hub is told from a bounded number of rows: the first page, the last that can be asked for, and a range in the middle', async () => {
  const first = await pageOf(1);
  expect(first.total_pages).toBe(100);
  const middle = await pageOf(1, { from: start + 8_000_000, to: start + 8_099_999 });
  expect([middle.total_pages, middle.transactions_on_page]).toEqual([1, 1_000]);
  const middleOf = { from: start + 8_000_000, to: start + 8_099_999 };
  const rows = [
    await rowsRead(database, (pool) => pageOf(1, {}, pool)),
    await rowsRead(database, (pool) => pageOf(100, {}, pool)),
    await rowsRead(database, (pool) => pageOf(1, middleOf, pool)),
  ];
  // 110,000 transfers with two entries each. The hundredth page reads a hundred times as many rows as the first.
  const most = [5_000, 150_000, 5_000];
  expect(rows.filter((count, at) => count > (most[at] ?? 0))).toEqual([]);
});

it('counterparties and trace of a hub do not go through its edges', async () => {
  const store = createRiskStore(database.pool);
  expect(await addressCounterparties(store, subject)).toEqual([{ name: 'Unknown', amount: size * 1_000, percent: 100 }]);
  expect((await addressTrace(database.pool, store, subject)).first_address).toBe(`0x${(4_096).toString(16).padStart(40, 'a')}`);
  const rows = [
    await rowsRead(database, (pool) => addressCounterparties(createRiskStore(pool), subject)),
    await rowsRead(database, (pool) => addressTrace(pool, createRiskStore(pool), subject)),
  ];
  expect(Math.max(...rows)).toBeLessThan(1_000);
});
