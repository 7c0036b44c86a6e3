import type { TestDatabase } from '@weir/postgres/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createRiskStore } from './store.ts';
import { createChainDatabase, loadLabels, loadTransfers } from '../testing.ts';
import { addressActions } from './actions.ts';
import { addressCounterparties } from './counterparties.ts';
import { investigate } from './investigation.ts';

const [user, exchange, nameless, peer] = ['a', 'b', 'c', 'd'].map((digit) => `0x${digit.repeat(40)}`) as [string, string, string, string];
const hash = `0x${'1'.repeat(64)}`;
const atMs = Date.UTC(2025, 0, 2);
const subject = { chain: 'ethereum', address: user, atMs } as const;

const label = (address: string, name: string, category: string) => ({
  chain: 'ethereum',
  address,
  name,
  category,
  source: 'test',
  valid_from: null,
  valid_to: null,
  confidence: 1,
});
const received = (position: number, from_address: string, more: { txid?: string; usd_value?: string } = {}) => ({
  chain: 'ethereum',
  txid: more.txid ?? null,
  position,
  from_address,
  to_address: user,
  coin: 'ETH',
  amount: '1',
  usd_value: more.usd_value ?? null,
  time: '2025-01-01T00:00:00Z',
  source: 'test',
});

let database: TestDatabase;
beforeAll(async () => {
  database = await createChainDatabase();
  const { pool } = database;
  await loadLabels(pool, [label(exchange, 'Good Exchange', 'exchange'), label(nameless, 'Unknown', 'gambling')]);
  await loadTransfers(pool, [
    ...[1, 2, 3].map((position) => received(position, exchange)),
    received(4, nameless, { txid: hash, usd_value: '1' }),
    received(5, peer, { usd_value: '1' }),
  ]);
});
afterAll(() => database.drop());

it('transfers of unknown value have a share beside one of a dollar, and are sorted by it', async () => {
  const store = createRiskStore(database.pool);
  const { received_txs: actions } = await addressActions(store, subject);
  expect(actions[0]).toMatchObject({ action: 'Exchange', count: 3 });
  expect(actions[0]?.proportion).toBeGreaterThanOrEqual(50);
  const [first] = await addressCounterparties(store, subject);
  expect(first).toMatchObject({ name: 'Good Exchange', amount: 0 });
  expect(first?.percent).toBe(actions[0]?.proportion);
});

it('a label that says Unknown is no second slice of that name', async () => {
  const slices = await addressCounterparties(createRiskStore(database.pool), subject);
  expect(slices.map(({ name, amount }) => [name, amount])).toEqual([
    ['Good Exchange', 0],
    ['Unknown', 2],
  ]);
});

it('a transfer whose source gives no hash adds none', async () => {
  const query = { ...subject, coin: 'ETH', from: new Date(0), to: new Date(atMs), type: 'all', page: 1 } as const;
  const { in: units, transactions_on_page } = await investigate(database.pool, createRiskStore(database.pool), query);
  expect(transactions_on_page).toBe(5);
  expect(Object.fromEntries(units.map((unit) => [unit.address, [unit.amount, unit.tx_hash_list]]))).toEqual({
    [exchange]: [3, []],
    [nameless]: [1, [hash]],
    [peer]: [1, []],
  });
});
