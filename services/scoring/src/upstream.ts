import { type OpenBudget, openBudget } from '@weir/rate-budget';
import type { RiskProvider } from '@weir/risk-provider';
import type { Pipeline } from '@weir/service-kit';
import type { NamedProvider } from './comparison-routes.ts';
import type { ScoringSettings } from './config.ts';
import type { ScoringMetrics } from './metrics.ts';
import { Prices } from './prices.ts';
import { firstProvider, openProvider, type ProviderSettings, secondProvider } from './provider.ts';
import { UpstreamWarnings } from './upstream-warnings.ts';

/** A provider, and the budget that all replicas share. */
export interface Asked {
  readonly provider: RiskProvider;
  readonly budget: OpenBudget;
}

export type Upstream = Awaited<ReturnType<typeof openUpstream>>;

/** The deciding provider, and the second one in its role. */
export async function openUpstream(pipeline: Pipeline, settings: ScoringSettings & { redisUrl?: string }, metrics: ScoringMetrics) {
  const { pool, clock, logger } = pipeline;
  const onError = (err: unknown): void => logger.warn({ err }, 'Redis is unavailable; reconnecting');
  const open = async (of: ProviderSettings, isSecond: boolean) => {
    for (const capped of of.capped) logger.warn(capped);
    const { provider, client, explorer } = openProvider(of, {
      clock,
      onCall: ({ operation, outcome, durationMs }) => {
        metrics.upstreamRequests.inc({ operation, outcome });
        metrics.upstreamDuration.observe({ operation }, durationMs / 1_000);
      },
    });
    const { limits } = provider;
    // Two keys of one provider have two budgets.
    const name = isSecond ? `${provider.name} second` : provider.name;
    return {
      provider,
      client,
      explorer,
      kind: of.kind,
      budget: await openBudget({ redisUrl: settings.redisUrl, pool, name, limits, clock, onError }),
    };
  };
  const { client, ...first } = await open(firstProvider(settings), false);
  const of = secondProvider(settings);
  const second = of === undefined ? undefined : await open(of, true);
  return {
    ...first,
    providers: [
      { role: 'deciding', name: first.provider.name, kind: first.kind },
      ...(second === undefined || settings.secondRole === 'none'
        ? []
        : [{ role: settings.secondRole, name: second.provider.name, kind: second.kind }]),
    ] as readonly NamedProvider[],
    fallback: settings.secondRole === 'fallback' ? second : undefined,
    shadow: settings.secondRole === 'shadow' ? second : undefined,
    prices: new Prices(client ?? withoutPrices, clock),
    warnings: client === undefined ? undefined : new UpstreamWarnings(client, clock),
    close: async () => {
      await first.budget.close();
      await second?.budget.close();
    },
  };
}

/** Providers of another shape know no prices. */
const withoutPrices = { price: async () => ({ kind: 'not_found' }) as const };

export async function measureBudget({ budget, provider: { limits } }: Upstream, metrics: ScoringMetrics): Promise<void> {
  const left = await budget.remaining();
  for (const [lane, value] of Object.entries(left.day)) metrics.budgetRemaining.set({ window: 'day', lane }, value);
  metrics.budgetRemaining.set({ window: 'second', lane: 'all' }, left.second);
  metrics.budgetLimit.set({ window: 'day' }, limits.perDay);
  metrics.budgetLimit.set({ window: 'second' }, limits.perSecond);
}
