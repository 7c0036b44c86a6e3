import type { CoSpend, LabelRow } from '@weir/chain-import';
import type { TestDatabase } from '@weir/postgres/testing';
import { DisjointSets } from '@weir/risk-engine';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createRiskStore, endLabels, type ImportObserver, withdrawLabels } from '../index.ts';
import { LocalLists } from '../sanctions/local-lists.ts';
import {
  bitcoinAddress,
  coSpend,
  createChainDatabase,
  emptyChain,
  importChainRecords,
  label,
  loadCoSpends,
  loadLabels,
  loadTransfers,
  transfer,
  unobserved,
} from '../testing.ts';
import { ManualClock } from '@weir/clock';

let database: TestDatabase;
beforeAll(async () => {
  database = await createChainDatabase();
});
afterAll(() => database.drop());
beforeEach(() => emptyChain(database.pool));

const numbers = new Map(Array.from({ length: 2_000 }, (_, n) => [bitcoinAddress(n), n]));

/** Addresses of each cluster, sorted. Fails where a stored size is not the number of addresses. */
async function partition(): Promise<number[][]> {
  const { rows } = await database.pool.query<{ addresses: string[]; size: number }>(
    `SELECT array_agg(m.address) AS addresses, min(r.addresses)::int AS size FROM chain.cluster_members m
     JOIN chain.clusters c ON c.id = m.cluster JOIN chain.clusters r ON r.id = c.root GROUP BY c.root`,
  );
  for (const { addresses, size } of rows) expect(size).toBe(addresses.length);
  return sorted(rows.map(({ addresses }) => addresses.map((address) => numbers.get(address) ?? -1)));
}

function expected(coSpends: readonly CoSpend[]): number[][] {
  const sets = new DisjointSets<string>();
  for (const { addresses } of coSpends) for (const address of addresses) sets.join(addresses[0] ?? '', address);
  const all = new Set(coSpends.flatMap(({ addresses }) => addresses));
  return sorted([...Map.groupBy(all, (each) => sets.find(each)).values()].map((each) => each.map((address) => numbers.get(address) ?? -1)));
}

const sorted = (sets: readonly (readonly number[])[]): number[][] =>
  sets.map((set) => set.toSorted((a, b) => a - b)).toSorted((a, b) => (a[0] ?? 0) - (b[0] ?? 0));

const btc = (n: number, over: Partial<LabelRow> = {}): LabelRow => ({
  ...label,
  chain: 'bitcoin',
  address: bitcoinAddress(n),
  category: 'theft',
  confidence: 1,
  ...over,
});
const labelsOf = async (n: number, atMs = Date.parse('2024-06-01')) => {
  const address = bitcoinAddress(n);
  return (await createRiskStore(database.pool).labelsOf('bitcoin', [address], atMs)).get(address) ?? [];
};
const categoriesOf = async (n: number): Promise<string[]> => (await labelsOf(n)).map(({ category }) => category);

describe('addresses that sign together', () => {
  const signed = fc.array(fc.uniqueArray(fc.integer({ min: 1, max: 40 }), { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 25 });
  const batches = fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 25, maxLength: 25 });

  it('are the same clusters in any order, in any batches, and when repeated', async () => {
    const orders = signed.chain((all) => fc.tuple(fc.shuffledSubarray(all, { minLength: all.length }), batches, fc.shuffledSubarray(all)));
    await fc.assert(
      fc.asyncProperty(orders, async ([order, sizes, again]) => {
        await emptyChain(database.pool);
        const coSpends = [...order, ...again].map((each) => coSpend(1 + each[0]! * 100 + each[1]!, ...each));
        for (let at = 0, batch = 0; at < coSpends.length; batch += 1) {
          const size = sizes[batch % sizes.length] ?? 1;
          await loadCoSpends(database.pool, coSpends.slice(at, at + size));
          at += size;
        }
        expect(await partition()).toEqual(expected(coSpends));
      }),
      { numRuns: 25 },
    );
  });

  it('are the same clusters when imported at the same time', async () => {
    const chain = Array.from({ length: 60 }, (_, n) => coSpend(n + 1, n + 1, n + 2));
    const parts = [0, 1, 2].map((part) => chain.filter((_, at) => at % 3 === part));
    await Promise.all(parts.map((part) => loadCoSpends(database.pool, part)));
    expect(await partition()).toEqual([Array.from({ length: 61 }, (_, n) => n + 1)]);
  });

  it('in a CoinJoin stay apart', async () => {
    await loadCoSpends(database.pool, [{ ...coSpend(1, 1, 2, 3), coin_join: 'equal outputs' }, coSpend(2, 3, 4)]);
    expect(await partition()).toEqual([[3, 4]]);
    const paid = { ...transfer, chain: 'bitcoin', coin: 'BTC', from_address: bitcoinAddress(1), to_address: bitcoinAddress(9) };
    await loadTransfers(
      database.pool,
      [1, 2].map((id) => ({ ...paid, txid: coSpend(id).txid })),
    );
    const requests = [{ address: bitcoinAddress(9), at: Date.now(), towards: 'past' }] as const;
    const histories = await createRiskStore(database.pool).histories('bitcoin', requests, { largest: 5, nearest: 5 });
    const movements = histories.get(bitcoinAddress(9))?.movements ?? [];
    expect(Object.fromEntries(movements.map(({ tx, coin_join }) => [tx, coin_join]))).toEqual({
      [coSpend(1).txid]: true,
      [coSpend(2).txid]: undefined,
    });
  });

  it('join at most the smaller of two clusters anew', async () => {
    await loadCoSpends(database.pool, [coSpend(1, ...Array.from({ length: 50 }, (_, n) => n + 1))]);
    await loadCoSpends(database.pool, [coSpend(2, 100, 101)]);
    const rootOf = async (n: number): Promise<unknown> =>
      (
        await database.pool.query(
          'SELECT c.root FROM chain.cluster_members m JOIN chain.clusters c ON c.id = m.cluster WHERE m.address = $1',
          [bitcoinAddress(n)],
        )
      ).rows[0];
    const before = await rootOf(1);
    await loadCoSpends(database.pool, [coSpend(3, 100, 1)]);
    expect(await rootOf(101)).toEqual(before);
    expect(await rootOf(1)).toEqual(before);
  });

  it('are not half joined after a failure, and the import goes on', async () => {
    const options = {
      kind: 'transfers',
      key: 'broken',
      name: 'broken',
      clock: new ManualClock(),
      onRejected: () => undefined,
    } as const;
    const failing = importChainRecords(database.pool, {
      ...options,
      read: async function* () {
        yield { number: 1, rows: [], co_spend: coSpend(1, 1, 2) };
        throw new Error('the disk is gone');
      },
    });
    await expect(failing).rejects.toThrow('the disk is gone');
    expect(await partition()).toEqual([[1, 2]]);
    const begun: number[] = [];
    const run = await importChainRecords(database.pool, {
      ...options,
      read: async function* (after) {
        begun.push(after);
        yield { number: 2, rows: [], co_spend: coSpend(2, 2, 3) };
      },
    });
    expect([begun, run.records]).toEqual([[1], 2]);
    expect(await partition()).toEqual([[1, 2, 3]]);
  });
});

describe('labels of who signs together', () => {
  it.each<[string, () => Promise<unknown>]>([
    ['labels first', async () => (await loadLabels(database.pool, [btc(1)]), loadCoSpends(database.pool, [coSpend(7, 1, 2)]))],
    ['labels last', async () => (await loadCoSpends(database.pool, [coSpend(7, 1, 2)]), loadLabels(database.pool, [btc(1)]))],
    [
      'a merge of two clusters',
      async () => {
        await loadCoSpends(database.pool, [coSpend(7, 2, 3)]);
        await loadCoSpends(database.pool, [coSpend(8, 1, 4, 5)]);
        await loadLabels(database.pool, [btc(1)]);
        await loadCoSpends(database.pool, [coSpend(9, 3, 4)]);
      },
    ],
  ])('count for the others as a suspicion, with the evidence: %s', async (_order, load) => {
    await load();
    const [own] = await labelsOf(1);
    expect(own).toMatchObject({ category: 'theft', confidence: 1 });
    expect(own?.via).toBeUndefined();
    const [shared, ...more] = await labelsOf(2);
    expect(more).toEqual([]);
    expect(shared).toMatchObject({ category: 'theft', confidence: 0.45, via: { address: bitcoinAddress(1), txid: coSpend(7).txid } });
    expect(await labelsOf(9)).toEqual([]);
  });

  it('make an exchange of its unlabelled addresses, and accuse none of them for one customer', async () => {
    await loadCoSpends(database.pool, [coSpend(1, 1, 2, 3)]);
    await loadLabels(database.pool, [btc(1, { category: 'exchange' }), btc(2, { category: 'scam' })]);
    expect(await labelsOf(3)).toMatchObject([{ category: 'exchange', confidence: 0.9, via: { addresses: 3 } }]);
    expect(await categoriesOf(2)).toEqual(['scam', 'exchange']);
    expect(await categoriesOf(1)).toEqual(['exchange']);
  });

  it('accuse nobody in a cluster of more than a thousand', async () => {
    await loadLabels(database.pool, [btc(1)]);
    await loadCoSpends(database.pool, [coSpend(1, ...Array.from({ length: 1_000 }, (_, n) => n + 1))]);
    expect(await categoriesOf(2)).toEqual(['theft']);
    await loadCoSpends(database.pool, [coSpend(2, 2, 1_500)]);
    expect(await categoriesOf(2)).toEqual([]);
  });

  it('hold from their start to their end, until they are ended or taken back', async () => {
    const why = { reason: 'wrong', person: 'ann' };
    await loadCoSpends(database.pool, [coSpend(1, 1, 2)]);
    await loadLabels(database.pool, [btc(1, { valid_from: '2024-01-01', source: 'one' }), btc(1, { category: 'mixer', source: 'two' })]);
    expect(await labelsOf(2, Date.parse('2023-12-31'))).toEqual([]);
    expect(await categoriesOf(2)).toEqual(['mixer']);
    await withdrawLabels(database.pool, { source: 'two' }, why, unobserved);
    expect(await categoriesOf(2)).toEqual(['theft']);
    await endLabels(
      database.pool,
      { addresses: [bitcoinAddress(1)], source: 'one', category: undefined, at: new Date('2024-02-01') },
      why,
      unobserved,
    );
    expect(await categoriesOf(2)).toEqual([]);
  });

  it('are no listing of an authority, and no list names the others', async () => {
    await loadCoSpends(database.pool, [coSpend(1, 1, 2)]);
    await loadLabels(database.pool, [btc(1, { category: 'sanctioned', source_kind: 'authority', authority: 'OFAC' })]);
    const [shared] = await labelsOf(2);
    expect(shared).toMatchObject({ category: 'sanctioned', confidence: 0.45 });
    expect(shared?.source_kind).toBeUndefined();
    const listed = await new LocalLists().find(
      database.pool,
      [1, 2].map((n) => ({ chain: 'bitcoin', address: bitcoinAddress(n) })),
    );
    expect(listed.map(({ length }) => length)).toEqual([1, 0]);
  });

  it('flag the edges of each other, whatever is loaded first', async () => {
    const paid = {
      ...transfer,
      chain: 'bitcoin',
      coin: 'BTC',
      from_address: bitcoinAddress(2),
      to_address: bitcoinAddress(9),
      txid: coSpend(5).txid,
    };
    const flags = async (): Promise<unknown> =>
      (await database.pool.query('SELECT peer_labelled FROM chain.edges WHERE peer = $1', [bitcoinAddress(2)])).rows;
    const steps = [
      () => loadTransfers(database.pool, [paid]),
      () => loadCoSpends(database.pool, [coSpend(1, 1, 2)]),
      () => loadLabels(database.pool, [btc(1)]),
    ] as const;
    for (const order of [
      [0, 1, 2],
      [0, 2, 1],
      [1, 0, 2],
      [1, 2, 0],
      [2, 0, 1],
      [2, 1, 0],
    ] as const) {
      await emptyChain(database.pool);
      for (const step of order) await steps[step]();
      expect([order, await flags()]).toEqual([order, [{ peer_labelled: true }]]);
    }
    await withdrawLabels(database.pool, { source: label.source }, { reason: 'wrong', person: 'ann' }, unobserved);
    expect(await flags()).toEqual([{ peer_labelled: false }]);
  });
});

describe('a change of labels in a cluster', () => {
  const told: string[] = [];
  const observer: ImportObserver = {
    ...unobserved,
    labelsStored: async (tx) => {
      const { rows } = await tx.query<{ address: string }>('SELECT DISTINCT address FROM pg_temp.stored_labels');
      told.push(...rows.map(({ address }) => String(numbers.get(address))).toSorted());
    },
  };
  beforeEach(() => void told.splice(0));

  it('tells of all members that gain a label by a merge, and of no others', async () => {
    await loadCoSpends(database.pool, [coSpend(1, 1, 2)], observer);
    await loadCoSpends(database.pool, [coSpend(2, 3, 4, 5)], observer);
    await loadLabels(database.pool, [btc(1)]);
    expect(told).toEqual([]);
    await loadCoSpends(database.pool, [coSpend(3, 2, 3)], observer);
    expect(told).toEqual(['3', '4', '5']);
  });

  it('tells of a large cluster once: the next label of the same claim changes nothing', async () => {
    await loadCoSpends(database.pool, [coSpend(1, 1, 2, 3)], observer);
    await loadLabels(database.pool, [btc(1, { category: 'exchange' }), btc(8, { category: 'exchange' })]);
    await loadCoSpends(database.pool, [coSpend(2, 3, 8)], observer);
    expect(told).toEqual(['8']);
  });

  it('tells of the accused whose cluster outgrows accusations', async () => {
    await loadLabels(database.pool, [btc(1)]);
    await loadCoSpends(database.pool, [coSpend(1, 1, 2)], observer);
    told.splice(0);
    await loadCoSpends(database.pool, [coSpend(2, 2, ...Array.from({ length: 1_100 }, (_, n) => n + 10))], observer);
    expect(told).toContain('1');
    expect(told).toContain('2');
  });
});
