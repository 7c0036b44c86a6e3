import type { TransferRow } from '@weir/chain-import';
import { type Pool, type Queryable, transaction } from '@weir/postgres';
import { rowsRead, type TestDatabase } from '@weir/postgres/testing';
import type { History, HistoryBounds, HistoryRequest } from '@weir/risk-engine';
import { memoryStore } from '@weir/risk-engine/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createRiskStore } from '../index.ts';
import { address, createChainDatabase, emptyChain, loadTransfers, transfer, txid } from '../testing.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createChainDatabase();
});
afterAll(() => database.drop());
beforeEach(() => emptyChain(database.pool));

const start = Date.UTC(2024, 0, 1);
/** The first addresses are those of nobody. */
const who = (n: number): string => address(n + 10);
const nobody = `0x${'0'.repeat(40)}`;
const historiesOf = async (requests: readonly HistoryRequest[], bounds: HistoryBounds): Promise<ReadonlyMap<string, History>> =>
  createRiskStore(database.pool).histories('ethereum', requests, bounds);
const sorted = (found: ReadonlyMap<string, History>): unknown =>
  [...found].map(([of, { movements, ...rest }]) => [
    of,
    { ...rest, movements: movements.map((each) => JSON.stringify(each, Object.keys(each).toSorted())).toSorted() },
  ]);

/** Seconds and values are distinct, because the choice among equals is the store's. */
const row = (n: number, from: number, to: number, coin: string, isKnown: boolean): TransferRow => ({
  ...transfer,
  txid: txid(n + 1),
  position: n % 3,
  from_address: from === 0 ? nobody : who(from),
  to_address: who(to),
  coin,
  amount: '1',
  usd_value: isKnown ? String(((n * 7_919) % 10_007) + 1) : null,
  time: new Date(start + n * 1_000).toISOString(),
});
/** A token outside the table of coins, whose sums no score reads without a value. */
const spam = `0x${'e'.repeat(39)}1`;

describe('the transfers of an address with their times', () => {
  it('are those of the store in memory, for any bounds, times and directions', async () => {
    const transfers = fc.array(
      fc.record({
        from: fc.nat(4),
        to: fc.integer({ min: 1, max: 4 }),
        coin: fc.constantFrom('ETH', 'USDT-ERC20', spam),
        isKnown: fc.boolean(),
      }),
      { minLength: 1, maxLength: 40 },
    );
    const request = fc.record({ at: fc.integer({ min: -1, max: 41 }), towards: fc.constantFrom('past' as const, 'future' as const) });
    await fc.assert(
      fc.asyncProperty(transfers, request, fc.nat(5), fc.nat(5), async (given, { at, towards }, largest, nearest) => {
        await emptyChain(database.pool);
        const rows = given.map(({ from, to, coin, isKnown }, n) => row(n, from, to, coin, isKnown || largest > 0));
        await loadTransfers(database.pool, rows);
        const memory = memoryStore({
          labels: [],
          transfers: rows
            .filter(({ coin, usd_value }) => coin !== spam || usd_value !== null)
            .map((each) => ({
              chain: 'ethereum',
              txid: each.txid ?? '',
              position: each.position,
              from: each.from_address === nobody ? null : each.from_address,
              to: each.to_address,
              usd: each.usd_value === null ? null : Number(each.usd_value),
              at: Date.parse(each.time),
              coin: each.coin,
              amount: each.amount,
            })),
        });
        const requests = [1, 2, 3, 4, 9].map((n) => ({ address: who(n), at: start + at * 1_000, towards }));
        const bounds = { largest, nearest };
        const expected = (await memory.histories('ethereum', requests, bounds)) ?? new Map<string, History>();
        const [found, wanted] = [await historiesOf(requests, bounds), expected];
        expect(sorted(found)).toEqual(sorted(wanted));
      }),
      { seed: 13, numRuns: 60 },
    );
  });

  it('are refused beyond 2,000 addresses', async () => {
    const requests = Array.from({ length: 2_001 }, (_, n) => ({ address: who(n), at: start, towards: 'past' as const }));
    await expect(historiesOf(requests, { largest: 1, nearest: 1 })).rejects.toThrow(RangeError);
    expect((await historiesOf(requests.slice(1), { largest: 1, nearest: 1 })).size).toBe(0);
  });

  it('of transactions are listed without mints, transfers to oneself and forged tokens', async () => {
    const same = { ...row(1, 1, 2, 'ETH', true), txid: txid(77) };
    await loadTransfers(database.pool, [
      same,
      { ...same, position: 5, from_address: nobody },
      { ...same, position: 6, from_address: who(2) },
      { ...same, position: 7, coin: spam, usd_value: null },
      row(9, 3, 4, 'ETH', true),
    ]);
    const found = await createRiskStore(database.pool).movementsIn('ethereum', [txid(77), txid(78)]);
    expect([...(found ?? [])]).toEqual([
      [
        txid(77),
        [
          {
            at: start + 1_000,
            tx: txid(77),
            position: 1,
            from: who(1),
            to: who(2),
            usd: Number(same.usd_value),
            coin: 'ETH',
            amount: same.amount,
          },
        ],
      ],
    ]);
  });
});

describe('a hub', () => {
  const size = 60_000;
  const hub = `0x${'b'.repeat(40)}`;

  beforeEach(async () => {
    await fill();
    await database.pool.query('ANALYZE');
  });

  async function fill(db: Queryable = database.pool): Promise<void> {
    // Written as an import would leave them, in a second instead of a minute. Two coins; ten transfers share a time, many a value.
    await db.query(
      `INSERT INTO chain.transfers (chain, txid, position, from_address, to_address, coin, amount, usd, at, source)
       SELECT 'ethereum', '0x' || lpad(to_hex(n), 64, '0'), 0, '0x' || lpad(to_hex(n % 50000 + 4096), 40, 'a'), $1,
         CASE n % 2 WHEN 0 THEN 'ETH' ELSE 'USDT-ERC20' END, 1, n % 100, $2::timestamptz + n / 10 * interval '1 second', 'test'
       FROM generate_series(0, ${size - 1}) n`,
      [hub, new Date(start)],
    );
    await db.query(
      `INSERT INTO chain.sides (chain, address, side, peers, transfers, unknown_transfers, usd)
       SELECT chain, to_address, 0, count(DISTINCT from_address), count(*), 0, sum(usd) FROM chain.transfers GROUP BY 1, 2`,
    );
    await db.query(
      `INSERT INTO chain.address_stats SELECT chain, to_address, coin, count(*), 0, count(*), 0, sum(usd), 0, 0, 0, min(at), max(at)
       FROM chain.transfers GROUP BY 1, 2, 3`,
    );
  }

  const bounds = { largest: 250, nearest: 250 };

  it('is read by index, a bounded number of rows, for any time', async () => {
    for (const second of [0, 30, 3_000, 5_999]) {
      for (const towards of ['past', 'future'] as const) {
        const requests = [{ address: hub, at: start + second * 1_000, towards }];
        const read = await rowsRead(database, async (pool) => createRiskStore(pool).histories('ethereum', requests, bounds));
        expect(read).toBeLessThan(15_000);
        const history = (await historiesOf(requests, bounds)).get(hub);
        expect(history?.movements.length).toBeLessThanOrEqual(500);
        const listed = history?.movements.length ?? 0;
        expect(history?.rest.in.transfers).toBe(listed < 500 && (history?.rest.in.transfers ?? 0) === 0 ? 0 : size - listed);
      }
    }
  });

  it.each([
    ['empty tables', () => fill()],
    [
      'an ANALYZE in the middle of an import',
      () =>
        transaction(database.pool, async (tx) => {
          await fill(tx);
          await database.pool.query('ANALYZE');
        }),
    ],
  ])('is read by index also by a connection whose plans are from %s', async (_, filled) => {
    await emptyChain(database.pool);
    await database.pool.query('ANALYZE');
    const pool = database.openPool({ max: 1 });
    const store = createRiskStore(pool);
    const read = async (): Promise<void> => {
      for (const towards of ['past', 'future'] as const)
        await store.histories('ethereum', [{ address: hub, at: start + 3_000_000, towards }], bounds);
      await store.labelsOf('ethereum', [hub], start);
    };
    await read();
    await filled();
    await pool.query(
      `INSERT INTO chain.sides (chain, address, side, peers, transfers, unknown_transfers, usd)
       SELECT chain, from_address, 1, 1, count(*), 0, sum(usd) FROM chain.transfers GROUP BY 1, 2`,
    );
    await pool.query(
      `INSERT INTO chain.labels (chain, address, name, category, source, confidence)
       SELECT chain, address, 'Somebody', 'exchange', 'test', 1 FROM chain.sides`,
    );
    // A transaction counts also what its connection has not told yet.
    await pool.query('BEGIN');
    const before = await entriesRead(pool);
    await read();
    expect(await entriesRead(pool)).toBeLessThan(before + 15_000);
    await pool.query('COMMIT');
  });

  it('does not have its transactions looked up by a scan', async () => {
    const pool = database.openPool({ max: 1 });
    await pool.query('BEGIN');
    await createRiskStore(pool).movementsIn('ethereum', [txid(5), txid(6)]);
    expect(await entriesRead(pool)).toBeLessThan(100);
    await pool.query('COMMIT');
  });

  /** Rows and index entries of a transaction. */
  async function entriesRead(pool: Pool): Promise<number> {
    const { rows } = await pool.query<{ count: bigint }>(
      `SELECT sum(pg_stat_get_xact_tuples_returned(oid))::int8 AS count FROM pg_class WHERE relkind IN ('r', 'i') AND relnamespace = 'chain'::regnamespace`,
    );
    return Number(rows[0]?.count);
  }

  it('gives its nearest and largest transfers, and the sum of the others', async () => {
    const history = (await historiesOf([{ address: hub, at: start + 3_000_000, towards: 'past' }], bounds)).get(hub);
    const movements = history?.movements ?? [];
    expect(movements.filter(({ at }) => at > start + 2_975_000).length).toBeGreaterThanOrEqual(250);
    expect(movements.filter(({ usd }) => usd === 99).length).toBeGreaterThanOrEqual(250);
    expect(history?.rest.in.transfers).toBe(size - movements.length);
    expect(history?.peers).toEqual({ in: 50_000, out: 0 });
  });
});
