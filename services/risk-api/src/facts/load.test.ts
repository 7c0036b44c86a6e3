import fc from 'fast-check';
import { createTestDatabase, type TestDatabase } from '@weir/postgres/testing';
import { migrate, transaction } from '@weir/postgres';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type LabelRow, loadLabels, loadTransfers, riskApiMigrations, riskApiModule, type TransferRow } from '../index.ts';

let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase();
  await migrate(database.pool, riskApiModule, riskApiMigrations);
});
afterEach(() => database.drop());

const address = (n: number): string => `0x${n.toString(16).padStart(40, '0')}`;
const label: LabelRow = {
  chain: 'ethereum',
  address: address(100),
  name: 'Someone',
  category: 'scam',
  validFrom: '2024-01-01',
  validTo: null,
  confidence: 0.9,
  source: 'test',
};
const transfer: TransferRow = {
  chain: 'ethereum',
  txid: `0x${'a'.repeat(64)}`,
  position: 0,
  fromAddress: address(100),
  toAddress: address(101),
  coin: 'ETH',
  amount: '1.5',
  usdValue: '3000.25',
  time: '2024-01-01T00:00:00Z',
  source: 'test',
};

/** Everything the loaders write, in one order. */
async function contents(): Promise<unknown> {
  const { rows } = await database.pool.query(
    `SELECT (SELECT json_agg(t ORDER BY t::text) FROM chain.transfers t) AS transfers, (SELECT json_agg(p ORDER BY p::text) FROM chain.pairs p) AS pairs,
       (SELECT json_agg(l ORDER BY l::text) FROM chain.labels l) AS labels`,
  );
  return rows[0];
}

describe('labels', () => {
  it('loaded twice change nothing, and a delisting corrects', async () => {
    const rows = [label, { ...label, name: 'Other' }, { ...label, validFrom: null }];
    expect(await loadLabels(database.pool, rows)).toEqual({ inserted: 3, unchanged: 0, rejected: 0 });
    const before = await contents();
    expect(await loadLabels(database.pool, rows)).toEqual({ inserted: 0, unchanged: 3, rejected: 0 });
    expect(await contents()).toEqual(before);
    expect(await loadLabels(database.pool, [{ ...label, validTo: '2025-03-22' }])).toEqual({ inserted: 1, unchanged: 0, rejected: 0 });
    const { rows: stored } = await database.pool.query(`SELECT count(*)::int, count(valid_to)::int AS ended FROM chain.labels`);
    expect(stored).toEqual([{ count: 3, ended: 1 }]);
  });

  it.each<[string, Partial<LabelRow>]>([
    ['unknown chain', { chain: 'moon' }],
    ['not an address', { address: 'x' }],
    ['wrong time', { validTo: 'soon' }],
    ['confidence out of range', { confidence: 1.1 }],
    ['confidence that is none', { confidence: Number.NaN }],
    ['no name', { name: '' }],
    ['text the database cannot hold', { name: 'a\0b' }],
  ])('rejects a row with: %s', async (_why, wrong) => {
    expect(await loadLabels(database.pool, [{ ...label, ...wrong }, label])).toEqual({ inserted: 1, unchanged: 0, rejected: 1 });
  });
});

describe('transfers', () => {
  it('loaded twice change nothing, not even without a txid', async () => {
    const rows = [
      transfer,
      { ...transfer, position: 1, usdValue: null },
      { ...transfer, txid: null },
      { ...transfer, txid: null, position: 1 },
      transfer,
    ];
    expect(await loadTransfers(database.pool, rows)).toEqual({ inserted: 4, unchanged: 1, rejected: 0 });
    const before = await contents();
    expect(await loadTransfers(database.pool, rows)).toEqual({ inserted: 0, unchanged: 5, rejected: 0 });
    expect(await contents()).toEqual(before);
    const { rows: pairs } = await database.pool.query('SELECT transfers::int, unknown_transfers::int, usd FROM chain.pairs');
    expect(pairs).toEqual([{ transfers: 4, unknown_transfers: 1, usd: '9000.75' }]);
  });

  it('to or from nobody, or oneself, are no dealings', async () => {
    const rows = [
      { ...transfer, fromAddress: address(0) },
      { ...transfer, position: 1, toAddress: transfer.fromAddress },
    ];
    expect(await loadTransfers(database.pool, rows)).toEqual({ inserted: 2, unchanged: 0, rejected: 0 });
    expect((await database.pool.query('SELECT FROM chain.pairs')).rows).toHaveLength(0);
  });

  it.each<[string, Partial<TransferRow>]>([
    ['an amount that is no number', { amount: '1e5' }],
    ['a negative value', { usdValue: '-1' }],
    ['a wrong txid', { txid: '0x1' }],
    ['an address of another chain', { toAddress: 'TU4tDFRvcKhAZ1jdihojmBWZqvJhQCnJ4F' }],
    ['a wrong position', { position: 1.5 }],
  ])('rejects a row with %s', async (_why, wrong) => {
    expect(await loadTransfers(database.pool, [{ ...transfer, ...wrong }, transfer])).toEqual({ inserted: 1, unchanged: 0, rejected: 1 });
  });

  it('broken off after some batches and loaded again give the same as in one go', async () => {
    const rows = Array.from(
      { length: 5_000 },
      (_, i): TransferRow => ({
        ...transfer,
        txid: i % 3 === 0 ? null : `0x${i.toString(16).padStart(64, '0')}`,
        position: i % 3 === 0 ? i : 0,
        toAddress: address(101 + (i % 7)),
        usdValue: i % 5 === 0 ? null : `${i}.01`,
      }),
    );
    const broken = async function* (): AsyncGenerator<TransferRow> {
      yield* rows.slice(0, 4_500);
      throw new Error('cut off');
    };
    await expect(loadTransfers(database.pool, broken())).rejects.toThrow('cut off');
    expect((await database.pool.query('SELECT FROM chain.transfers')).rows).toHaveLength(4_000);
    expect(await loadTransfers(database.pool, rows)).toEqual({ inserted: 1_000, unchanged: 4_000, rejected: 0 });
    const twice = await contents();
    await database.pool.query('TRUNCATE chain.transfers, chain.pairs');
    await loadTransfers(database.pool, rows);
    expect(await contents()).toEqual(twice);
  });

  it('sums are those of the transfers, in whatever order and overlap they are loaded, by two at once', async () => {
    const arb = fc.array(
      fc.record({ n: fc.nat(20), from: fc.nat(3), to: fc.nat(3), usd: fc.option(fc.nat(1000), { nil: null }), known: fc.boolean() }),
      { maxLength: 40 },
    );
    await fc.assert(
      fc.asyncProperty(arb, arb, async (a, b) => {
        await transaction(database.pool, (tx) => tx.query('TRUNCATE chain.transfers, chain.pairs'));
        const toRow = ({ n, from, to, usd, known }: (typeof a)[number]): TransferRow => ({
          ...transfer,
          txid: known ? `0x${n.toString(16).padStart(64, '0')}` : null,
          fromAddress: address(100 + from),
          toAddress: address(100 + to),
          usdValue: usd === null ? null : String(usd),
        });
        await Promise.all([loadTransfers(database.pool, a.map(toRow)), loadTransfers(database.pool, b.map(toRow))]);
        const { rows } = await database.pool.query(
          `SELECT (SELECT count(*) FROM (
             SELECT chain, from_address, to_address, count(*), count(*) FILTER (WHERE usd IS NULL), coalesce(sum(usd), 0) FROM chain.transfers
               WHERE from_address <> to_address GROUP BY 1, 2, 3
             EXCEPT SELECT chain, from_address, to_address, transfers, unknown_transfers, usd FROM chain.pairs) d)::int AS missing,
             (SELECT coalesce(sum(transfers), 0)::int FROM chain.pairs) - (SELECT count(*)::int FROM chain.transfers WHERE from_address <> to_address) AS surplus`,
        );
        expect(rows).toEqual([{ missing: 0, surplus: 0 }]);
      }),
      { numRuns: 40 },
    );
  });
});
