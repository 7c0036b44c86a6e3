import type { Metrics } from '@weir/service-kit';

export function createGateMetrics({ counter, gauge }: Metrics) {
  const created = {
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
      'Permit keys in the database that are not authenticated under the secret of the gate: another program wrote them. They are not used',
      [],
    ),
  };
  // `increase` sees the first one only if the series existed before.
  created.permits.inc({ result: 'superseded' }, 0);
  return created;
}

export type GateMetrics = ReturnType<typeof createGateMetrics>;
