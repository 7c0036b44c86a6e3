import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/**
 * Labels never hold addresses, transaction ids, users or keys. Alert on `weir_screening_oldest_seconds` (stuck) and
 * `weir_dead_letters_total` (unreadable).
 */
export function createMetrics(registry: Registry = new Registry()) {
  collectDefaultMetrics({ register: registry });
  const counter = <L extends string>(name: string, help: string, labelNames: readonly L[]) =>
    new Counter({ name, help, labelNames, registers: [registry] });
  const gauge = <L extends string>(name: string, help: string, labelNames: readonly L[]) =>
    new Gauge({ name, help, labelNames, registers: [registry] });
  const collectors: (() => Promise<void>)[] = [];
  return {
    registry,
    /** Runs before each scrape, to update gauges that need a query. A failure leaves its gauges unchanged. */
    onScrape: (collect: () => Promise<void>): void => {
      collectors.push(collect);
    },
    scrape: async (): Promise<string> => {
      await Promise.allSettled(collectors.map((collect) => collect()));
      return registry.metrics();
    },
    screenings: counter('weir_screenings_total', 'Screenings that came to an outcome', ['kind', 'outcome']),
    decisions: counter('weir_decisions_total', 'Decisions made, each revision once', ['kind', 'action', 'level', 'rule']),
    screeningDuration: new Histogram({
      name: 'weir_screening_duration_seconds',
      help: 'From the request to the first decision',
      labelNames: ['kind'] as const,
      buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1200],
      registers: [registry],
    }),
    screeningsOpen: gauge(
      'weir_screenings_open',
      'Screenings that wait for their first decision or the one on an aged allow (pending), for a person (held), or for another result (rescreen)',
      ['kind', 'state'],
    ),
    screeningOldest: gauge('weir_screening_oldest_seconds', 'Age of the oldest of weir_screenings_open; 0 when there is none', [
      'kind',
      'state',
    ]),
    upstreamRequests: counter('weir_upstream_requests_total', 'Calls of the risk API', ['operation', 'outcome']),
    upstreamDuration: new Histogram({
      name: 'weir_upstream_duration_seconds',
      help: 'Duration of calls of the risk API',
      labelNames: ['operation'] as const,
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers: [registry],
    }),
    budgetRemaining: gauge('weir_budget_remaining', 'Calls of the risk API that may still be made', ['window', 'lane']),
    budgetLimit: gauge('weir_budget_limit', 'The limit of the risk API', ['window']),
    staleGrants: counter('weir_budget_stale_grants_total', 'Grants dropped because this process was too slow to use them at once', []),
    rescreens: counter('weir_rescreens_total', 'Screenings asked for once more, for a score may have changed', ['kind']),
    rescreenSubjects: gauge(
      'weir_rescreen_subjects',
      'Subjects whose score has changed and whose screenings are still to be asked for once more',
      [],
    ),
    rescreenFeed: gauge(
      'weir_rescreen_feed_seconds',
      'Since when the changed scores of the risk API were last read to their end; 0 where it tells of none',
      [],
    ),
    singleFlight: counter(
      'weir_single_flight_total',
      'Screenings answered from the cache (hit), by a call under way (joined), or by a call of their own (miss)',
      ['result'],
    ),
    consumerLag: gauge('weir_consumer_lag', 'Records a group has not dealt with', ['topic', 'group']),
    logGaps: gauge('weir_log_gaps', 'Partitions that a group has stopped reading: records are gone that it had yet to read', [
      'topic',
      'group',
    ]),
    deadLetters: counter('weir_dead_letters_total', 'Records that could not be processed', ['topic', 'reason']),
    outboxRefused: counter(
      'weir_outbox_refused_total',
      'Times that the log refused a stored event (reason: code of the log), so that it is not published',
      ['topic', 'reason'],
    ),
    outboxRefusedEvents: gauge(
      'weir_outbox_refused_events',
      'Stored events that the log refuses; later events of their keys wait for them',
      ['topic'],
    ),
    auditEntries: counter('weir_audit_entries_total', 'Entries written to the audit log', []),
    auditConflicts: counter(
      'weir_audit_conflicts_total',
      'Events that came under the id of another event and said something else; both are kept',
      ['topic'],
    ),
    permits: counter(
      'weir_permits_total',
      'Permits of withdrawals: issued, redeemed, revoked or superseded (redeemed before) by a later decision, refused (by why), unavailable; none issued and screened again because the allow was too old (aged) or a local list names the receiver (listed)',
      ['result'],
    ),
    gateUnread: gauge(
      'weir_gate_unread_seconds',
      'How old the oldest decision may be that the gate has not read; 0 when it has read all, a day while that is not known',
      [],
    ),
    permitKeysUnauthenticated: gauge(
      'weir_permit_keys_unauthenticated',
      'Permit keys in the database that are not authenticated under the secret of the gate: somebody else wrote them. They are not used',
      [],
    ),
    tokenLimited: counter('weir_token_limited_total', 'Requests of a machine answered with 429: its token sends too many', ['role']),
    tokenOverShare: counter(
      'weir_token_over_share_total',
      'Lookups moved from this lane to that of re-screenings, for their token has spent its share of the day; those under way included',
      ['lane'],
    ),
    authFailures: counter(
      'weir_auth_failures_total',
      'Requests whose caller is not known: no token (missing), none that can be (malformed), not stored or revoked (unknown), of the OIDC provider and expired or invalid, refused unseen (limited), the provider away (unavailable)',
      ['reason'],
    ),
    shadowDisagreements: counter('weir_shadow_disagreements_total', 'Decisions that the candidate policy would have made otherwise', [
      'action',
      'shadow',
    ]),
    resolutions: counter(
      'weir_resolutions_total',
      'What people resolved, as it came to decision: applied, or superseded by another revision before',
      ['action', 'result'],
    ),
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
    webhookDeliveries: counter(
      'weir_webhook_deliveries_total',
      'Webhooks by what came of an attempt: delivered, repeated (not taken, and sent again later), given_up',
      ['result'],
    ),
    webhookOldest: gauge('weir_webhook_oldest_seconds', 'Longest that a decision has waited to be delivered; 0 when none waits', []),
    policyFileRejected: gauge('weir_policy_file_rejected', '1 while the policy file is wrong and the policy before it stays in force', []),
    policyInfo: gauge('weir_policy_info', 'The policy in force, by its hash; always 1', ['policy_hash']),
  };
}

export type Metrics = ReturnType<typeof createMetrics>;
