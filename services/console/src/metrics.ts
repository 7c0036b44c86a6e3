import type { Metrics } from '@weir/service-kit';

export function createConsoleMetrics({ counter, gauge }: Metrics) {
  const created = {
    reviewsOpen: gauge(
      'weir_reviews_open',
      'Held transfers and adverse updates, by the state of their review: open, pending_approval, approved',
      ['kind', 'state'],
    ),
    reviewOldest: gauge('weir_review_oldest_seconds', 'Longest that one of weir_reviews_open has stood there; 0 when there is none', [
      'kind',
      'state',
    ]),
    reviewsOverdue: gauge('weir_reviews_overdue', 'Held transfers past the time their review is due', ['kind']),
    casesOpen: gauge('weir_cases_open', 'Open cases; escalated: found past their due time', ['escalated']),
    transfersUsd: gauge(
      'weir_transfers_usd',
      'USD value of the transfers of the last 24 hours, of those that are decided, by the action in force; one without a value counts as 0',
      ['action'],
    ),
    ruleHolds: gauge(
      'weir_rule_holds',
      'Transfers of the last 30 days that a rule has held, by how that ended: allow or block by people, policy (by a later result), or open',
      ['rule', 'ended'],
    ),
    webhookDeliveries: counter(
      'weir_webhook_deliveries_total',
      'Webhook attempts by outcome: delivered, repeated (not accepted, sent again later), given_up',
      ['result'],
    ),
    webhookOldest: gauge('weir_webhook_oldest_seconds', 'Longest that a decision has waited to be delivered; 0 when none waits', []),
  };
  // `increase` sees the first one only if the series existed before.
  created.webhookDeliveries.inc({ result: 'given_up' }, 0);
  return created;
}

export type ConsoleMetrics = ReturnType<typeof createConsoleMetrics>;
