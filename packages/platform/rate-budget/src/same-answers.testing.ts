import { systemClock } from '@weir/clock';
import fc from 'fast-check';
import { expect } from 'vitest';
import type { Reservation, BudgetLimits, RateBudget } from './budget.ts';
import { type BudgetState, lanes, memoryBudget, MemoryBudgetState } from './index.ts';
import { dayMs } from './pace.ts';

/** An adapter that implements `decide` in another language. */
export interface Translation {
  readonly open: (name: string, limits: BudgetLimits, now: () => number) => RateBudget;
  /** Its stored pace; undefined before the first grant or pause. */
  readonly stored: (name: string) => Promise<Pick<BudgetState, 'tat' | 'log'> | undefined>;
}

/** Mostly small steps and takes, so most runs spend; sometimes a jump, a pause or a refund. */
const jumps = [-dayMs, -5_000, -1, 500, 60_000, dayMs / 3, dayMs];
const step = fc.record({
  gapMs: fc.oneof({ weight: 40, arbitrary: fc.integer({ min: 0, max: 150_000 }).map((us) => us / 1_000) }, fc.constantFrom(...jumps)),
  lane: fc.constantFrom(...lanes),
  act: fc.oneof(
    { weight: 15, arbitrary: fc.constant('take' as const) },
    { weight: 8, arbitrary: fc.constant('settle' as const) },
    fc.constantFrom('refund' as const, 'pauseSecond' as const, 'pauseDay' as const),
  ),
  count: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 1_200 })),
  lateMs: fc.oneof(
    { weight: 5, arbitrary: fc.constant(0) },
    fc.integer({ min: 0, max: 500_000 }).map((us) => us / 1_000),
  ),
  /** For settled grants: the arrival, and how many grants ago. */
  arrivedMs: fc.oneof(
    fc.constant(null),
    fc.integer({ min: 0, max: 60_000 }).map((us) => us / 1_000),
  ),
  ago: fc.integer({ min: 1, max: 4 }),
  other: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
});
const someLimits = fc.record({
  perSecond: fc.constantFrom(0.3, 1, 2, 7, 20, 100, 101, 300, 5_000, 1_000_000),
  perDay: fc.oneof(fc.integer({ min: 0, max: 40 }), fc.constant(10_000_000)),
});

/** Bit for bit, on random sequences. Also fails if too few grants occurred to tell. */
export async function expectSameAnswers({ open, stored }: Translation): Promise<void> {
  let names = 0;
  const grants = { single: 0, block: 0, afterBlock: 0, settled: 0 };
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 30, maxLength: 60 }),
      someLimits,
      someLimits,
      fc.integer({ min: 0, max: dayMs }),
      async (steps, limits, otherLimits, start) => {
        let now = 19_700 * dayMs + start;
        const name = `same-${names++}`;
        const state = new MemoryBudgetState();
        const clients = [limits, otherLimits].map((its) => ({
          translated: open(name, its, () => now),
          pure: memoryBudget({ clock: { ...systemClock, now: () => now }, limits: its, state }),
        }));
        let blocks = 0;
        const bookings: Reservation[] = [];
        for (const { gapMs, lane, act, count, lateMs, arrivedMs, ago, other } of steps) {
          now += gapMs;
          const { translated, pure } = clients[other ? 1 : 0]!;
          if (act === 'take') {
            const [actual, expected] = [await translated.take(lane, count, lateMs), await pure.take(lane, count, lateMs)];
            expect(actual).toEqual(expected);
            if (actual.granted) grants[actual.count > 1 ? 'block' : 'single']++;
            if (actual.granted && blocks > 0) grants.afterBlock++;
            if (actual.granted && actual.count > 1) blocks++;
            if (actual.granted && actual.reservation !== null) bookings.push(actual.reservation);
          } else if (act === 'settle') {
            const reservation = bookings.at(-ago);
            if (reservation === undefined) continue;
            const before = state.value.log;
            for (const budget of [translated, pure]) await budget.settle(reservation, arrivedMs, Math.min(count, 3));
            if (state.value.log !== before) grants.settled++;
          } else {
            for (const budget of [translated, pure]) {
              if (act === 'refund') await budget.refund(lane, count);
              else await budget.pause(act === 'pauseDay' ? 'day' : 'second', 700);
            }
          }
          expect(await translated.remaining()).toEqual(await pure.remaining());
        }
        expect((await stored(name)) ?? { tat: 0, log: [] }).toEqual({ tat: state.value.tat, log: state.value.log });
      },
    ),
    { numRuns: 60 },
  );
  expect(grants.single).toBeGreaterThan(50);
  expect(grants.block).toBeGreaterThan(50);
  expect(grants.afterBlock).toBeGreaterThan(50);
  expect(grants.settled).toBeGreaterThan(50);
}
