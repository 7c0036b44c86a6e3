import type { TestDatabase } from '@weir/postgres/testing';
import { memoryStore } from '@weir/risk-engine/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createRiskStore } from '../index.ts';
import { address, createChainDatabase, loadTransfers, transfer, txid } from '../testing.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createChainDatabase();
});
afterAll(() => database.drop());

const start = Date.UTC(2024, 0, 1);
const who = (n: number): string => address(n + 10);
const nobody = `0x${'0'.repeat(40)}`;
const vault = who(50);

const row = (n: number, from: string, to: string, coin = vault) => ({
  ...transfer,
  txid: txid(n),
  position: 1,
  from_address: from,
  to_address: to,
  coin,
  amount: '1',
  usd_value: null,
  time: new Date(start + n * 1_000).toISOString(),
});

const rows = [
  row(1, nobody, who(1)),
  row(2, who(1), who(2)),
  row(3, who(2), nobody),
  row(4, who(1), who(2), 'ETH'),
  row(5, who(2), who(2)),
  ...Array.from({ length: 25 }, (_, n) => row(10 + n, who(3), who(4))),
];
const holdings = [
  { address: who(2), coin: vault, at: start + 3_000 },
  { address: who(1), coin: vault, at: start + 500 },
  { address: who(1), coin: vault, at: start + 1_000 },
  { address: who(4), coin: vault, at: start + 99_000 },
];

it('shares of a vault are those of the store in memory: minted, burnt, and the last that each address received', async () => {
  await loadTransfers(database.pool, rows);
  const store = createRiskStore(database.pool);
  const inMemory = memoryStore({
    labels: [],
    transfers: rows.map(({ txid: tx, from_address, to_address, coin, time }) => ({
      chain: 'ethereum',
      txid: tx,
      from: from_address === nobody ? null : from_address,
      to: to_address === nobody ? null : to_address,
      usd: null,
      at: Date.parse(time),
      coin,
    })),
  });
  const txids = rows.map((each) => each.txid);
  const minted = await store.mintsIn('ethereum', txids);
  expect(new Set(minted)).toEqual(new Set(await inMemory.mintsIn('ethereum', txids)));
  expect(minted.map(({ from, to }) => [from, to])).toEqual(
    expect.arrayContaining([
      [null, who(1)],
      [who(2), null],
    ]),
  );
  const received = await store.receiptsOf('ethereum', holdings);
  expect(new Set(received)).toEqual(new Set(await inMemory.receiptsOf('ethereum', holdings)));
  expect(received).toHaveLength(1 + 0 + 1 + 20);
  expect([await store.mintsIn('ethereum', []), await store.receiptsOf('nowhere', holdings)]).toEqual([[], []]);
  const many = Array.from({ length: 2_001 }, () => txid(1));
  await expect(store.mintsIn('ethereum', many)).rejects.toThrow(RangeError);
  await expect(
    store.receiptsOf(
      'ethereum',
      many.map((each) => ({ address: each, coin: vault, at: 0 })),
    ),
  ).rejects.toThrow(RangeError);
});
