import fc from 'fast-check';
import { expect, test } from 'vitest';
import { WatermarkTracker } from './watermark.ts';

test('starts where it is told to, and moves over what is complete only', () => {
  const tracker = new WatermarkTracker(5n);
  expect(tracker.watermark).toBe(5n);
  for (const offset of [5n, 6n, 9n]) tracker.deliver(offset);
  tracker.complete(6n);
  expect(tracker.watermark).toBe(5n);
  tracker.complete(5n);
  expect(tracker.watermark).toBe(9n);
  tracker.complete(9n);
  expect(tracker.watermark).toBe(10n);
});

test('refuses an offset that was delivered or passed already', () => {
  const tracker = new WatermarkTracker(5n);
  tracker.deliver(7n);
  expect(() => tracker.deliver(7n)).toThrow(RangeError);
  expect(() => tracker.deliver(6n)).toThrow(RangeError);
});

test('is the lowest incomplete offset, whatever the order, and never goes back', () => {
  const steps = fc.array(fc.oneof(fc.record({ gap: fc.integer({ min: 1, max: 3 }) }), fc.record({ complete: fc.nat() })), {
    maxLength: 200,
  });
  fc.assert(
    fc.property(steps, (run) => {
      const tracker = new WatermarkTracker(0n);
      let last = -1n;
      let incomplete: bigint[] = [];
      let before = 0n;
      for (const step of run) {
        if ('gap' in step) {
          last += BigInt(step.gap);
          tracker.deliver(last);
          incomplete.push(last);
        } else if (incomplete.length > 0) {
          const chosen = incomplete[step.complete % incomplete.length] ?? 0n;
          tracker.complete(chosen);
          incomplete = incomplete.filter((offset) => offset !== chosen);
        }
        expect(tracker.watermark).toBe(incomplete[0] ?? last + 1n);
        expect(tracker.watermark).toBeGreaterThanOrEqual(before);
        before = tracker.watermark;
      }
    }),
  );
});
