import { expect, it } from 'vitest';
import { memoryStore } from '../testing.ts';

const row = (from: string, to: string, usd: number | null, at: number) => ({
  chain: 'ethereum',
  txid: `tx${at}`,
  from,
  to,
  usd,
  at,
  position: 1,
  coin: 'ETH',
});

const store = memoryStore({
  labels: [],
  transfers: [
    row('a', 'hub', 50, 1),
    row('b', 'hub', 1, 2),
    row('c', 'hub', null, 3),
    row('hub', 'd', 7, 4),
    row('d', 'hub', 2, 5),
    row('a', 'hub', 90, 6),
    row('hub', 'hub', 1_000, 6),
  ],
});

async function hub(at: number, towards: 'past' | 'future', bounds = { largest: 9, nearest: 9 }) {
  return (await store.histories('ethereum', [{ address: 'hub', at, towards }], bounds)).get('hub');
}

it('lists both sides of an address at or before a time', async () => {
  const history = await hub(4, 'past');
  expect(history?.movements.map(({ at }) => at).toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4]);
  expect(history?.movements.find(({ at }) => at === 4)).toEqual({
    at: 4,
    tx: 'tx4',
    position: 1,
    from: 'hub',
    to: 'd',
    usd: 7,
    coin: 'ETH',
  });
  expect(history).toMatchObject({ rest: { in: { transfers: 0 }, out: { transfers: 0 } }, peers: { in: 4, out: 1 } });
});

it('lists what came later, without transfers of an address to itself', async () => {
  expect((await hub(4, 'future'))?.movements.map(({ at }) => at).toSorted((a, b) => a - b)).toEqual([4, 5, 6]);
});

it('keeps the largest and the nearest of a side, and sums the rest of its life', async () => {
  const history = await hub(5, 'past', { largest: 1, nearest: 1 });
  expect(history?.movements.map(({ at }) => at).toSorted((a, b) => a - b)).toEqual([1, 4, 5]);
  expect(history?.rest).toEqual({
    in: { usd: 91, transfers: 3, unknownTransfers: 1 },
    out: { usd: 0, transfers: 0, unknownTransfers: 0 },
  });
});

it('knows nothing of an address without transfers, and refuses more than 2,000 requests', async () => {
  const requests = (count: number) => Array.from({ length: count }, (_, i) => ({ address: `x${i}`, at: 9, towards: 'past' as const }));
  expect((await store.histories('ethereum', requests(2_000), { largest: 1, nearest: 1 })).size).toBe(0);
  await expect(store.histories('ethereum', requests(2_001), { largest: 1, nearest: 1 })).rejects.toThrow(RangeError);
});

it('lists the transfers of transactions', async () => {
  const found = await store.movementsIn('ethereum', ['tx6', 'tx9']);
  expect([...found]).toEqual([['tx6', [{ at: 6, tx: 'tx6', position: 1, from: 'a', to: 'hub', usd: 90, coin: 'ETH' }]]]);
});
