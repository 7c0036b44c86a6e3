import type { LabelRow } from '@weir/chain-import';
import type { TestDatabase } from '@weir/postgres/testing';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { addressLabels, contradictedAddresses, createRiskStore } from '../index.ts';
import { address, createChainDatabase, emptyChain, label, loadLabels } from '../testing.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createChainDatabase();
});
afterAll(() => database.drop());
beforeEach(() => emptyChain(database.pool));

const atMs = Date.parse('2024-06-01');
const of = (n: number, ...labels: readonly Partial<LabelRow>[]): LabelRow[] =>
  labels.map((one, at) => ({ ...label, address: address(n), valid_from: null, source: `source ${at}`, ...one }));
const exchange = { category: 'Exchange', name: 'Binance' };
const crawled = { category: 'hack', name: 'Some hack', source_kind: 'crawl' } as const;

it('addresses whose labels in force contradict each other are found, by alias and in any case', async () => {
  await loadLabels(database.pool, [
    ...of(201, exchange, exchange, crawled),
    ...of(202, exchange, { category: 'sanctioned', source_kind: 'authority' }),
    ...of(203, exchange, { ...crawled, valid_to: '2024-01-01' }),
    ...of(204, exchange, { category: 'gambling' }),
    ...of(205, { ...exchange, confidence: 0.3 }, crawled),
  ]);
  const found = await contradictedAddresses(database.pool, createRiskStore(database.pool), atMs);
  expect(found.map(({ chain, address: at, contradiction }) => [chain, at, contradiction.standing])).toEqual([
    ['ethereum', address(201), 'service'],
    ['ethereum', address(202), 'accusation'],
  ]);
});

it('a contested address has the type of the claim that counts, and the names of all its labels', async () => {
  await loadLabels(database.pool, of(201, exchange, exchange, crawled));
  expect(await addressLabels(createRiskStore(database.pool), { chain: 'ethereum', address: address(201), atMs })).toEqual({
    label_list: ['Binance', 'Some hack', 'Exchange'],
    label_type: 'exchange',
  });
});
