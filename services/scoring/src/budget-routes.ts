import type { Clock } from '@weir/clock';
import type { RateBudget } from '@weir/rate-budget';
import type { RiskProvider } from '@weir/risk-provider';
import { admission, type Callers, type Described, type Operation, operation, readers } from '@weir/service-kit';
import { z } from 'zod';

export interface BudgetOptions {
  readonly access: Callers;
  readonly clock: Clock;
  readonly provider: Pick<RiskProvider, 'name'>;
  readonly budget: Pick<RateBudget, 'remaining'>;
}

const dayMs = 86_400_000;
/** The first minutes of a day say nothing about its end. */
const leastShare = 1 / 24;
const count = z.int().min(0);

const budgetView = z
  .strictObject({
    provider: z.string().describe('The host of its API.'),
    per_second: z.number(),
    per_day: count,
    used_today: count.describe('Assessments since midnight UTC.'),
    left_today: z
      .strictObject({ withdrawal: count, deposit: count, rescreen: count })
      .describe('For each kind of lookup, if the others took none. A part of the day is kept for withdrawals and for deposits.'),
    left_now: z.number().describe('Assessments that can be asked for without a wait.'),
    paused_until: z.iso.datetime().nullable().describe('The provider has asked for a pause.'),
    forecast: count.nullable().describe('Assessments by the end of the day, at the pace until now; null in its first hour.'),
  })
  .meta({ id: 'Budget' });

const example: Described<typeof budgetView> = {
  provider: 'risk.example',
  per_second: 10,
  per_day: 10_000,
  used_today: 1_200,
  left_today: { withdrawal: 8_800, deposit: 5_500, rescreen: 4_000 },
  left_now: 10,
  paused_until: null,
  forecast: 4_800,
};

/** The rate budget at the deciding provider. */
export function budgetOperation({ access, clock, provider, budget }: BudgetOptions): Operation {
  return operation({
    name: 'get_budget',
    method: 'GET',
    path: '/v1/providers/budget',
    isPolled: true,
    tag: 'providers',
    summary: 'Shows the rate budget at the deciding provider: limits, what is used and left, and where the day will end.',
    admission: admission(access, readers),
    answers: [{ status: 200, description: 'The budget.', schema: budgetView, example }],
    respond: async (c) => {
      const { day, second, limits, pausedUntil } = await budget.remaining();
      const used = Math.max(limits.perDay - day.withdrawal, 0);
      const share = (clock.now() % dayMs) / dayMs;
      c.header('cache-control', 'no-store');
      return c.json({
        provider: provider.name,
        per_second: limits.perSecond,
        per_day: limits.perDay,
        used_today: used,
        left_today: day,
        left_now: second,
        paused_until: pausedUntil === null ? null : new Date(pausedUntil).toISOString(),
        forecast: share < leastShare ? null : Math.round(used / share),
      });
    },
  });
}
