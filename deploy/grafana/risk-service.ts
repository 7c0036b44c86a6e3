import type { Dashboard } from '@grafana/grafana-foundation-sdk/dashboard';
import { dashboardOf } from './dashboard.ts';
import { perMinute } from './panels.ts';

export function riskService(): Dashboard {
  return dashboardOf(
    { title: 'Risk service', uid: 'weir-risk-service', description: 'Requests, scores, chain data and payments of the risk API' },
    [
      [
        'Requests',
        [
          {
            title: 'Requests, per minute',
            description: 'By operation',
            runbook: 'WeirUpstreamErrors',
            queries: [perMinute('operation', 'weir_risk_api_requests_total')],
          },
          {
            title: 'Errors, per minute',
            description: 'Answers with a status of 400 or more',
            runbook: 'WeirUpstreamErrors',
            queries: [perMinute('operation, status', 'weir_risk_api_requests_total{status=~"[45].."}')],
          },
          {
            title: 'Duration, p95',
            description: '95th percentile by operation',
            runbook: 'WeirUpstreamErrors',
            unit: 's',
            queries: [
              [
                'histogram_quantile(0.95, sum by (le, operation) (rate(weir_risk_api_duration_seconds_bucket[$__rate_interval])))',
                '{{operation}}',
              ],
            ],
          },
        ],
      ],
      [
        'Scores and chain data',
        [
          {
            title: 'Turns at scores, per minute',
            description: 'done, failed, again later, or nothing to do (left)',
            runbook: 'WeirUpstreamErrors',
            queries: [perMinute('outcome', 'weir_risk_api_runs_total')],
          },
          {
            title: 'Changed scores, per minute',
            description: 'Once for each key that watches the score',
            runbook: 'WeirRescreenWaits',
            queries: [['60 * sum(rate(weir_risk_api_scores_changed_total[$__rate_interval]))', 'scores']],
          },
          {
            title: 'Oldest change that is not listed',
            description: 'A changed label or a new transfer',
            runbook: 'WeirScoreChangesUnread',
            unit: 's',
            queries: [['max(weir_risk_api_label_change_oldest_seconds)', 'age']],
          },
          {
            title: 'Age of labels',
            description: 'Since the last import, by chain',
            runbook: 'WeirChainDataStale',
            unit: 's',
            queries: [['max by (chain) (weir_chain_data_labels_age_seconds)', '{{chain}}']],
          },
          {
            title: 'Age of transfers',
            description: 'Since the newest imported transfer, by chain',
            runbook: 'WeirChainDataStale',
            unit: 's',
            queries: [['max by (chain) (weir_chain_data_transfers_age_seconds)', '{{chain}}']],
          },
          {
            title: 'Followed chains behind their nodes',
            description: 'Since the last time that every confirmed block was stored; only with WEIR_CHAIN_NODES',
            runbook: 'WeirChainBehind',
            unit: 's',
            queries: [['max by (chain) (weir_chain_behind_seconds)', '{{chain}}']],
          },
          {
            title: 'Age of prices',
            description: 'Since the newest price of the table; only with WEIR_PRICE_SOURCE',
            runbook: 'WeirPricesStale',
            unit: 's',
            queries: [['max(weir_prices_age_seconds)', 'age']],
          },
          {
            title: 'Payments without a permit, and deposits taken back',
            description: 'Of watched addresses, in the last day; only with "weir watch add"',
            runbook: 'WeirPaymentWithoutPermit',
            queries: [
              ['max by (chain) (weir_watched_payments_without_permit)', '{{chain}} without a permit'],
              ['max by (chain) (weir_watched_deposits_taken_back)', '{{chain}} taken back'],
            ],
          },
          {
            title: 'Problems of chain data',
            description: '1 for each problem of a chain',
            runbook: 'WeirChainDataMissing',
            queries: [['max by (chain, problem) (weir_chain_data_problems)', '{{chain}} {{problem}}']],
          },
          {
            title: 'Labels',
            description: 'Imported labels by chain',
            runbook: 'WeirChainDataEmpty',
            queries: [['max by (chain) (weir_chain_data_labels)', '{{chain}}']],
          },
          {
            title: 'Contradictions',
            description: 'Addresses that labels call a service and accuse',
            runbook: 'WeirLabelContradictions',
            queries: [['max by (standing) (weir_label_contradictions)', '{{standing}}']],
          },
          {
            title: 'Age of published lists',
            description: 'Since the last successful check; only with WEIR_LISTS',
            runbook: 'WeirLabelListStale',
            unit: 's',
            queries: [['max by (list) (weir_label_list_age_seconds)', '{{list}}']],
          },
        ],
      ],
      [
        'Payments',
        [
          {
            title: 'Payments, per minute',
            description: 'By operation and outcome',
            runbook: 'WeirPaymentsUnclear',
            queries: [perMinute('operation, outcome', 'weir_payments_total')],
          },
          {
            title: 'Steps of a paid call, p95',
            description: 'verify and settle are the facilitator, run is the call',
            runbook: 'WeirPaymentsUnclear',
            unit: 's',
            queries: [
              ['histogram_quantile(0.95, sum by (le, step) (rate(weir_payment_step_seconds_bucket[$__rate_interval])))', '{{step}}'],
            ],
          },
          {
            title: 'Oldest unclear payment',
            description: 'It is not known whether it was charged',
            runbook: 'WeirPaymentsUnclear',
            unit: 's',
            queries: [['max(weir_payments_oldest_seconds)', 'age']],
          },
        ],
      ],
    ],
  );
}
