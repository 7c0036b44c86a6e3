import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LaneScheduler, type Lane, lanes } from './index.ts';

const all = new Set(lanes);
const weights: Record<Lane, number> = { withdrawal: 0.6, deposit: 0.3, rescreen: 0.1 };

function serve(scheduler: LaneScheduler, waiting: Record<Lane, number>, sends: number, allowed: ReadonlySet<Lane> = all): Lane[] {
  const served: Lane[] = [];
  for (let i = 0; i < sends; i++) {
    const lane = scheduler.next(waiting, allowed);
    if (lane === undefined) break;
    scheduler.sent(lane);
    served.push(lane);
  }
  return served;
}
const count = (served: readonly Lane[], lane: Lane): number => served.filter((other) => other === lane).length;

test('lanes that all wait share 6 : 3 : 1, in any stretch', () => {
  const served = serve(new LaneScheduler(), { withdrawal: 9, deposit: 9, rescreen: 9 }, 1_000);
  for (const lane of lanes) expect(Math.abs(count(served, lane) - 1_000 * weights[lane])).toBeLessThanOrEqual(1);
  for (let from = 0; from + 40 <= served.length; from++) {
    const stretch = served.slice(from, from + 40);
    for (const lane of lanes) expect(Math.abs(count(stretch, lane) - 40 * weights[lane])).toBeLessThanOrEqual(2);
  }
});

test('blocks share by weight as well', () => {
  const scheduler = new LaneScheduler();
  const sends: Record<Lane, number> = { withdrawal: 0, deposit: 0, rescreen: 0 };
  for (let i = 0; i < 1_000; i++) {
    const lane = scheduler.next({ withdrawal: 9, deposit: 9, rescreen: 9 }, all)!;
    const block = 1 + (i % 40);
    scheduler.sent(lane, block);
    sends[lane] += block;
  }
  const total = sends.withdrawal + sends.deposit + sends.rescreen;
  for (const lane of lanes) expect(sends[lane] / total).toBeCloseTo(weights[lane], 1.7);
});

test('asking changes nothing until something was sent', () => {
  const scheduler = new LaneScheduler();
  const waiting = { withdrawal: 1, deposit: 1, rescreen: 1 };
  expect([1, 2, 3].map(() => scheduler.next(waiting, all))).toEqual(['withdrawal', 'withdrawal', 'withdrawal']);
  expect(new LaneScheduler().next({ withdrawal: 0, deposit: 0, rescreen: 0 }, all)).toBeUndefined();
  expect(new LaneScheduler().next(waiting, new Set(['rescreen']))).toBe('rescreen');
});

test('what a lane leaves, the others take', () => {
  expect(serve(new LaneScheduler(), { withdrawal: 0, deposit: 0, rescreen: 5 }, 5)).toEqual(Array(5).fill('rescreen'));
  const two = serve(new LaneScheduler(), { withdrawal: 5, deposit: 5, rescreen: 0 }, 90);
  expect([count(two, 'withdrawal'), count(two, 'deposit')]).toEqual([60, 30]);
});

test('a lane that was idle or denied cannot save up', () => {
  const scheduler = new LaneScheduler();
  serve(scheduler, { withdrawal: 9, deposit: 0, rescreen: 0 }, 500);
  serve(scheduler, { withdrawal: 9, deposit: 9, rescreen: 9 }, 100, new Set(['withdrawal']));
  const served = serve(scheduler, { withdrawal: 9, deposit: 9, rescreen: 9 }, 20);
  expect(count(served, 'withdrawal')).toBeGreaterThanOrEqual(11);
});

test('no lane that waits and is allowed ever starves, and the same questions get the same answers', () => {
  const step = fc.record({
    waiting: fc.record({ withdrawal: fc.nat(2), deposit: fc.nat(2), rescreen: fc.nat(2) }),
    repeat: fc.integer({ min: 1, max: 30 }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
      const [one, two] = [new LaneScheduler(), new LaneScheduler()];
      const passedOver: Record<Lane, number> = { withdrawal: 0, deposit: 0, rescreen: 0 };
      for (const { waiting, repeat } of steps) {
        for (let i = 0; i < repeat; i++) {
          const lane = one.next(waiting, all);
          expect(two.next(waiting, all)).toBe(lane);
          expect(lane === undefined).toBe(lanes.every((other) => waiting[other] === 0));
          if (lane === undefined) break;
          one.sent(lane);
          two.sent(lane);
          for (const other of lanes) {
            passedOver[other] = other === lane || waiting[other] === 0 ? 0 : passedOver[other] + 1;
            // Re-screening, the lightest, moves 10 at a time; meanwhile the others together fit in 9 sends and one tie each.
            expect(passedOver[other]).toBeLessThanOrEqual(11);
          }
        }
      }
    }),
  );
});
