import type { LabelRow } from '@weir/chain-import';
import { ManualClock } from '@weir/clock';
import type { TestDatabase } from '@weir/postgres/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createRiskStore, importChainRecords, type Snapshot, TooManyRemovals } from '../index.ts';
import { address as numbered, createChainDatabase, emptyChain, label, recordsOf, unobserved } from '../testing.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createChainDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  await emptyChain(database.pool);
  await database.pool.query('TRUNCATE chain.label_changes');
});

/** The first addresses of a chain belong to nobody. */
const address = (n: number): string => numbered(n + 200);
const clock = new ManualClock(Date.parse('2024-06-01'));
const list = (...numbers: readonly number[]): LabelRow[] => numbers.map((n) => ({ ...label, address: address(n), source: 'a list' }));

interface Options extends Snapshot {
  readonly key?: string;
  readonly observer?: typeof unobserved;
  /** The source fails after this many rows. */
  readonly failAfter?: number;
}

function take(rows: readonly LabelRow[], { key = 'key', observer = unobserved, failAfter, ...snapshot }: Options = {}) {
  return importChainRecords(database.pool, {
    kind: 'labels',
    key,
    name: `${key}.csv`,
    clock,
    onRejected: () => undefined,
    observer,
    snapshot,
    read: async function* (after) {
      for await (const record of recordsOf(rows, after)) {
        if (record.number > (failAfter ?? Number.POSITIVE_INFINITY)) throw new Error('cut off');
        yield record;
      }
    },
  });
}

/** The numbers of the addresses with a label. */
async function held(at = '2024-07-01', most = 20): Promise<number[]> {
  const numbers = Array.from({ length: most }, (_, n) => n + 1);
  const found = await createRiskStore(database.pool).labelsOf('ethereum', numbers.map(address), Date.parse(at));
  return numbers.filter((n) => found.has(address(n)));
}

describe('a snapshot', () => {
  it('ends the labels of its sources that it no longer has, from its time on, and a row that comes back holds again', async () => {
    await take([...list(1, 2, 3, 4, 5, 6), { ...label, address: address(9), source: 'another' }], { key: 'both' });
    expect(await take(list(1, 2, 3, 4, 5), { key: 'fewer', asOf: new Date('2024-05-01') })).toMatchObject({ inserted: 0, ended: 1 });
    expect([await held(), await held('2024-04-30')]).toEqual([
      [1, 2, 3, 4, 5, 9],
      [1, 2, 3, 4, 5, 6, 9],
    ]);
    expect(await take(list(1, 2, 3, 4, 5, 6), { key: 'all' })).toMatchObject({ inserted: 1, ended: 0 });
    expect(await held()).toEqual([1, 2, 3, 4, 5, 6, 9]);
  });

  it('is taken again though the same file was imported before, because another may have come between', async () => {
    await take(list(1, 2, 3, 4, 5), { key: 'one' });
    await take(list(1, 2, 3, 4, 6), { key: 'other' });
    expect(await held()).toEqual([1, 2, 3, 4, 6]);
    expect(await take(list(1, 2, 3, 4, 5), { key: 'one' })).toMatchObject({ records: 5, inserted: 1, unchanged: 4, ended: 1 });
    expect(await held()).toEqual([1, 2, 3, 4, 5]);
    expect(await take(list(1, 2, 3, 4, 5), { key: 'one' })).toMatchObject({ inserted: 0, unchanged: 5, ended: 0 });
  });

  it('that would end more than a fifth ends none, until that many are allowed', async () => {
    await take(list(1, 2, 3, 4, 5, 6, 7, 8, 9, 10), { key: 'whole' });
    await expect(take(list(1, 2, 3, 4, 5, 6, 7), { key: 'part' })).rejects.toThrow(TooManyRemovals);
    await expect(take(list(1, 2, 3, 4, 5, 6, 7), { key: 'part' })).rejects.toThrow(
      '3 of 10 labels of these sources are not in the file, and 2 may end; is the file whole? If so: --allow-removals 3',
    );
    expect(await held()).toHaveLength(10);
    await expect(take(list(1, 2, 3, 4, 5, 6, 7), { key: 'part', allowRemovals: 2 })).rejects.toThrow(TooManyRemovals);
    expect(await take(list(1, 2, 3, 4, 5, 6, 7), { key: 'part', allowRemovals: 3 })).toMatchObject({ ended: 3 });
    expect(await held()).toHaveLength(7);
  });

  it('that was cut off ends nothing until the same import has read it whole', async () => {
    await take(list(1, 2, 3, 4, 5, 6), { key: 'before' });
    const after = list(6, 1, 2, 3, 4, 7);
    await expect(take(after, { key: 'after', failAfter: 3 })).rejects.toThrow('cut off');
    expect(await held()).toEqual([1, 2, 3, 4, 5, 6]);
    expect(await take(after, { key: 'after' })).toMatchObject({ records: 6, ended: 1 });
    expect(await held()).toEqual([1, 2, 3, 4, 6, 7]);
  });

  it('of an authority’s list ends the listings of sources that left it whole, and copies of them', async () => {
    const listing = (n: number, row: Partial<LabelRow> = {}): LabelRow => ({
      ...label,
      address: address(n),
      category: 'sanctioned',
      source: `OFAC SDN ${n}`,
      source_kind: 'authority',
      authority: 'OFAC',
      ...row,
    });
    await take(
      [1, 2, 3, 4, 5, 6].map((n) => listing(n)),
      { key: 'list' },
    );
    const copies = [5, 6].map((n) => listing(n, { source: 'a copy', source_kind: 'curated' }));
    await importChainRecords(database.pool, {
      kind: 'labels',
      key: 'copies',
      name: 'copies.csv',
      clock,
      onRejected: () => undefined,
      observer: unobserved,
      read: (after) => recordsOf(copies, after),
    });
    expect(
      await take(
        [1, 2, 3, 4, 5].map((n) => listing(n)),
        { key: 'shorter' },
      ),
    ).toMatchObject({ ended: 1 });
    expect(await held()).toEqual([1, 2, 3, 4, 5]);
  });

  it('tells scores of the labels that ended, and is written down with their number', async () => {
    await take(list(1, 2, 3, 4, 5), { key: 'before' });
    const seen: unknown[] = [];
    const observer = {
      ...unobserved,
      labelsStored: async (tx: Parameters<typeof unobserved.labelsStored>[0]) => {
        seen.push(...(await tx.query('SELECT address FROM pg_temp.stored_labels')).rows);
      },
    };
    await take(list(1, 2, 3, 4), { key: 'after', observer });
    expect(seen).toEqual([{ address: address(5) }]);
    const { rows } = await database.pool.query('SELECT action, scope, person, labels::int FROM chain.label_changes ORDER BY id');
    expect(rows).toEqual([
      { action: 'import', scope: { importKey: 'before', name: 'before.csv' }, person: null, labels: 5 },
      { action: 'import', scope: { importKey: 'after', name: 'after.csv' }, person: null, labels: 0 },
      {
        action: 'snapshot',
        scope: { importKey: 'after', name: 'after.csv', at: '2024-06-01T00:00:00.000Z' },
        person: null,
        labels: 1,
      },
    ]);
  });
});
