import type { Metrics } from '@weir/service-kit';

export function createAuditMetrics({ counter }: Metrics) {
  return {
    auditEntries: counter('weir_audit_entries_total', 'Entries written to the audit log', []),
    auditConflicts: counter('weir_audit_conflicts_total', 'Events with the id of another event and other content; both are kept', [
      'topic',
    ]),
  };
}
