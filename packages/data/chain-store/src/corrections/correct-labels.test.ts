import type { LabelRow } from '@weir/chain-import';
import { ManualClock } from '@weir/clock';
import type { TestDatabase } from '@weir/postgres/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createRiskStore, endLabels, type ImportObserver, importChainRecords, UnknownImport, withdrawLabels } from '../index.ts';
import { LocalLists } from '../sanctions/local-lists.ts';
import { address, contents, createChainDatabase, emptyChain, label, loadTransfers, recordsOf, transfer, unobserved } from '../testing.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createChainDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  await emptyChain(database.pool);
  await database.pool.query('TRUNCATE chain.withdrawn_labels, chain.label_changes, chain.chain_data');
});

const why = { reason: 'the publisher took it back', person: 'ann' };
const listed: LabelRow = { ...label, category: 'sanctioned', source: 'a wrong list', valid_from: null, confidence: 1 };
const importLabels = (key: string, ...rows: readonly LabelRow[]) =>
  importChainRecords(database.pool, {
    kind: 'labels',
    key,
    name: `${key}.csv`,
    clock: new ManualClock(),
    onRejected: () => undefined,
    observer: unobserved,
    read: (after) => recordsOf(rows, after),
  });
const withdraw = (what: Parameters<typeof withdrawLabels>[1], observer: ImportObserver = unobserved) =>
  withdrawLabels(database.pool, what, why, observer);
const categoriesOf = async (of = label.address, atMs = Date.parse('2024-06-01')): Promise<string[]> =>
  ((await createRiskStore(database.pool).labelsOf('ethereum', [of], atMs)).get(of) ?? []).map(({ category }) => category);
const isListed = async (): Promise<boolean> =>
  (await new LocalLists().find(database.pool, [{ chain: 'ethereum', address: label.address }]))[0]?.length === 1;
/** Of each edge, as scores read it. */
const flags = async (): Promise<unknown> =>
  (await database.pool.query('SELECT address, peer, peer_labelled FROM chain.edges ORDER BY 1, 2')).rows;

describe('labels of a wrong list', () => {
  it('are taken back by source: lists, scores’ labels and edges are as before, and the file can be imported again', async () => {
    await loadTransfers(database.pool, [transfer]);
    await importLabels('good', { ...label, address: address(200) });
    const before = [await contents(database.pool), await flags()];
    await importLabels('wrong', listed, { ...listed, address: address(101) });
    expect([await isListed(), await categoriesOf()]).toEqual([true, ['sanctioned']]);
    expect(await withdraw({ source: 'a wrong list' })).toBe(2);
    expect([await isListed(), await categoriesOf()]).toEqual([false, []]);
    expect([await contents(database.pool), await flags()]).toEqual(before);
    expect(await importLabels('wrong', listed)).toMatchObject({ inserted: 1 });
    expect(await isListed()).toBe(true);
  });

  it('are kept with who took them back and why', async () => {
    await importLabels('wrong', listed);
    await withdraw({ source: 'a wrong list' });
    const { rows } = await database.pool.query(
      'SELECT action, scope, reason, person, labels::int FROM chain.label_changes WHERE person IS NOT NULL',
    );
    expect(rows).toEqual([{ action: 'withdraw', scope: { source: 'a wrong list' }, ...why, labels: 1 }]);
    const { rows: kept } = await database.pool.query('SELECT address, category, source FROM chain.withdrawn_labels');
    expect(kept).toEqual([{ address: label.address, category: 'sanctioned', source: 'a wrong list' }]);
    const { rows: counts } = await database.pool.query('SELECT labels::int FROM chain.chain_data');
    expect(counts).toEqual([{ labels: 0 }]);
  });

  it('are taken back by import; those that another import gave too stay', async () => {
    const shared = { ...listed, address: address(300) };
    await importLabels('aaaa1', listed, shared);
    await importLabels('bbbb1', shared);
    await expect(withdraw({ importKey: 'cccc' })).rejects.toThrow(UnknownImport);
    await expect(withdraw({ importKey: '' })).rejects.toThrow(UnknownImport);
    expect(await withdraw({ importKey: 'aaaa' })).toBe(1);
    expect([await categoriesOf(), await categoriesOf(shared.address)]).toEqual([[], ['sanctioned']]);
    expect(await withdraw({ importKey: 'bbbb' })).toBe(1);
    expect(await categoriesOf(shared.address)).toEqual([]);
  });

  it('tell the observer which labels changed, in the same transaction', async () => {
    await importLabels('wrong', listed);
    const told: unknown[] = [];
    const failing: ImportObserver = {
      ...unobserved,
      labelsStored: async (tx) => {
        told.push(...(await tx.query('SELECT chain, address, category FROM pg_temp.stored_labels')).rows);
        throw new Error('not recorded');
      },
    };
    await expect(withdraw({ source: 'a wrong list' }, failing)).rejects.toThrow('not recorded');
    expect(told).toEqual([{ chain: 'ethereum', address: label.address, category: 'sanctioned' }]);
    expect(await isListed()).toBe(true);
  });

  it('of an authority, taken back, no longer end the copies of its listings', async () => {
    const copy: LabelRow = { ...listed, source: 'a copy', source_kind: 'curated', authority: 'OFAC' };
    const delisted: LabelRow = { ...listed, source: 'OFAC', source_kind: 'authority', authority: 'OFAC', valid_to: '2024-01-01' };
    await importLabels('copy', copy);
    await importLabels('list', delisted);
    expect(await categoriesOf()).toEqual([]);
    await withdraw({ importKey: 'list' });
    expect(await categoriesOf()).toEqual(['sanctioned']);
  });
});

describe('a label that ends', () => {
  const at = new Date('2024-03-01');
  const end = (what: Partial<Parameters<typeof endLabels>[1]> = {}) =>
    endLabels(database.pool, { addresses: [label.address], source: 'a wrong list', category: undefined, at, ...what }, why, unobserved);

  it('holds before, and no more from then on', async () => {
    await importLabels('wrong', listed, { ...listed, chain: 'bsc' }, { ...listed, source: 'another list', category: 'scam' });
    expect(await end()).toBe(2);
    expect([await categoriesOf(label.address, +at - 1), await categoriesOf(label.address, +at)]).toEqual([
      ['sanctioned', 'scam'],
      ['scam'],
    ]);
    expect(await end()).toBe(0);
    const { rows } = await database.pool.query('SELECT action, person, labels::int FROM chain.label_changes WHERE person IS NOT NULL');
    expect(rows).toEqual([{ action: 'end', person: 'ann', labels: 2 }]);
  });

  it('may be one of a category', async () => {
    await importLabels('wrong', listed, { ...listed, category: 'mixer' });
    expect(await end({ category: 'mixer' })).toBe(1);
    expect(await categoriesOf()).toEqual(['sanctioned']);
  });
});
