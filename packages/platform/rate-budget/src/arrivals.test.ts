import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Answers } from './answers.ts';
import { type Reservation, lanes } from './index.ts';
import { askOf, type BudgetState, decide, emptyState, settle, settledTimestamp } from './decide.ts';
import { dayMs, grantAgeMs } from './pace.ts';

/** The jitter of arrivals plus the differences between replicas, as ADR 0012 assumes. */
const unevenMs = 30;
const replicas = 3;

const fate = fc.record({
  replica: fc.nat({ max: replicas - 1 }),
  lane: fc.constantFrom(...lanes),
  most: fc.integer({ min: 1, max: 4 }),
  lateMs: fc.oneof({ weight: 9, arbitrary: fc.constant(0) }, fc.integer({ min: 1, max: 500 })),
  restMs: fc.oneof({ weight: 9, arbitrary: fc.constant(0) }, fc.integer({ min: 1, max: 1_500 })),
  thereMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 30 })),
  backMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 30 })),
  // The worst case: one send arrives as late as allowed, and a later one at once.
  unevenMs: fc.oneof(fc.constantFrom(0, unevenMs), fc.integer({ min: 0, max: unevenMs })),
  /** The upstream's time to answer after it counted. */
  answerMs: fc.oneof(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 0, max: 3_000 })),
  /** The delay of messages to the budget. */
  toldMs: fc.oneof({ weight: 4, arbitrary: fc.integer({ min: 0, max: 5 }) }, fc.integer({ min: 0, max: 3_000 })),
  end: fc.oneof({ weight: 6, arbitrary: fc.constant('answered' as const) }, fc.constantFrom('unheard' as const, 'unused' as const)),
});

type Fate = typeof fate extends fc.Arbitrary<infer F> ? F : never;

/** Arrivals that the upstream counts for these grants. `heldUpMs`: the delay of all calls at a time. */
function arrivalsOf(perSecond: number, fates: readonly Fate[], heldUpMs: (afterMs: number) => number = () => 0): number[] {
  const limits = { perSecond, perDay: 1_000_000 };
  let state: BudgetState = emptyState;
  const arrivals: number[] = [];
  const answers = Array.from({ length: replicas }, () => new Answers());
  const due: { at: number; run: () => void }[] = [];
  const later = (at: number, run: () => void): void => void due.push({ at, run });
  const begin = 19_700 * dayMs + dayMs / 2;
  const tell = (at: number, reservation: Reservation, to: number | null, count: number): void =>
    later(at, () => {
      state = settle(state, reservation, settledTimestamp(reservation, to), count);
    });
  const queues = answers.map((_, replica) => fates.filter((each) => each.replica === replica));
  const ask = (replica: number, askedAt: number): void => {
    const next = queues[replica]?.[0];
    if (next === undefined) return;
    const decidedAt = askedAt + next.thereMs;
    later(decidedAt, () => {
      const decided = decide(state, askOf(next.lane, next.most, next.lateMs), decidedAt, limits);
      state = decided.state;
      const { grant } = decided;
      const heardAt = decidedAt + next.backMs;
      if (!grant.granted) return later(heardAt, () => ask(replica, heardAt + grant.waitMs));
      queues[replica]?.shift();
      later(heardAt, () => ask(replica, heardAt + next.restMs));
      const { reservation, count } = grant;
      if (reservation === null) throw new Error('moments are kept up to 100 a second');
      if (next.end === 'unused' || heardAt - askedAt > grantAgeMs + next.lateMs)
        return tell(heardAt + next.toldMs, reservation, null, count);
      // As late as allowed, or at once.
      const sentAt = next.end === 'unheard' || next.answerMs % 2 === 0 ? askedAt + grantAgeMs + next.lateMs : heardAt;
      for (let n = 0; n < count; n++) {
        const arrivedAt = sentAt + next.unevenMs + heldUpMs(sentAt - begin);
        arrivals.push(arrivedAt);
        const answeredAt = arrivedAt + next.answerMs;
        if (next.end === 'answered') {
          later(answeredAt, () => {
            const delayMs = answers[replica]?.delayOf(answeredAt - sentAt) ?? 0;
            tell(answeredAt + next.toldMs, reservation, sentAt - askedAt + delayMs, 1);
          });
        }
      }
    });
  };
  for (const replica of answers.keys()) ask(replica, begin + replica);
  for (let events = 0; due.length > 0 && events < 50_000; events++) {
    let first = 0;
    for (let i = 1; i < due.length; i++) if (due[i]!.at < due[first]!.at) first = i;
    due.splice(first, 1)[0]!.run();
  }
  return arrivals.sort((a, b) => a - b);
}

test('whatever becomes of grants, and is told of them or not, N + 1 arrivals span a second', () => {
  let counted = 0;
  fc.assert(
    fc.property(
      fc.constantFrom(0.5, 1, 2, 5, 10, 20, 50, 100),
      fc.array(fate, { minLength: 60, maxLength: 400, size: 'max' }),
      (perSecond, fates) => {
        const arrivals = arrivalsOf(perSecond, fates);
        counted += arrivals.length;
        const count = Math.max(1, perSecond);
        const windowMs = Math.max(1_000, 1_000 / perSecond);
        const shortestMs = Math.min(...arrivals.slice(count).map((at, i) => at - arrivals[i]!));
        expect(shortestMs).toBeGreaterThanOrEqual(windowMs);
      },
    ),
    { numRuns: 300 },
  );
  expect(counted).toBeGreaterThan(10_000);
});

test('calls that are all held up for half a minute do not arrive among those that come after', () => {
  const each: Fate = {
    replica: 0,
    lane: 'withdrawal',
    most: 1,
    lateMs: 0,
    restMs: 0,
    thereMs: 1,
    backMs: 1,
    unevenMs: 0,
    answerMs: 1,
    toldMs: 1,
    end: 'answered',
  };
  const fates = Array.from({ length: 800 }, () => each);
  const arrivals = arrivalsOf(10, fates, (afterMs) => (afterMs > 20_000 && afterMs < 50_000 ? 300 : 0));
  expect(arrivals).toHaveLength(800);
  const shortestMs = Math.min(...arrivals.slice(10).map((at, i) => at - arrivals[i]!));
  expect(shortestMs).toBeGreaterThanOrEqual(1_000);
});
