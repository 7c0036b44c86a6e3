import { describe, expect, it } from 'vitest';
import { Story } from '../story.ts';
import { inTimeOrder, type Movement, type Roles } from '../movements.ts';
import { fifo, haircut, poison } from './shares.ts';
import { pagerank } from './pagerank.ts';
import { untimedHaircut } from './untimed-haircut.ts';

type Row = readonly [from: string, to: string, usd: number, at?: number];

const roles: Roles = { illicit: new Set(['thief']), services: new Set(['exchange']) };

function movementsOf(...rows: readonly Row[]): Movement[] {
  return rows.map(([from, to, usd, at], index) => ({ at: at ?? index, tx: `tx${index}`, position: index, from, to, usd, coin: 'ETH' }));
}

describe('tracing methods', () => {
  const mixed = movementsOf(['exchange', 'a', 100], ['thief', 'a', 100], ['a', 'b', 100], ['a', 'c', 100]);

  it('divide mixed money: in proportion, by order of arrival, or not at all', () => {
    const of = (trace: typeof haircut) => ['a', 'b', 'c'].map((address) => trace(mixed, roles).get(address) ?? 0);
    expect(of(untimedHaircut)).toEqual([0.5, 0.5, 0.5]);
    expect(of(haircut)).toEqual([0.5, 0.5, 0.5]);
    expect(of(fifo)).toEqual([0.5, 0, 1]);
    expect(of(poison)).toEqual([1, 1, 1]);
  });

  it('know when money came, but for the haircut without time', () => {
    const early = movementsOf(['a', 'b', 100], ['thief', 'a', 100]);
    expect([haircut, fifo, poison].map((trace) => trace(early, roles).get('b') ?? 0)).toEqual([0, 0, 0]);
    expect(untimedHaircut(early, roles).get('b')).toBe(1);
  });

  it('take money that no transfer brought for clean', () => {
    const more = movementsOf(['thief', 'a', 100], ['a', 'b', 400]);
    expect([haircut, fifo].map((trace) => trace(more, roles).get('b'))).toEqual([0.25, 0.25]);
  });

  it('are not diluted by a circle, except by order of arrival', () => {
    const rounds = Array.from({ length: 50 }, (): Row[] => [
      ['a', 'b', 200],
      ['b', 'a', 200],
    ]).flat();
    const circle = movementsOf(['thief', 'a', 100], ['exchange', 'a', 100], ...rounds, ['a', 'c', 100]);
    expect(untimedHaircut(circle, roles).get('c')).toBeCloseTo(0.5, 9);
    expect(haircut(circle, roles).get('c')).toBeCloseTo(0.5, 9);
    expect(fifo(circle, roles).get('c')).toBe(1);
  });

  it('follow nothing through a service or a thief', () => {
    const ended = movementsOf(['thief', 'exchange', 100], ['exchange', 'a', 100], ['a', 'thief', 50]);
    for (const trace of [untimedHaircut, haircut, fifo, poison]) expect(trace(ended, roles).get('a') ?? 0).toBe(0);
    expect(pagerank(ended, roles).get('a') ?? 0).toBe(0);
  });

  it('rank from the thief along the money, by value', () => {
    // r(thief) = 1 - 0.85 r(thief) while nobody else pays.
    const rank = pagerank(movementsOf(['thief', 'a', 75], ['thief', 'b', 25]), roles);
    expect(rank.get('thief')).toBeCloseTo(1 / 1.85, 9);
    expect(rank.get('a')).toBeCloseTo((0.75 * 0.85) / 1.85, 9);
    expect(rank.get('b')).toBeCloseTo((0.25 * 0.85) / 1.85, 9);
  });
});

describe('time order', () => {
  it('has who is paid before who pays, inside one time', () => {
    const chain = movementsOf(['b', 'c', 10, 5], ['a', 'b', 10, 5], ['thief', 'a', 10, 5], ['x', 'y', 1, 1]);
    expect(inTimeOrder(chain).map(({ from }) => from)).toEqual(['x', 'thief', 'a', 'b']);
    expect(haircut(chain, roles).get('c')).toBe(1);
  });

  it('ends in a circle inside one time', () => {
    expect(inTimeOrder(movementsOf(['a', 'b', 10, 5], ['b', 'a', 10, 5]))).toHaveLength(2);
  });
});

it.each([1, 2, 3])('shares are between none and all, and positive just where poison reaches (seed %i)', (seed) => {
  const story = new Story(seed);
  for (let index = 0; index < 400; index++) {
    const payer = story.random() < 0.05 ? 'thief' : story.random() < 0.1 ? 'exchange' : `a${story.whole(0, 40)}`;
    story.pay(payer, `a${story.whole(0, 40)}`, story.amount(100));
  }
  const [shares, first, reached] = [haircut, fifo, poison].map((trace) => trace(inTimeOrder(story.movements), roles));
  for (const [address, share] of shares ?? []) {
    expect(share).toBeGreaterThanOrEqual(0);
    expect(share).toBeLessThanOrEqual(1 + 1e-9);
    expect(first?.get(address)).toBeLessThanOrEqual(1 + 1e-9);
    expect(share > 0).toBe(reached?.has(address));
  }
});
