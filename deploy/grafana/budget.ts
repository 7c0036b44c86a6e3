import type { Dashboard } from '@grafana/grafana-foundation-sdk/dashboard';
import { dashboardOf } from './dashboard.ts';
import { perMinute } from './panels.ts';

export function budget(): Dashboard {
  return dashboardOf({ title: 'Budget', uid: 'weir-budget', description: 'The limits of the risk API, and who uses them' }, [
    [
      'Limits',
      [
        {
          title: 'Left today',
          description: 'By lane; a third of the day is kept for withdrawals, re-screening may use a tenth',
          runbook: 'WeirBudgetNearlyGone',
          queries: [
            ['min by (lane) (weir_budget_remaining{window="day"})', '{{lane}}'],
            ['max(weir_budget_limit{window="day"})', 'limit'],
          ],
        },
        {
          title: 'Left this second',
          description: 'Creates that the second still allows',
          runbook: 'WeirBudgetNearlyGone',
          queries: [
            ['min(weir_budget_remaining{window="second"})', 'left'],
            ['max(weir_budget_limit{window="second"})', 'limit'],
          ],
        },
        {
          title: 'Left at the end of the day, at this pace',
          description: 'From the last hour; below zero the day ends early',
          runbook: 'WeirBudgetNearlyGone',
          queries: [
            [
              'min by (lane) (weir_budget_remaining{window="day"}) + min by (lane) (deriv(weir_budget_remaining{window="day"}[1h])) * (86400 - (time() % 86400))',
              '{{lane}}',
            ],
          ],
        },
      ],
    ],
    [
      'Use',
      [
        {
          title: 'Creates, per minute',
          description: 'Calls that cost budget, by their outcome',
          runbook: 'WeirUpstreamErrors',
          queries: [perMinute('outcome', 'weir_upstream_requests_total{operation="create_task"}')],
        },
        {
          title: 'Limited by the provider, per minute',
          description: 'Each is a call that the budget should have held back, or a plan that is smaller than the setting',
          runbook: 'WeirUpstreamErrors',
          queries: [perMinute('outcome', 'weir_upstream_requests_total{outcome=~"limited_.+"}')],
        },
        {
          title: 'Answered by, per minute',
          description: 'hit: the cache; joined: a call under way; miss: a call of its own',
          runbook: 'WeirBudgetNearlyGone',
          queries: [perMinute('result', 'weir_single_flight_total')],
        },
        {
          title: 'Grants dropped, per minute',
          description: 'The process was too slow to use them at once',
          runbook: 'WeirConsumerLag',
          queries: [['60 * sum(rate(weir_budget_stale_grants_total[$__rate_interval]))', 'grants']],
        },
        {
          title: 'Beyond the share of a token, per minute',
          description: 'Lookups that moved to the lane of re-screenings',
          runbook: 'WeirBudgetNearlyGone',
          queries: [perMinute('lane', 'weir_token_over_share_total')],
        },
        {
          title: 'Duration of calls, p95',
          description: '95th percentile by operation',
          runbook: 'WeirUpstreamErrors',
          unit: 's',
          queries: [
            [
              'histogram_quantile(0.95, sum by (le, operation) (rate(weir_upstream_duration_seconds_bucket[$__rate_interval])))',
              '{{operation}}',
            ],
          ],
        },
      ],
    ],
  ]);
}
