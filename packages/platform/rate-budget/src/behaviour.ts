import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type BudgetLimits, type Lane, lanes, mostLateMs, type RateBudget } from './budget.ts';
import { dayMs, grantAgeMs, paceOf } from './pace.ts';

/** The adapter under test. The suite sets its time `now`, also backwards. */
export interface RateBudgetHarness {
  /** Opens a client of the named budget, which all clients of that name share. */
  open(name: string, limits: BudgetLimits): RateBudget;
  close(): Promise<void>;
}

export interface SetTime {
  now: number;
}

const noon = 19_700 * dayMs + dayMs / 2;
const manyADay = 2_000_000;

/** One seed for every run; WEIR_TEST_SEED sets another. */
const seed = Number(process.env['WEIR_TEST_SEED'] ?? 20_261);

/** The contract of `RateBudget` for every adapter. `runs`: cases per property. */
export function describeRateBudget(name: string, makeHarness: (time: SetTime) => Promise<RateBudgetHarness>, runs = 100): void {
  describe(`rate budget: ${name}`, () => {
    let time: SetTime;
    let harness: RateBudgetHarness;
    let opened = 0;
    beforeEach(async () => {
      time = { now: noon };
      harness = await makeHarness(time);
    });
    afterEach(() => harness.close());

    const freshName = (): string => `upstream-${opened++}`;
    const open = (limits: BudgetLimits): RateBudget => harness.open(freshName(), limits);

    /** Takes slowly enough never to wait, until rejected. */
    const takeAll = async (budget: RateBudget, lane: Lane): Promise<{ taken: number; refusedBy: string }> => {
      for (let taken = 0; ; taken++) {
        time.now += 10;
        const grant = await budget.take(lane);
        if (!grant.granted) return { taken, refusedBy: grant.window };
      }
    };
    const fast = (perDay: number): BudgetLimits => ({ perSecond: 1_000, perDay });

    test('never grants more than the limit in any sliding second, and wastes little', async () => {
      const perSecond = fc.oneof(fc.integer({ min: 1, max: 30 }), fc.constantFrom(0.4, 0.7, 2.5, 100, 101, 1_000, 1_000_000));
      const step = fc.record({
        gapMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 400 })),
        /** Sets the clock back. Only elapsed time counts. */
        backMs: fc.oneof({ weight: 20, arbitrary: fc.constant(0) }, fc.integer({ min: 1, max: 1_500 })),
        lane: fc.constantFrom(...lanes),
        most: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 2_000 })),
        lateMs: fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, fc.integer({ min: 0, max: mostLateMs })),
        obedient: fc.boolean(),
        /** Arrival, as a share of the allowed lateness; above 1 it is not known in time. Null: not sent. */
        arrives: fc.oneof(fc.constant(null), fc.double({ min: 0, max: 1.5, noNaN: true })),
        toldAfter: fc.integer({ min: 0, max: 3 }),
      });
      type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;
      const still: Step = { gapMs: 0, backMs: 0, lane: 'withdrawal', most: 1, lateMs: 0, obedient: false, arrives: null, toldAfter: 0 };
      /** A send of 391 ms arrives at 430, after the one of 401: pairs in grant order would seem to span 1,001 ms. */
      const superseded: Step[] = [
        { ...still, arrives: 0 },
        still,
        still,
        { ...still, backMs: 1 },
        { ...still, gapMs: 137 },
        { ...still, gapMs: 254, arrives: 0.9750500250000037 },
        still,
        { ...still, obedient: true, arrives: 0 },
        { ...still, gapMs: 267, arrives: 0 },
        { ...still, gapMs: 394, arrives: 0 },
        still,
        { ...still, gapMs: 369, most: 2, arrives: 0 },
      ];
      await fc.assert(
        fc.asyncProperty(perSecond, fc.array(step, { minLength: 20, maxLength: 60 }), async (limit, steps) => {
          const limits = { perSecond: limit, perDay: manyADay };
          const pace = paceOf(limits);
          const budget = open(limits);
          const grants: { at: number; sentBy: number; count: number }[] = [];
          const untold: { step: number; tell: () => Promise<void> }[] = [];
          let realMs = 0;
          let behindMs = 0;
          const pass = (ms: number): void => {
            realMs += ms;
            time.now = noon + realMs - behindMs;
          };
          pass(0);
          for (const [n, { gapMs, backMs, lane, most, lateMs, obedient, arrives, toldAfter }] of steps.entries()) {
            behindMs += backMs;
            pass(obedient ? 0 : gapMs);
            for (const each of untold.splice(0)) {
              if (each.step > n) untold.push(each);
              else await each.tell();
            }
            let grant = await budget.take(lane, most, lateMs);
            if (!grant.granted && obedient) {
              pass(grant.waitMs);
              grant = await budget.take(lane, most, lateMs);
              // Exactly on time: a second rejection would prove a wait too long.
              expect(grant.granted).toBe(true);
            }
            if (!grant.granted) continue;
            expect(grant.count).toBeGreaterThanOrEqual(1);
            expect(grant.count).toBeLessThanOrEqual(Math.min(most, 1_000));
            const { reservation, count } = grant;
            const mayTakeMs = lateMs + grantAgeMs;
            const arrivedMs = arrives === null ? null : arrives * mayTakeMs;
            const isKnown = reservation !== null && (arrivedMs === null || arrivedMs <= mayTakeMs);
            if (isKnown) untold.push({ step: n + toldAfter, tell: () => budget.settle(reservation, arrivedMs, count) });
            if (isKnown && arrivedMs === null) continue;
            const sentBy = realMs + (isKnown && arrivedMs !== null ? arrivedMs : mayTakeMs);
            grants.push({ at: realMs, sentBy, count });
          }
          // Adapters round both times to microseconds; these sums of doubles are exact to far below a nanosecond.
          const apartMs = pace.spanMs - grantAgeMs - 0.002 - 1e-6;
          for (const { sentBy: begin } of grants) {
            // A send may arrive at any time from its grant to `sentBy`, so also before an earlier grant's.
            const mayArrive = grants.filter(({ at, sentBy }) => sentBy >= begin && at < begin + apartMs);
            expect(mayArrive.reduce((sum, { count }) => sum + count, 0)).toBeLessThanOrEqual(pace.count);
          }
        }),
        { numRuns: runs, seed, examples: [[5, superseded]] },
      );
    });

    test.each([0.5, 3, 10, 1_000])('gives at least 93 % of %d/s to a taker that comes up to 9 ms late', async (perSecond) => {
      const pace = paceOf({ perSecond, perDay: manyADay });
      const budget = open({ perSecond, perDay: manyADay });
      const windows = perSecond > 100 ? 1 : 12;
      const end = noon + windows * (perSecond < 1 ? 1_000 / perSecond : 1_000);
      let grants = 0;
      for (let late = 0; time.now < end; late = (late * 7 + 5) % 10) {
        const grant = await budget.take('withdrawal');
        if (grant.granted) grants++;
        else time.now += grant.waitMs + late;
      }
      expect(grants).toBeGreaterThanOrEqual(Math.floor(0.93 * pace.count * windows));
      expect(grants).toBeLessThanOrEqual(pace.count * windows);
    });

    test('loses lateness once in N grants, not with each', async () => {
      const budget = open({ perSecond: 10, perDay: manyADay });
      const end = noon + 20_000;
      let grants = 0;
      let taken = 0;
      while (time.now < end) {
        const grant = await budget.take('deposit');
        if (grant.granted) grants++;
        // Every third is 75 ms late, 25 on average.
        else time.now += grant.waitMs + (taken++ % 3 === 0 ? 75 : 0);
      }
      expect(grants).toBeGreaterThanOrEqual(0.91 * 200);
      expect(grants).toBeLessThanOrEqual(200);
    });

    test.each([
      { perSecond: 1, atOnce: 1 },
      { perSecond: 2, atOnce: 1 },
      { perSecond: 3, atOnce: 2 },
      { perSecond: 10, atOnce: 4 },
      { perSecond: 100, atOnce: 11 },
      { perSecond: 101, atOnce: 1 },
      { perSecond: 1_000, atOnce: 10 },
      { perSecond: 1_000_000, atOnce: 1_000 },
    ])('at $perSecond/s, after a rest, $atOnce go at once at most, and nobody waits long behind them', async ({ perSecond, atOnce }) => {
      const budget = open({ perSecond, perDay: manyADay });
      const pace = paceOf({ perSecond, perDay: manyADay });
      expect(await budget.take('withdrawal', 5_000)).toMatchObject({ granted: true, count: atOnce });
      for (let waits = 0; waits < 30; ) {
        const grant = await budget.take('withdrawal', 5_000);
        if (grant.granted) continue;
        // With a log the wait exceeds the smoothing by up to 70 ms.
        expect(grant.waitMs).toBeLessThanOrEqual(Math.ceil(pace.toleranceMs + pace.intervalMs) + (pace.logged > 0 ? 70 : 0));
        time.now += grant.waitMs;
        waits++;
      }
    });

    test('grants a block in parts: what the moment allows, then what the day allows', async () => {
      const budget = open({ perSecond: 1_000, perDay: 21 });
      expect(await budget.take('deposit', 7)).toMatchObject({ granted: true, count: 7 });
      expect((await budget.remaining()).second).toBe(3);
      expect(await budget.take('deposit', 7)).toMatchObject({ granted: true, count: 3 });
      expect(await budget.take('deposit', 7)).toEqual({ granted: false, window: 'second', waitMs: 1 });
      time.now += 100;
      // A third of 21 is reserved for withdrawals.
      expect(await budget.take('deposit', 7)).toMatchObject({ granted: true, count: 4 });
      expect(await budget.take('deposit', 7)).toMatchObject({ granted: false, window: 'day' });
      expect(await budget.take('withdrawal', 7)).toMatchObject({ granted: true, count: 6 });
      expect((await budget.remaining()).day).toEqual({ withdrawal: 1, deposit: 0, rescreen: 0 });
    });

    test('takes back a block, and no more than was taken', async () => {
      const budget = open({ perSecond: 1_000, perDay: 30 });
      await budget.take('withdrawal', 2);
      await budget.take('deposit', 5);
      await budget.refund('deposit', 4);
      expect((await budget.remaining()).day.withdrawal).toBe(27);
      await budget.refund('deposit', 4);
      expect((await budget.remaining()).day.withdrawal).toBe(28);
    });

    test.each([10, 1_000])('at %d/s, what is to be sent later holds up what comes after by as much', async (perSecond) => {
      const pace = paceOf({ perSecond, perDay: manyADay });
      const budget = open({ perSecond, perDay: manyADay });
      let late = 0;
      for (; late < pace.count; late++) {
        const grant = await budget.take('deposit', 1, late === 0 ? 300 : 0);
        if (!grant.granted) time.now += grant.waitMs;
        if (!grant.granted) late--;
      }
      const grant = await budget.take('deposit');
      if (grant.granted) expect.fail('must wait');
      const at = time.now + grant.waitMs - noon;
      expect(at).toBeGreaterThanOrEqual(pace.spanMs + 300);
      expect(at).toBeLessThanOrEqual(pace.spanMs + 300 + 12);
    });

    test('what is to be sent later costs its lateness once in N grants', async () => {
      const budget = open({ perSecond: 10, perDay: manyADay });
      let grants = 0;
      while (time.now < noon + 13_500) {
        const grant = await budget.take('deposit', 1, 500);
        if (grant.granted) grants++;
        else time.now += grant.waitMs;
      }
      // Ten in 1,570 ms each.
      expect(grants).toBeGreaterThanOrEqual(84);
      expect(grants).toBeLessThanOrEqual(92);
    });

    test('refuses numbers that mean nothing', async () => {
      const budget = open({ perSecond: 1_000, perDay: 30 });
      for (const most of [0, -1, 1.5, Number.NaN]) {
        await expect(budget.take('deposit', most)).rejects.toThrow(RangeError);
        await expect(budget.refund('deposit', most)).rejects.toThrow(RangeError);
      }
      for (const lateMs of [-1, mostLateMs + 1, Number.NaN]) await expect(budget.take('deposit', 1, lateMs)).rejects.toThrow(RangeError);
      expect((await budget.remaining()).day.withdrawal).toBe(30);
    });

    test('gives a day exactly its limit, and a full one again after midnight', async () => {
      const budget = open(fast(40));
      expect(await takeAll(budget, 'withdrawal')).toEqual({ taken: 40, refusedBy: 'day' });
      const grant = await budget.take('deposit');
      expect(grant).toEqual({ granted: false, window: 'day', waitMs: noon + dayMs / 2 + 1_000 - time.now });
      time.now = noon + dayMs / 2 + 1_000;
      expect(await takeAll(budget, 'withdrawal')).toEqual({ taken: 40, refusedBy: 'day' });
    });

    test('grants nothing within a second of midnight', async () => {
      const budget = open(fast(40));
      const midnight = noon + dayMs / 2;
      time.now = midnight - 1_000;
      expect(await budget.take('deposit')).toEqual({ granted: false, window: 'second', waitMs: 2_000 });
      time.now = midnight + 999;
      expect(await budget.take('deposit')).toEqual({ granted: false, window: 'second', waitMs: 1 });
      time.now = midnight + 1_000;
      expect(await budget.take('deposit')).toMatchObject({ granted: true, count: 1 });
    });

    test('keeps a third of the day for withdrawals', async () => {
      const budget = open(fast(31));
      expect((await takeAll(budget, 'deposit')).taken).toBe(31 - 11);
      expect((await takeAll(budget, 'rescreen')).taken).toBe(0);
      expect((await budget.remaining()).day).toEqual({ withdrawal: 11, deposit: 0, rescreen: 0 });
      expect((await takeAll(budget, 'withdrawal')).taken).toBe(11);
    });

    test('frees for deposits the part of the reserve that withdrawals have used', async () => {
      const budget = open(fast(30));
      for (let i = 0; i < 6; i++) {
        time.now += 10;
        await budget.take('withdrawal');
      }
      // Of the 24 left, the reserve's 4 unused ones stay.
      expect((await budget.remaining()).day).toEqual({ withdrawal: 24, deposit: 20, rescreen: 3 });
      expect((await takeAll(budget, 'deposit')).taken).toBe(20);
      expect((await takeAll(budget, 'withdrawal')).taken).toBe(4);
    });

    test('lets re-screening use a tenth of the day at most', async () => {
      const budget = open(fast(39));
      expect(await takeAll(budget, 'rescreen')).toEqual({ taken: 3, refusedBy: 'day' });
      expect((await takeAll(budget, 'deposit')).taken).toBe(39 - 3 - 13);
    });

    test('keeps every share of the day under any mixture', async () => {
      const mixture = fc.array(fc.constantFrom(...lanes), { minLength: 60, maxLength: 60 });
      await fc.assert(
        fc.asyncProperty(mixture, fc.integer({ min: 1, max: 50 }), async (asked, perDay) => {
          time.now = noon;
          const budget = open(fast(perDay));
          const used: Record<Lane, number> = { withdrawal: 0, deposit: 0, rescreen: 0 };
          for (const lane of asked) {
            time.now += 10;
            const before = await budget.remaining();
            const { granted } = await budget.take(lane);
            expect(granted).toBe(before.day[lane] > 0);
            if (granted) used[lane]++;
          }
          expect(used.withdrawal + used.deposit + used.rescreen).toBeLessThanOrEqual(perDay);
          expect(used.deposit + used.rescreen).toBeLessThanOrEqual(perDay - Math.ceil(perDay / 3));
          expect(used.rescreen).toBeLessThanOrEqual(perDay / 10);
        }),
        { numRuns: Math.ceil(runs / 3), seed },
      );
    });

    test('still knows what was used when it is opened again', async () => {
      const upstream = freshName();
      expect((await takeAll(harness.open(upstream, fast(12)), 'deposit')).taken).toBe(8);
      const again = harness.open(upstream, fast(12));
      expect((await again.remaining()).day).toEqual({ withdrawal: 4, deposit: 0, rescreen: 0 });
      expect((await takeAll(again, 'withdrawal')).taken).toBe(4);
    });

    test('shares one budget among its clients and keeps others apart', async () => {
      const upstream = freshName();
      const limits = { perSecond: 2, perDay: 100 };
      const clients = [harness.open(upstream, limits), harness.open(upstream, limits), harness.open(upstream, limits)];
      const together = await Promise.all(clients.map((client) => client.take('deposit')));
      expect(together.filter((grant) => grant.granted)).toHaveLength(1);
      expect(await harness.open(freshName(), limits).take('deposit')).toMatchObject({ granted: true, count: 1 });
      for (const client of clients) expect((await client.remaining()).day.withdrawal).toBe(99);
    });

    test.each(['second', 'day'] as const)('grants nothing to anybody while the %s is paused', async (window) => {
      const upstream = freshName();
      const [one, two] = [harness.open(upstream, fast(100)), harness.open(upstream, fast(100))];
      await one.pause(window, 30_000);
      // A shorter pause does not end a longer one.
      await two.pause(window, 10);
      expect(await two.take('withdrawal')).toEqual({ granted: false, window, waitMs: 30_000 });
      expect(await one.remaining()).toMatchObject({ pausedUntil: time.now + 30_000, second: 0 });
      time.now += 29_999;
      expect((await two.take('withdrawal')).granted).toBe(false);
      time.now += 1;
      expect(await two.take('withdrawal')).toMatchObject({ granted: true, count: 1 });
      expect((await two.remaining()).pausedUntil).toBeNull();
    });

    test('bounds a pause, whatever the upstream says', async () => {
      const budget = open(fast(100));
      await budget.pause('second', Number.NaN);
      await budget.pause('second', -5);
      expect((await budget.remaining()).pausedUntil).toBeNull();
      await budget.pause('day', Number.POSITIVE_INFINITY);
      expect((await budget.remaining()).pausedUntil).toBe(time.now + 2 * dayMs);
    });

    test('takes back for the day what was not used, but not for the second', async () => {
      const budget = open({ perSecond: 1, perDay: 3 });
      await budget.take('deposit');
      await budget.refund('deposit');
      expect((await budget.remaining()).day).toEqual({ withdrawal: 3, deposit: 2, rescreen: 0 });
      expect(await budget.take('deposit')).toMatchObject({ granted: false, window: 'second' });
      await budget.refund('withdrawal');
      expect((await budget.remaining()).day.withdrawal).toBe(3);
    });

    test('does not credit a new day with a grant of the day before', async () => {
      const budget = open(fast(40));
      const midnight = noon + dayMs / 2;
      time.now = midnight - 2_000;
      await budget.take('deposit');
      time.now = midnight + 30_000;
      await budget.take('deposit');
      await budget.refund('deposit');
      expect((await budget.remaining()).day.withdrawal).toBe(39);
    });

    test('gives nothing more for a clock that is set back', async () => {
      const budget = open(fast(40));
      time.now = noon + dayMs / 2 + 5_000;
      expect((await takeAll(budget, 'withdrawal')).taken).toBe(40);
      for (const back of [1, 1_000, 10_000, dayMs, 3 * dayMs]) {
        time.now -= back;
        expect((await budget.take('withdrawal')).granted).toBe(false);
        await budget.refund('deposit');
      }
      const paced = open({ perSecond: 10, perDay: 100 });
      await paced.take('deposit');
      time.now -= 3_600_000;
      expect(await paced.take('deposit')).toEqual({ granted: false, window: 'second', waitMs: 3_600_000 + 100 - 300 });
    });

    test('counts as one what rounding puts at the very edge of the tolerance', async () => {
      // At 23 a second the fourth comes at the same instant, a rounding error early.
      const budget = open({ perSecond: 23, perDay: 100 });
      for (let taken = 0; taken < 4; taken++) expect(await budget.take('deposit')).toMatchObject({ granted: true, count: 1 });
      expect((await budget.take('deposit')).granted).toBe(false);
    });

    test('says how many could be taken at this moment', async () => {
      const budget = open({ perSecond: 1_000, perDay: 100 });
      expect((await budget.remaining()).second).toBe(10);
      for (let left = 9; left >= 0; left--) {
        expect((await budget.take('deposit')).granted).toBe(true);
        expect((await budget.remaining()).second).toBe(left);
      }
      expect((await budget.take('deposit')).granted).toBe(false);
    });
  });
}
