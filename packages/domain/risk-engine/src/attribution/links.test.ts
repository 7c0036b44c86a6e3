import { describe, expect, it } from 'vitest';
import { hour, move } from '../movement.testing.ts';
import type { Movement } from '../store.ts';
import { rules } from './holding.ts';
import { type Roles, sharesAt, solved } from './solve.testing.ts';

const roles: Roles = { sources: ['thief'], services: ['router', 'pool', 'exchange'] };

/** One transaction; positions rise. */
function transaction(atHour: number, legs: readonly (readonly [from: string, to: string, usd: number | null, coin: string])[]): Movement[] {
  return legs.map(([from, to, usd, coin], position) => ({
    ...move(atHour, from, to, usd),
    tx: `swap${atHour}`,
    position,
    coin,
    at: atHour * hour,
  }));
}

const share = (address: string, movements: readonly Movement[], side: 'in' | 'out' = 'in') =>
  sharesAt(address, solved(movements, roles, side));

describe('a swap', () => {
  const funded = move(0, 'thief', 'user', 100);

  it('paid out to another wallet carries the taint of the payment in', () => {
    const swap = transaction(1, [
      ['user', 'router', 100, 'ETH'],
      ['router', 's', 98, 'USDC'],
    ]);
    expect(share('s', [funded, ...swap])).toMatchObject({ mass: 1, weighted: 0.95, counted: 1 });
  });

  it('through several contracts, which pay before they are paid, is one', () => {
    const swap = transaction(1, [
      ['pool', 's', 99, 'USDC'],
      ['user', 'router', 100, 'ETH'],
      ['router', 'pool', 100, 'ETH'],
    ]);
    expect(share('s', [funded, ...swap]).mass).toBeCloseTo(1, 9);
  });

  it('back to the user is his own money and dilutes nothing', () => {
    const swap = transaction(1, [
      ['pool', 'user', 100, 'USDC'],
      ['user', 'pool', 100, 'ETH'],
    ]);
    const other = move(2, 'other', 'user', 100);
    const last = move(3, 'user', 's', 200);
    expect(share('s', [funded, ...swap, other, last]).mass).toBeCloseTo(0.5, 9);
  });

  it('at a contract without a label is linked where it changes the coin', () => {
    const swap = transaction(1, [
      ['user', 'unknown', 100, 'ETH'],
      ['unknown', 's', 98, 'USDC'],
    ]);
    const reserve = move(0, 'lp', 'unknown', 1e6, { coin: 'USDC' });
    expect(share('s', [funded, reserve, ...swap]).mass).toBe(1);
    const spent = transaction(1, [
      ['user', 'unknown', 100, 'BTC'],
      ['unknown', 's', 98, 'BTC'],
    ]);
    expect(share('s', [funded, reserve, ...spent]).mass).toBeCloseTo(100 / 1_000_100, 9);
  });

  it.each([
    ['each after the other', false],
    ['all payments in first', true],
  ])('of another user in the same transaction is not touched (%s)', (_, together) => {
    const users = Array.from({ length: 30 }, (__, index) => (index === 7 ? 'user' : `user${index}`));
    const paid = users.map((user, index) => [user, 'router', 90 + index, 'ETH'] as const);
    const got = users.map((user, index) => [`router`, together ? user : `${user} wallet`, 90 + index, 'USDC'] as const);
    const legs = together ? [...paid, ...got] : paid.flatMap((leg, index) => [leg, ...got.slice(index, index + 1)]);
    const swap = [funded, ...transaction(1, legs)];
    const suffix = together ? '' : ' wallet';
    expect(share(`user8${suffix}`, swap).mass).toBe(0);
    expect(share(`user${suffix}`, swap).mass).toBeGreaterThan(together ? 0.5 : 0.99);
  });

  it('is followed against time too', () => {
    const swap = transaction(1, [
      ['s', 'router', 100, 'ETH'],
      ['router', 'mule', 98, 'USDC'],
    ]);
    expect(share('s', [...swap, move(2, 'mule', 'thief', 98)], 'out').mass).toBeCloseTo(1, 9);
  });
});

describe('beside a coin without a price', () => {
  const funded = move(0, 'thief', 'user', 100);
  const reserve = move(0, 'lp', 'unknown', 1e6, { coin: 'USDC' });

  it('a payer without a label pays what he had, whoever gave him the coin', () => {
    const forged = transaction(1, [
      ['helper', 'user', null, 'REN'],
      ['user', 's', 100, 'USDC'],
    ]);
    expect(share('s', [funded, ...forged]).mass).toBeCloseTo(1, 9);
  });

  it('a swap at a contract without a label is linked', () => {
    const swap = transaction(1, [
      ['user', 'unknown', null, 'REN'],
      ['unknown', 's', 98, 'USDC'],
    ]);
    expect(share('s', [funded, reserve, ...swap]).mass).toBeCloseTo(1, 9);
  });

  it.each(rules)('another user of the contract has nothing of a thief (%s)', (rule) => {
    const swaps = ['user', 'other'].flatMap((user, index) =>
      transaction(1 + index, [
        [user, 'unknown', null, 'REN'],
        ['unknown', user === 'user' ? user : 's', 98, 'USDC'],
      ]),
    );
    expect(sharesAt('s', solved([funded, reserve, ...swaps], roles, 'in', rule)).mass).toBe(0);
  });

  it('a payout by a service to another wallet is linked to all that was paid in', () => {
    const swap = transaction(1, [
      ['user', 'router', 100, 'ETH'],
      ['router', 'user', null, 'REN'],
      ['helper', 'router', 1, 'ETH'],
      ['router', 's', 98, 'USDC'],
    ]);
    expect(share('s', [funded, ...swap]).mass).toBeCloseTo(100 / 101, 9);
  });

  it('a payout that is certainly larger than what came in is so', () => {
    const payout = transaction(1, [
      ['user', 'exchange', 100, 'ETH'],
      ['exchange', 's', 500, 'ETH'],
      ['exchange', 's', null, 'REN'],
    ]);
    expect(share('s', [move(0, 'thief', 'user', 100), ...payout]).mass).toBeCloseTo(0.2, 9);
  });
});

it('a payout that is larger than what came in has the rest from the service', () => {
  const payout = transaction(1, [
    ['user', 'exchange', 100, 'ETH'],
    ['exchange', 's', 500, 'ETH'],
  ]);
  expect(share('s', [move(0, 'thief', 'user', 100), ...payout]).mass).toBeCloseTo(0.2, 9);
});

it('the rest of a payment that partly passed through stays at the service', () => {
  const deposit = transaction(1, [
    ['user', 'router', 100, 'ETH'],
    ['router', 's', 20, 'USDC'],
  ]);
  const back = move(2, 'router', 'user', 80, { coin: 'ETH' });
  const { payments, carried } = solved([move(0, 'thief', 'user', 100), ...deposit, back], roles);
  expect(carried[payments.findIndex(({ usd }) => usd === 80)]).toMatchObject({ returned: 80 });
});

it('a swap whose legs are worth nothing leaves sums that can be added', () => {
  const swap = transaction(1, [
    ['user', 'router', 0, 'ETH'],
    ['router', 'user', 0, 'USDC'],
  ]);
  const found = share('user', [move(0, 'thief', 'user', 100), ...swap, move(2, 'router', 'user', 100)]);
  expect(found).toMatchObject({ mass: 0.5, returned: 0 });
});
