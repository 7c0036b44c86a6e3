import type { LabelRow } from '@weir/chain-import';
import type { TestDatabase } from '@weir/postgres/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createRiskStore, listedAuthorities } from '../index.ts';
import { LocalLists } from '../sanctions/local-lists.ts';
import { address, createChainDatabase, emptyChain, label, loadLabels } from '../testing.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createChainDatabase();
});
afterAll(() => database.drop());
beforeEach(() => emptyChain(database.pool));

const of = { ...label, category: 'sanctioned', valid_from: null, confidence: 1 };
/** A public copy of the list, without ends. */
const copy: LabelRow = { ...of, name: 'Tornado', source: 'GraphSense: sdnlist.txt', source_kind: 'curated', authority: 'OFAC' };
const listing: LabelRow = { ...of, name: 'TORNADO CASH', source: 'OFAC SDN 1', source_kind: 'authority', authority: 'OFAC' };
const delisted: LabelRow = { ...listing, chain: 'bsc', valid_to: '2025-03-22' };
const [during, after] = [Date.parse('2025-03-21T12:00:00Z'), Date.parse('2025-03-22T12:00:00Z')];

const categoriesAt = async (atMs: number): Promise<string[]> =>
  ((await createRiskStore(database.pool).labelsOf('ethereum', [copy.address], atMs)).get(copy.address) ?? []).map(
    ({ category }) => category,
  );
const listedAt = async (atMs: number): Promise<number> =>
  (await new LocalLists().find(database.pool, [{ chain: 'ethereum', address: copy.address }], atMs))[0]?.length ?? 0;

describe('a copy of a listing that the authority has ended', () => {
  it.each([
    ['after', [[delisted], [copy]]],
    ['before', [[copy], [delisted]]],
    ['with', [[copy, delisted]]],
  ])('ends with it when imported %s its list, for scores and for local lists', async (_order, files) => {
    for (const rows of files) await loadLabels(database.pool, rows);
    expect(await categoriesAt(during)).toEqual(['sanctioned', 'sanctioned']);
    expect([await categoriesAt(after), await listedAt(during), await listedAt(after)]).toEqual([[], 2, 0]);
    expect(await listedAuthorities(database.pool, ['OFAC', 'EU'])).toEqual(new Set(['OFAC']));
  });

  it('ends when a later list ends it', async () => {
    await loadLabels(database.pool, [copy, { ...delisted, valid_to: null }]);
    expect(await listedAt(after)).toBe(2);
    await loadLabels(database.pool, [delisted]);
    expect(await listedAt(after)).toBe(0);
  });
});

describe('a copy of a listing stays', () => {
  it.each<[string, LabelRow[]]>([
    ['without a list of the authority', [copy]],
    ['while another listing of the address is in force', [copy, delisted, { ...listing, source: 'OFAC SDN 2' }]],
    ['when another authority has ended its own', [copy, { ...delisted, authority: 'EU' }]],
    ['when the ended listing is of another address', [copy, { ...delisted, address: address(200) }]],
    ['when the end comes from another copy', [copy, { ...delisted, source_kind: 'curated' }]],
  ])('%s', async (_case, rows) => {
    await loadLabels(database.pool, rows);
    expect(await listedAt(after)).toBeGreaterThan(0);
  });

  it('when it states no authority', async () => {
    const { authority: _, ...own } = copy;
    await loadLabels(database.pool, [own, delisted]);
    expect(await listedAt(after)).toBe(1);
  });
});
