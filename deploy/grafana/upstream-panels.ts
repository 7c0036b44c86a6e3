import { type DashboardBuilder, RowBuilder } from '@grafana/grafana-foundation-sdk/dashboard';
import { overTime, perMinute } from './panels.ts';

const errors = 'weir_upstream_requests_total{outcome=~"unavailable_.+|limited_.+|rejected"}';

export function addUpstream(dashboard: DashboardBuilder): void {
  addCalls(dashboard);
  addBudget(dashboard);
  addSharedLookups(dashboard);
  addSecondProvider(dashboard);
}

function addCalls(dashboard: DashboardBuilder): void {
  dashboard
    .withRow(new RowBuilder('Risk API'))
    .withPanel(
      overTime({
        title: 'Errors, per minute',
        runbook: 'WeirUpstreamErrors',
        description: 'Calls of the risk API that failed, by operation and outcome',
        width: 8,
        stacked: true,
        queries: [perMinute('operation, outcome', errors)],
      }),
    )
    .withPanel(
      overTime({
        title: 'Calls, per minute',
        runbook: 'WeirUpstreamErrors',
        description: 'All calls of the risk API; only creates cost budget',
        width: 8,
        stacked: true,
        queries: [perMinute('operation', 'weir_upstream_requests_total')],
      }),
    )
    .withPanel(
      overTime({
        title: 'Duration of calls, p95',
        runbook: 'WeirUpstreamErrors',
        description: '95th percentile by operation',
        unit: 's',
        width: 8,
        queries: [
          [
            'histogram_quantile(0.95, sum by (le, operation) (rate(weir_upstream_duration_seconds_bucket[$__rate_interval])))',
            '{{operation}}',
          ],
        ],
      }),
    );
}

function addBudget(dashboard: DashboardBuilder): void {
  dashboard
    .withPanel(
      overTime({
        title: 'Calls left today',
        runbook: 'WeirBudgetNearlyGone',
        description: 'For withdrawals a third of the day is kept; re-screening may use a tenth',
        width: 8,
        queries: [
          ['min by (lane) (weir_budget_remaining{window="day"})', '{{lane}}'],
          ['max(weir_budget_limit{window="day"})', 'limit'],
        ],
      }),
    )
    .withPanel(
      overTime({
        title: 'Calls left this second',
        runbook: 'WeirBudgetNearlyGone',
        description: 'Creates that the second still allows',
        width: 8,
        queries: [
          ['min(weir_budget_remaining{window="second"})', 'left'],
          ['max(weir_budget_limit{window="second"})', 'limit'],
        ],
      }),
    );
}

function addSharedLookups(dashboard: DashboardBuilder): void {
  dashboard.withPanel(
    overTime({
      title: 'Answered by, per minute',
      runbook: 'WeirBudgetNearlyGone',
      description: 'hit: the cache; joined: a call under way; miss: a call of its own',
      width: 8,
      stacked: true,
      queries: [perMinute('result', 'weir_single_flight_total')],
    }),
  );
}

function addSecondProvider(dashboard: DashboardBuilder): void {
  dashboard
    .withPanel(
      overTime({
        title: 'Questions to the fallback, per minute',
        runbook: 'WeirFallbackDecides',
        description: 'The first provider is unavailable; the results name the fallback',
        width: 12,
        queries: [['60 * sum(rate(weir_fallback_lookups_total[$__rate_interval]))', 'fallback']],
      }),
    )
    .withPanel(
      overTime({
        title: 'Level of the deciding provider and of the one in shadow, per minute',
        runbook: 'WeirShadowStricter',
        description: 'The first level decides; `weir providers compare` lists the disagreements',
        width: 12,
        stacked: true,
        queries: [perMinute('first, second', 'weir_shadow_comparisons_total')],
      }),
    );
}
