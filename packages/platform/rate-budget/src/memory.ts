import type { Clock } from '@weir/clock';
import type { BudgetLimits, RateBudget } from './budget.ts';
import { askOf, type BudgetState, decide, emptyState, refund, pause, remaining, settle, settledTimestamp, wholeFrom1 } from './decide.ts';
import { paceOf } from './pace.ts';

/** State shared by budgets of one process; survives reopening a budget. */
export class MemoryBudgetState {
  value: BudgetState = emptyState;
}

/** For one process that may lose its day's count. Nothing waits, so calls run in order. */
export function memoryBudget(options: { clock: Clock; limits: BudgetLimits; state?: MemoryBudgetState }): RateBudget {
  const { clock, limits, state = new MemoryBudgetState() } = options;
  paceOf(limits);
  return {
    take: async (lane, most, lateMs) => {
      const decided = decide(state.value, askOf(lane, most, lateMs), clock.now(), limits);
      state.value = decided.state;
      return decided.grant;
    },
    refund: async (lane, count = 1) => {
      state.value = refund(state.value, lane, wholeFrom1(count), clock.now());
    },
    settle: async (reservation, arrivedMs, count = 1) => {
      state.value = settle(state.value, reservation, settledTimestamp(reservation, arrivedMs), wholeFrom1(count));
    },
    pause: async (window, ms) => {
      state.value = pause(state.value, window, ms, clock.now());
    },
    remaining: async () => remaining(state.value, clock.now(), limits),
  };
}
