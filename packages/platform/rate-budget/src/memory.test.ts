import { systemClock } from '@weir/clock';
import { expect, test } from 'vitest';
import { describeRateBudget } from './behaviour.ts';
import { memoryBudget, MemoryBudgetState } from './index.ts';
import { paceOf } from './pace.ts';

describeRateBudget(
  'memory',
  async (time) => {
    const states = new Map<string, MemoryBudgetState>();
    return {
      open: (name, limits) => {
        const state = states.get(name) ?? new MemoryBudgetState();
        states.set(name, state);
        return memoryBudget({ clock: { ...systemClock, now: () => time.now }, limits, state });
      },
      close: async () => undefined,
    };
  },
  300,
);

test('intervals far below what a time of today can hold are never rounded down', async () => {
  const limits = { perSecond: 1_000_000, perDay: 1_000_000 };
  const budget = memoryBudget({ clock: { ...systemClock, now: () => 1_702_123_200_000 }, limits });
  let granted = 0;
  while ((await budget.take('withdrawal')).granted) granted++;
  const { toleranceMs, intervalMs } = paceOf(limits);
  expect(granted).toBeLessThanOrEqual(1 + toleranceMs / intervalMs);
  expect(granted).toBeGreaterThan(0.8 * (toleranceMs / intervalMs));
});
