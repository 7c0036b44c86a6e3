import type { LabelRow, TransferRow } from '@weir/chain-import';
import type { TestDatabase } from '@weir/postgres/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createRiskStore } from '../index.ts';
import { address, contents, createChainDatabase, emptyChain, label, transfer, txid, loadLabels, loadTransfers } from '../testing.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createChainDatabase();
});
afterAll(() => database.drop());
beforeEach(() => emptyChain(database.pool));

const zero = address(0);

describe('labels', () => {
  it('loaded twice change nothing, and a delisting corrects', async () => {
    const rows = [label, { ...label, name: 'Other' }, { ...label, valid_from: null }];
    expect(await loadLabels(database.pool, rows)).toEqual({ inserted: 3, unchanged: 0, rejected: 0 });
    const before = await contents(database.pool);
    expect(await loadLabels(database.pool, rows)).toEqual({ inserted: 0, unchanged: 3, rejected: 0 });
    expect(await contents(database.pool)).toEqual(before);
    expect(await loadLabels(database.pool, [{ ...label, valid_to: '2025-03-22' }])).toEqual({ inserted: 1, unchanged: 0, rejected: 0 });
    const { rows: stored } = await database.pool.query(`SELECT count(*)::int, count(valid_to)::int AS ended FROM chain.labels`);
    expect(stored).toEqual([{ count: 3, ended: 1 }]);
  });

  it('of two that are one in the same load, the later stands', async () => {
    const rows = [label, { ...label, confidence: 0.2 }, { ...label, valid_to: '2025-03-22' }];
    expect(await loadLabels(database.pool, rows)).toEqual({ inserted: 1, unchanged: 2, rejected: 0 });
    const { rows: stored } = await database.pool.query('SELECT confidence, valid_to FROM chain.labels');
    expect(stored).toEqual([{ confidence: 0.9, valid_to: new Date('2025-03-22') }]);
  });

  it('keep what COPY gives a meaning to, and times before the first year', async () => {
    const odd = {
      ...label,
      name: 'tab\t, line\r\n, back\\slash, \\N, \\.',
      source: '\\N',
      valid_from: '0000-01-01',
      valid_to: '9999-12-31T23:59:59-14:00',
    };
    expect(await loadLabels(database.pool, [odd])).toEqual({ inserted: 1, unchanged: 0, rejected: 0 });
    const { rows: stored } = await database.pool.query(
      `SELECT name, source, valid_from = '0001-01-01 00:00+00 BC' AS "from", valid_to = '10000-01-01 13:59:59+00' AS "to" FROM chain.labels`,
    );
    expect(stored).toEqual([{ name: odd.name, source: odd.source, from: true, to: true }]);
  });

  it.each<[string, Partial<LabelRow>]>([
    ['unknown chain', { chain: 'moon' }],
    ['not an address', { address: 'x' }],
    ['wrong time', { valid_to: 'soon' }],
    ['confidence out of range', { confidence: 1.1 }],
    ['confidence that is none', { confidence: Number.NaN }],
    ['no name', { name: '' }],
    ['text the database cannot hold', { name: 'a\0b' }],
    ['half a character', { name: 'a\ud800b' }],
  ])('rejects a row with: %s', async (_why, wrong) => {
    expect(await loadLabels(database.pool, [{ ...label, ...wrong }, label])).toEqual({ inserted: 1, unchanged: 0, rejected: 1 });
  });
});

describe('tokens outside the table of coins', () => {
  const forged = { ...transfer, coin: address(999), amount: null, usd_value: null };
  const sums = async (): Promise<unknown> =>
    (await database.pool.query(`SELECT transfers::int, unknown_transfers::int AS unknown, usd::float8 FROM chain.sides`)).rows;

  it('of no known value are no dealings: anybody can have one say that it came from whomever', async () => {
    expect(await loadTransfers(database.pool, [forged, { ...forged, position: 1 }])).toMatchObject({ inserted: 2 });
    expect(await sums()).toEqual([]);
    const { rows } = await database.pool.query(
      `SELECT coin, received_transfers::int AS received, received_unknown::int AS unknown FROM chain.address_stats`,
    );
    expect(rows).toContainEqual({ coin: forged.coin, received: 2, unknown: 2 });
    const store = createRiskStore(database.pool);
    // A score reads all transfers of a transaction. The forged ones add nothing beside a real payment.
    expect(await store.transfersOf('ethereum', forged.txid ?? '')).toHaveLength(2);
    await loadTransfers(database.pool, [{ ...transfer, position: 2 }]);
    expect(await store.transfersOf('ethereum', forged.txid ?? '')).toMatchObject([{ usd: 3000.25 }]);
  });

  it('become dealings with a value, whichever comes first, and count once', async () => {
    const valued = { ...forged, amount: '2', usd_value: '7' };
    const expected = [
      { transfers: 1, unknown: 0, usd: 7 },
      { transfers: 1, unknown: 0, usd: 7 },
    ];
    for (const rows of [[valued], [forged, valued], [valued, forged]]) {
      await emptyChain(database.pool);
      for (const row of rows) await loadTransfers(database.pool, [row]);
      expect(await sums()).toEqual(expected);
      await loadTransfers(database.pool, rows);
      expect(await sums()).toEqual(expected);
    }
    await emptyChain(database.pool);
    await loadTransfers(database.pool, [forged, valued]);
    expect(await sums()).toEqual(expected);
  });
});

describe('transfers', () => {
  it('loaded twice change nothing, not even without a txid', async () => {
    const rows = [
      transfer,
      { ...transfer, position: 1, usd_value: null },
      { ...transfer, txid: null },
      { ...transfer, txid: null, position: 1 },
      transfer,
    ];
    expect(await loadTransfers(database.pool, rows)).toEqual({ inserted: 4, unchanged: 1, rejected: 0 });
    const before = await contents(database.pool);
    expect(await loadTransfers(database.pool, rows)).toEqual({ inserted: 0, unchanged: 5, rejected: 0 });
    expect(await contents(database.pool)).toEqual(before);
    const { rows: edges } = await database.pool.query(
      'SELECT address, side, peer, transfers::int, unknown_transfers::int AS unknown, usd FROM chain.edges ORDER BY side',
    );
    const sums = { transfers: 4, unknown: 1, usd: '9000.75' };
    expect(edges).toEqual([
      { address: address(101), side: 0, peer: address(100), ...sums },
      { address: address(100), side: 1, peer: address(101), ...sums },
    ]);
  });

  it('of two that are one with other values, the larger stands, whichever comes first', async () => {
    const rows = ['1.00', null, '3.00', '2.00'].map(
      (usd_value, n): TransferRow => ({ ...transfer, usd_value, amount: n === 1 ? null : '1.5' }),
    );
    await loadTransfers(
      database.pool,
      [transfer].map((row) => ({ ...row, usd_value: '3.00', amount: '1.5' })),
    );
    const plain = await contents(database.pool);
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray(rows, { minLength: 4 }), fc.nat(4), async (order, cut) => {
        await emptyChain(database.pool);
        for (const part of [order.slice(0, cut), order.slice(cut)]) await loadTransfers(database.pool, part);
        expect(await contents(database.pool)).toEqual(plain);
        expect(await loadTransfers(database.pool, rows)).toEqual({ inserted: 0, unchanged: 4, rejected: 0 });
      }),
      { numRuns: 20 },
    );
  });

  it('loaded again with values that were not known add them to every sum', async () => {
    const unpriced = [0, 1, 2].map((position): TransferRow => ({ ...transfer, position, usd_value: null }));
    await loadTransfers(database.pool, unpriced);
    const priced = unpriced.map((row) => ({ ...row, usd_value: '2.50' }));
    expect(await loadTransfers(database.pool, priced)).toEqual({ inserted: 3, unchanged: 0, rejected: 0 });
    const both = await contents(database.pool);
    await emptyChain(database.pool);
    await loadTransfers(database.pool, priced);
    expect(both).toEqual(await contents(database.pool));
  });

  it('to or from nobody, or oneself, are no dealings, and count as received and spent', async () => {
    const rows = [
      { ...transfer, from_address: zero },
      { ...transfer, position: 1, to_address: transfer.from_address },
      { ...transfer, position: 2, to_address: '0x000000000000000000000000000000000000dEaD', amount: null, usd_value: null },
    ];
    expect(await loadTransfers(database.pool, rows)).toEqual({ inserted: 3, unchanged: 0, rejected: 0 });
    expect((await database.pool.query('SELECT FROM chain.edges UNION ALL SELECT FROM chain.sides')).rows).toHaveLength(0);
    const { rows: stats } = await database.pool.query(
      `SELECT received_transfers::int AS received, spent_transfers::int AS spent, received_amount, spent_amount, spent_usd, spent_unknown::int AS unknown
       FROM chain.address_stats WHERE address = $1`,
      [transfer.from_address],
    );
    expect(stats).toEqual([{ received: 1, spent: 2, received_amount: '1.5', spent_amount: '1.5', spent_usd: '3000.25', unknown: 1 }]);
  });

  it('with huge numbers add up exactly', async () => {
    const huge = { usd_value: `${'9'.repeat(60)}.${'9'.repeat(40)}` };
    await loadTransfers(database.pool, [
      { ...transfer, ...huge },
      { ...transfer, position: 1, usd_value: `0.${'0'.repeat(39)}1` },
    ]);
    expect((await database.pool.query(`SELECT DISTINCT usd FROM chain.sides`)).rows).toEqual([
      { usd: `1${'0'.repeat(60)}.${'0'.repeat(40)}` },
    ]);
  });

  it.each<[string, Partial<TransferRow>]>([
    ['an amount that is no number', { amount: '1e5' }],
    ['a number past all bounds', { amount: '9'.repeat(61) }],
    ['a negative value', { usd_value: '-1' }],
    ['a wrong txid', { txid: '0x1' }],
    ['an address of another chain', { to_address: 'TU4tDFRvcKhAZ1jdihojmBWZqvJhQCnJ4F' }],
    ['a time that is none', { time: '2024-02-30T00:00:00Z' }],
    ['a position that is no number', { position: 1.5 }],
    ['text the database cannot hold', { coin: 'E\0H' }],
  ])('rejects a row with: %s', async (_why, wrong) => {
    expect(await loadTransfers(database.pool, [{ ...transfer, ...wrong }, transfer])).toEqual({ inserted: 1, unchanged: 0, rejected: 1 });
  });

  it('before a source that fails are stored, and the same load again stores the rest', async () => {
    const rows = Array.from({ length: 20 }, (_, i): TransferRow => ({ ...transfer, txid: i % 3 === 0 ? null : txid(i), position: i }));
    const broken = async function* (): AsyncGenerator<TransferRow> {
      yield* rows.slice(0, 15);
      throw new Error('cut off');
    };
    await expect(loadTransfers(database.pool, broken())).rejects.toThrow('cut off');
    expect(await loadTransfers(database.pool, rows)).toEqual({ inserted: 5, unchanged: 15, rejected: 0 });
    const twice = await contents(database.pool);
    await emptyChain(database.pool);
    await loadTransfers(database.pool, rows);
    expect(await contents(database.pool)).toEqual(twice);
  });
});

/** Few addresses, two of them nobody, so that they meet often. A number decides the content of a transfer, so no two sources disagree. */
const numbers = fc.array(fc.nat(60), { maxLength: 40 });
const toTransfer = (n: number): TransferRow => ({
  ...transfer,
  txid: n % 4 === 0 ? null : txid(n),
  from_address: n % 7 === 0 ? zero : address(100 + (n % 5)),
  to_address: address(100 + (n % 6)),
  coin: n % 3 === 0 ? 'ETH' : 'USDT-ERC20',
  amount: n % 11 === 0 ? null : `${n}.5`,
  usd_value: n % 5 === 0 ? null : `${n}.${n % 10}`,
  time: new Date(Date.UTC(2024, 0, 1 + n)).toISOString(),
});
const toLabel = (n: number): LabelRow => ({ ...label, address: n % 7 === 0 ? zero : address(100 + (n % 6)), name: `name ${n}` });

describe('what is stored', () => {
  it('does not depend on order, batches, overlap, or on who loads at the same time', async () => {
    const loads = fc.array(fc.oneof(fc.record({ labels: numbers }), fc.record({ transfers: numbers })), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(loads, async (parts) => {
        await emptyChain(database.pool);
        await Promise.all(
          parts.map((part) =>
            'labels' in part
              ? loadLabels(database.pool, part.labels.map(toLabel))
              : loadTransfers(database.pool, part.transfers.map(toTransfer)),
          ),
        );
        const inParts = await contents(database.pool);
        await emptyChain(database.pool);
        await loadTransfers(database.pool, sorted(parts.flatMap((part) => ('transfers' in part ? part.transfers : []))).map(toTransfer));
        await loadLabels(database.pool, sorted(parts.flatMap((part) => ('labels' in part ? part.labels : []))).map(toLabel));
        expect(inParts).toEqual(await contents(database.pool));
      }),
      { numRuns: 40 },
    );
  });

  it('are the sums of the transfers, however they were added', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(numbers, { maxLength: 4 }), fc.array(fc.nat(10), { maxLength: 5 }), async (parts, labelled) => {
        await emptyChain(database.pool);
        for (const part of parts) await loadTransfers(database.pool, part.map(toTransfer));
        await loadLabels(database.pool, labelled.map(toLabel));
        expect((await database.pool.query(differences)).rows).toEqual([]);
      }),
      { numRuns: 40 },
    );
  });
});

function sorted(values: readonly number[]): number[] {
  return values.toSorted((a, b) => a - b);
}

/** The difference between the stored sums and those computed from transfers and labels. */
const differences = `
  WITH dealings AS (
    SELECT chain, to_address AS address, 0::smallint AS side, from_address AS peer, usd FROM chain.transfers
    UNION ALL SELECT chain, from_address, 1::smallint, to_address, usd FROM chain.transfers),
  counted AS (SELECT * FROM dealings WHERE address <> peer AND '${zero}' NOT IN (address, peer)),
  edges AS (
    SELECT chain, address, side, peer, EXISTS (SELECT FROM chain.labels l WHERE l.address = peer), count(*), count(*) FILTER (WHERE usd IS NULL), coalesce(sum(usd), 0)
    FROM counted GROUP BY 1, 2, 3, 4),
  sides AS (
    SELECT chain, address, side, count(DISTINCT peer), count(*), count(*) FILTER (WHERE usd IS NULL), coalesce(sum(usd), 0) FROM counted GROUP BY 1, 2, 3)
  SELECT 'edges' AS what, d::text FROM (
    (TABLE edges EXCEPT SELECT chain, address, side, peer, peer_labelled, transfers, unknown_transfers, usd FROM chain.edges)
    UNION ALL (SELECT chain, address, side, peer, peer_labelled, transfers, unknown_transfers, usd FROM chain.edges EXCEPT TABLE edges)) d
  UNION ALL SELECT 'sides', d::text FROM (
    (TABLE sides EXCEPT SELECT chain, address, side, peers, transfers, unknown_transfers, usd FROM chain.sides)
    UNION ALL (SELECT chain, address, side, peers, transfers, unknown_transfers, usd FROM chain.sides EXCEPT TABLE sides)) d`;
