import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { label } from '../graph.testing.ts';
import { move, moves, movementsArb, type Row, seed } from '../movement.testing.ts';
import type { Movement, RiskStore } from '../store.ts';
import { type LabelRow, memoryStore } from '../testing.ts';
import { attribution } from '../weights.ts';
import { createLookup } from './lookup.ts';
import { traceReceipts } from './receipts.ts';
import { readLife } from './select.ts';
import { usdOf } from './taint.ts';

const named: Readonly<Record<string, string>> = { thief: 'theft', exchange: 'exchange', router: 'defi' };

function storeOf(movements: readonly Movement[], draw_key?: string): { store: RiskStore; calls: number[] } {
  const addresses = new Set(movements.flatMap(({ from, to }) => [from, to]));
  const labels = [...addresses].flatMap((address): LabelRow[] =>
    named[address] === undefined ? [] : [{ chain: 'c', address, valid_from: null, valid_to: null, ...label(named[address]) }],
  );
  const store = memoryStore({
    labels,
    transfers: movements.map(({ tx, ...rest }) => ({ chain: 'c', txid: tx, ...rest })),
    ...(draw_key !== undefined && { draw_key }),
  });
  const calls: number[] = [];
  return {
    calls,
    store: {
      ...store,
      async histories(chain, requests, bounds) {
        calls.push(requests.length);
        return store.histories(chain, requests, bounds);
      },
    },
  };
}

/** Shares of theft and of what was not read. */
async function traced(
  movements: readonly Movement[],
  limits: Partial<typeof attribution> = {},
  side: 'in' | 'out' = 'in',
  drawKey?: string,
) {
  const { store, calls } = storeOf(movements, drawKey);
  const lookup = createLookup(store, 'c', 0);
  const [found] = await traceReceipts(lookup, await readLife(lookup, 's'), side, { ...attribution, ...limits });
  const total = found.receipts.reduce((sum, { payment }) => sum + payment.usd, 0);
  const share = (tag: number): number => found.receipts.reduce((sum, { taint }) => sum + usdOf(taint, 'mass', tag), 0) / total;
  return { theft: found.sources.length > 0 ? share(0) : 0, unread: share(found.tags.unread), addresses: found.addresses, calls, found };
}

function line(...addresses: readonly string[]): Row[] {
  return addresses.slice(1).map((to, index): Row => [addresses[index] ?? '', to, 100]);
}

describe('reading what matters', () => {
  it.each([1, 8, 40])('follows a line of %i addresses to its source', async (hops) => {
    const mules = Array.from({ length: hops }, (_, index) => `m${index}`);
    expect(await traced(moves(line('thief', ...mules, 's')))).toMatchObject({ theft: 1, unread: 0, addresses: hops + 1 });
    expect(await traced(moves(line('s', ...mules, 'thief')), {}, 'out')).toMatchObject({ theft: 1, unread: 0 });
  });

  it('reads the largest first, and says what it left', async () => {
    const rows: Row[] = [...line('thief', 'small'), ['exchange', 'large', 900], ['small', 's', 100], ['large', 's', 900]];
    expect(await traced(moves(rows), { most_addresses: 2 })).toMatchObject({ theft: 0, unread: 0.1 });
    expect(await traced(moves(rows))).toMatchObject({ theft: 0.1, unread: 0 });
  });

  it('leaves what is below the least importance, but for a sample of the payers', async () => {
    const small = (count: number): Row[] => Array.from({ length: count }, (_, i): Row[] => line('thief', `m${i}`, 's')).flat();
    const left = async (count: number): Promise<number> => {
      const { unread } = await traced(moves([...small(count), ['exchange', 's', 1_000_000 - 100 * count]]));
      return Math.round(unread * 10_000);
    };
    expect([await left(1), await left(16), await left(100)]).toEqual([0, 0, 84]);
    expect((await traced(moves([...small(1), ['exchange', 's', 999_900]]), { sampled_addresses: 0 })).unread).toBeCloseTo(0.0001, 12);
  });

  it('follows the sample along lines of fresh wallets, and not where they part', async () => {
    const lines = Array.from({ length: 100 }, (_, i): Row[] => line('thief', `a${i}`, `b${i}`, `c${i}`, 's')).flat();
    const own: Row = ['exchange', 's', 990_000];
    const { found, calls } = await traced(moves([...lines, own]));
    expect([found.sample.size, calls]).toEqual([16, [1, 16, 16, 16]]);
    const parting = Array.from({ length: 100 }, (_, i): Row[] => [...line('thief', `a${i}`, 'c'), ...line('c', `d${i}`, 's')]).flat();
    expect((await traced(moves([...parting, own]))).calls).toEqual([1, 16, 1]);
  });

  it('draws the sample by what its payers brought', async () => {
    const payers = (name: string, count: number, usd: number): Row[] =>
      Array.from({ length: count }, (_, i): Row[] => [
        ['exchange', `${name}${i}`, usd],
        [`${name}${i}`, 's', usd],
      ]).flat();
    const rows: Row[] = [...payers('many', 3_000, 1), ...payers('few', 30, 100), ['exchange', 's', 1_000_000]];
    for (const key of ['a', 'b', 'c']) {
      const { found } = await traced(moves(rows), {}, 'in', key);
      const few = [...found.sample].filter((payer) => payer.startsWith('few')).length;
      expect([found.sample.size, few >= 6 && few <= 10]).toEqual([16, true]);
    }
  });

  it('draws others where the key is another, and the same where it is the same', async () => {
    const payers = Array.from({ length: 1_000 }, (_, i): Row[] => line('exchange', `m${i}`, 's')).flat();
    const drawn = async (key: string): Promise<string[]> =>
      [...(await traced(moves([...payers, ['exchange', 's', 99_000_000]]), {}, 'in', key)).found.sample].toSorted();
    const [one, again, other] = [await drawn('a'), await drawn('a'), await drawn('b')];
    expect(again).toEqual(one);
    expect(other.filter((payer) => one.includes(payer)).length).toBeLessThan(one.length / 2);
  });

  it('takes many addresses in few rounds, and no service or source', async () => {
    const rows: Row[] = Array.from({ length: 100 }, (_, i): Row[] => [
      ['exchange', `m${i}`, 9],
      ['thief', `m${i}`, 1],
      [`m${i}`, 's', 10],
    ]).flat();
    const { theft, unread, calls } = await traced(moves(rows));
    expect([theft, unread, calls]).toEqual([expect.closeTo(0.1, 9), 0, [1, 32, 32, 32, 4]]);
  });

  it.each([900, 2_000])('reads many small ones where they are most of the side (%i mules)', async (count) => {
    const rows: Row[] = Array.from({ length: count }, (_, i): Row[] => [
      ['thief', `m${i}`, 1],
      [`m${i}`, 's', 1],
    ]).flat();
    const { theft, unread, calls } = await traced(moves(rows));
    expect(theft + unread).toBeCloseTo(1, 9);
    expect(unread).toBeCloseTo(count === 900 ? 0.17 : 0.5, 1);
    expect(calls.length).toBeLessThanOrEqual(5);
  });

  it('reads no more small ones than the limit of the unread part needs', async () => {
    const rows: Row[] = Array.from({ length: 300 }, (_, i): Row[] => [
      ['thief', `m${i}`, 1],
      [`m${i}`, 's', 1],
    ]).flat();
    const { theft, unread, calls } = await traced(moves([...rows, ['exchange', 's', 700]]), { sampled_addresses: 0 });
    expect([theft, unread]).toEqual([expect.closeTo(0.1, 2), expect.closeTo(0.2, 2)]);
    expect(calls).toEqual([1, Math.round(1_000 * theft)]);
  });

  it('reads small payers of a payer who brought much, at any part of the side, until little is in doubt', async () => {
    const customers = Array.from({ length: 100 }, (_, i): Row[] => line('exchange', `c${i}`, 'shop')).flat();
    const read = async (own: number): Promise<number> => {
      const rows: Row[] = [...customers, ['shop', 's', 40_000], ['exchange', 's', own]];
      return (await traced(moves(rows), { most_addresses: 900 })).unread * (40_000 + own);
    };
    // 40,000 of 2,000,000 USD: less than a quarter.
    expect(await read(1_960_000)).toBeLessThanOrEqual(5_000);
  });

  it('lists an address by the part of the side that it brought', async () => {
    const listed = async (share: number): Promise<number> => {
      const paid = Array.from({ length: 1_000 }, (_, i): Movement => move(i, `c${i}`, 'hub', share));
      const { found } = await traced([...paid, move(2_000, 'hub', 's', 1_000 * share), move(2_001, 'exchange', 's', 1_000 * (1 - share))]);
      return found.transfers - 2;
    };
    expect([await listed(0.01), await listed(0.5)]).toEqual([100, 500]);
  });

  it('reads an address again that paid later than was known', async () => {
    const rows: Row[] = [
      ['x', 'm', 100],
      ['m', 's', 100],
      ['thief', 'm', 100],
      ['m', 'n', 100],
      ['n', 's', 100],
    ];
    expect((await traced(moves(rows))).theft).toBe(0.5);
  });

  it('costs a bounded number of rows at a hub, and counts the rest as unread', async () => {
    const many = Array.from({ length: 20_000 }, (_, i): Movement => move(i, `c${i}`, 'hub', 10));
    const { found, unread } = await traced([...many, move(20_001, 'hub', 's', 10)]);
    expect(unread).toBeGreaterThan(0.95);
    expect(found.transfers).toBeLessThanOrEqual(attribution.largest_transfers + attribution.nearest_transfers + 1);
  });

  it('finds the payment behind a swap, whose contract it does not read', async () => {
    const swap = (from: string, to: string, coin: string, position: number): Movement => ({
      ...move(5, from, to, 100),
      tx: 'swap',
      coin,
      position,
    });
    const rows = [move(0, 'thief', 'user', 100), swap('user', 'router', 'ETH', 0), swap('router', 's', 'USDC', 1)];
    expect(await traced(rows)).toMatchObject({ theft: 1, unread: 0 });
    const longer = [...rows.slice(0, 2), swap('router', 'm', 'USDC', 1), move(6, 'm', 's', 100)];
    expect(await traced(longer)).toMatchObject({ theft: 1, unread: 0 });
  });
});

describe('for all transfers and limits', () => {
  const addresses = ['thief', 'exchange', 's', 'a', 'b', 'c', 'd', 'e'];

  it.each(['in', 'out'] as const)('the share of a full reading lies between what was found and that plus the unread (%s)', async (side) => {
    await fc.assert(
      fc.asyncProperty(movementsArb(addresses, 40), fc.integer({ min: 1, max: 5 }), async (movements, most_addresses) => {
        const full = await traced(movements, { least_importance: 0 }, side);
        const part = await traced(movements, { most_addresses, addresses_per_round: 1, least_importance: 0 }, side);
        fc.pre(full.found.receipts.length > 0);
        expect(full.theft).toBeLessThanOrEqual(part.theft + part.unread + 1e-9);
        expect(full.unread).toBeCloseTo(0, 9);
      }),
      { seed, numRuns: 300 },
    );
  });
});
