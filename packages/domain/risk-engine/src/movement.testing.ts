import fc from 'fast-check';
import type { Movement } from './store.ts';

/** Printed with a failure, so that it can be repeated. */
export const seed = 20_260_901;

export const hour = 3_600_000;

/** One each hour, each in a transaction of its own, unless `more` says otherwise. */
export function move(index: number, from: string, to: string, usd: number | null, more: Partial<Movement> = {}): Movement {
  return { at: index * hour, tx: `tx${index}`, position: 0, from, to, usd, coin: 'ETH', ...more };
}

/** `[from, to, usd]` or, with a time in hours, `[from, to, usd, hour]`. */
export type Row = readonly [from: string, to: string, usd: number | null, atHour?: number];

export function moves(rows: readonly Row[]): Movement[] {
  return rows.map(([from, to, usd, atHour], index) => move(index, from, to, usd, { at: (atHour ?? index) * hour }));
}

/** Payments among few addresses, with few different times, so that circles and equal times are common. */
export function movementsArb(addresses: readonly string[], maxLength: number, times = 12): fc.Arbitrary<Movement[]> {
  const address = fc.constantFrom(...addresses);
  const row = fc.tuple(address, address, fc.integer({ min: 1, max: 1_000 }), fc.nat({ max: times - 1 }));
  return fc
    .array(row, { maxLength })
    .map((rows) =>
      rows.filter(([from, to]) => from !== to).map(([from, to, usd, at], index) => move(index, from, to, usd, { at: at * hour })),
    );
}
