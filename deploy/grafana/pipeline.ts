import type { Dashboard } from '@grafana/grafana-foundation-sdk/dashboard';
import { dashboardOf } from './dashboard.ts';
import { perMinute } from './panels.ts';

export function pipeline(): Dashboard {
  return dashboardOf({ title: 'Pipeline', uid: 'weir-pipeline', description: 'Rate, errors and duration of each stage, and what waits' }, [
    [
      'Objectives',
      [
        {
          title: 'Late decisions',
          description: 'Share in an hour; the objective allows 0.5 %',
          runbook: 'WeirDecisionsLate',
          unit: 'percentunit',
          queries: [['weir:decisions_late:ratio1h', '{{kind}}']],
        },
        {
          title: 'Gate unavailable',
          description: 'Share of an hour in which no gate could let a withdrawal leave; the objective allows 0.1 %',
          runbook: 'WeirGateUnavailable',
          unit: 'percentunit',
          queries: [['weir:gate_unavailable:ratio1h', 'gate']],
        },
        {
          title: 'Stuck',
          description: 'Share of an hour in which a screening stood past its deadline; the objective allows 0.1 %',
          runbook: 'WeirScreeningsStuck',
          unit: 'percentunit',
          queries: [['weir:screenings_stuck:ratio1h', 'stuck']],
        },
      ],
    ],
    [
      'Rate',
      [
        {
          title: 'Scored, per minute',
          description: 'Outcomes of scoring',
          runbook: 'WeirUpstreamErrors',
          queries: [perMinute('outcome', 'weir_screenings_total')],
        },
        {
          title: 'Decided, per minute',
          description: 'Revisions by action',
          runbook: 'WeirNoDecisions',
          queries: [perMinute('action', 'weir_decisions_total')],
        },
        {
          title: 'Audited, per minute',
          description: 'Entries of the audit log',
          runbook: 'WeirAuditNotSigned',
          queries: [['60 * sum(rate(weir_audit_entries_total[$__rate_interval]))', 'entries']],
        },
        {
          title: 'Permits, per minute',
          description: 'Issued, redeemed, revoked and refused ones',
          runbook: 'WeirPermitOvertaken',
          queries: [perMinute('result', 'weir_permits_total')],
        },
        {
          title: 'Webhooks, per minute',
          description: 'Attempts by their result',
          runbook: 'WeirWebhookGivenUp',
          queries: [perMinute('result', 'weir_webhook_deliveries_total')],
        },
        {
          title: 'Resolutions, per minute',
          description: 'Resolutions of people that decision received',
          runbook: 'WeirReviewNotApplied',
          queries: [perMinute('action, result', 'weir_resolutions_total')],
        },
      ],
    ],
    [
      'Requests',
      [
        {
          title: 'Requests, per minute',
          description: 'Answers of the API by operation',
          runbook: 'WeirRequestsFail',
          queries: [perMinute('method, route', 'weir_http_request_duration_seconds_count')],
        },
        {
          title: 'Refused and failed requests, per minute',
          description: 'Answers of 400 and above by operation and status',
          runbook: 'WeirRequestsFail',
          queries: [perMinute('route, status', 'weir_http_request_duration_seconds_count', 'status=~"[45].."')],
        },
        {
          title: 'Duration of requests',
          description: 'The 99th percentile by operation; a withdrawal may wait for its decision',
          runbook: 'WeirRequestsFail',
          unit: 's',
          queries: [
            [
              'histogram_quantile(0.99, sum by (le, route) (rate(weir_http_request_duration_seconds_bucket[$__rate_interval])))',
              '{{route}}',
            ],
          ],
        },
      ],
    ],
    [
      'Errors',
      [
        {
          title: 'Dead letters, per minute',
          description: 'Records that could not be processed',
          runbook: 'WeirDeadLetters',
          queries: [perMinute('topic, reason', 'weir_dead_letters_total')],
        },
        {
          title: 'Events that the log refuses',
          description: 'They are stored, and retried each minute',
          runbook: 'WeirOutboxRefused',
          queries: [['sum by (topic) (weir_outbox_refused_events)', '{{topic}}']],
        },
        {
          title: 'Bad tokens, per minute',
          description: 'Requests whose caller is not known',
          runbook: 'WeirAuthFailures',
          queries: [perMinute('reason', 'weir_auth_failures_total')],
        },
        {
          title: 'Limited tokens, per minute',
          description: 'Requests of a machine that were answered with 429',
          runbook: 'WeirAuthFailures',
          queries: [perMinute('role', 'weir_token_limited_total')],
        },
        {
          title: 'Batches that fell back, per minute',
          description: 'A later stage of the process reads them from the log instead',
          runbook: 'WeirConsumerLag',
          queries: [perMinute('stage', 'weir_stage_fallbacks_total')],
        },
        {
          title: 'Conflicts in the audit log, per minute',
          description: 'Events with the id of another and other content',
          runbook: 'WeirAuditConflict',
          queries: [perMinute('topic', 'weir_audit_conflicts_total')],
        },
      ],
    ],
    [
      'Duration and waiting',
      [
        {
          title: 'To the first decision',
          description: 'Quantiles of both kinds',
          runbook: 'WeirDecisionsLate',
          unit: 's',
          queries: [
            ['histogram_quantile(0.5, sum by (le) (rate(weir_screening_duration_seconds_bucket[$__rate_interval])))', 'p50'],
            ['histogram_quantile(0.95, sum by (le) (rate(weir_screening_duration_seconds_bucket[$__rate_interval])))', 'p95'],
            ['histogram_quantile(0.99, sum by (le) (rate(weir_screening_duration_seconds_bucket[$__rate_interval])))', 'p99'],
          ],
        },
        {
          title: 'Consumer lag',
          description: 'Records that each group has yet to handle',
          runbook: 'WeirConsumerLag',
          queries: [['max by (group, topic) (weir_consumer_lag)', '{{group}} {{topic}}']],
        },
        {
          title: 'Oldest record of the lag',
          description: 'How long ago the oldest record that a group has yet to handle was appended',
          runbook: 'WeirConsumerLag',
          unit: 's',
          queries: [['max by (group, topic) (weir_consumer_lag_seconds)', '{{group}} {{topic}}']],
        },
        {
          title: 'Oldest open',
          description: 'Age by the reason why it waits',
          runbook: 'WeirScreeningNearDeadline',
          unit: 's',
          queries: [['max by (kind, state) (weir_screening_oldest_seconds)', '{{kind}} {{state}}']],
        },
        {
          title: 'Unread by the gate',
          description: 'Beyond 15 seconds a gate lets nothing leave',
          runbook: 'WeirGateBehind',
          unit: 's',
          queries: [['max by (instance) (weir_gate_unread_seconds)', '{{instance}}']],
        },
        {
          title: 'Oldest webhook that waits',
          description: 'Zero while none waits, and where webhooks are off',
          runbook: 'WeirWebhooksBehind',
          unit: 's',
          queries: [['max(weir_webhook_oldest_seconds)', 'age']],
        },
        {
          title: 'Reviews',
          description: 'Held transfers and adverse updates by the state of their review',
          runbook: 'WeirHeldForADay',
          queries: [['max by (kind, state) (weir_reviews_open)', '{{kind}} {{state}}']],
        },
      ],
    ],
  ]);
}
