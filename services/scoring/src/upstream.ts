import { openBudget } from '@weir/rate-budget';
import { specifiedProvider } from '@weir/risk-provider';
import type { Pipeline } from '@weir/service-kit';
import type { ScoringSettings } from './config.ts';
import type { ScoringMetrics } from './metrics.ts';
import { Prices } from './prices.ts';
import { createUpstreamClient } from './upstream-client.ts';
import { UpstreamWarnings } from './upstream-warnings.ts';

export type Upstream = Awaited<ReturnType<typeof openUpstream>>;

/** The provider of risk scores, and the budget that all replicas share. */
export async function openUpstream(
  { pool, clock, logger }: Pipeline,
  settings: ScoringSettings & { redisUrl?: string },
  metrics: ScoringMetrics,
) {
  const name = new URL(settings.upstreamUrl).host;
  const limits = { perSecond: settings.upstreamPerSecond, perDay: settings.upstreamPerDay };
  const onError = (err: unknown): void => logger.warn({ err }, 'Redis is unavailable; reconnecting');
  const budget = await openBudget({ redisUrl: settings.redisUrl, pool, name, limits, clock, onError });
  const client = createUpstreamClient(settings, {
    clock,
    onCall: ({ operation, outcome, durationMs }) => {
      metrics.upstreamRequests.inc({ operation, outcome });
      metrics.upstreamDuration.observe({ operation }, durationMs / 1_000);
    },
  });
  const provider = specifiedProvider(client, { name, limits });
  return { provider, budget, prices: new Prices(client, clock), warnings: new UpstreamWarnings(client, clock) };
}

export async function measureBudget({ budget, provider: { limits } }: Upstream, metrics: ScoringMetrics): Promise<void> {
  const left = await budget.remaining();
  for (const [lane, value] of Object.entries(left.day)) metrics.budgetRemaining.set({ window: 'day', lane }, value);
  metrics.budgetRemaining.set({ window: 'second', lane: 'all' }, left.second);
  metrics.budgetLimit.set({ window: 'day' }, limits.perDay);
  metrics.budgetLimit.set({ window: 'second' }, limits.perSecond);
}
