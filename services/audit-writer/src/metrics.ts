import { topicSpecs } from '@weir/contracts';
import type { Metrics } from '@weir/service-kit';

export function createAuditMetrics({ counter }: Metrics) {
  const created = {
    auditEntries: counter('weir_audit_entries_total', 'Entries written to the audit log', []),
    auditConflicts: counter('weir_audit_conflicts_total', 'Events with the id of another event and other content; both are kept', [
      'topic',
    ]),
  };
  // `increase` sees the first one only if the series existed before.
  for (const { name } of topicSpecs) created.auditConflicts.inc({ topic: name }, 0);
  return created;
}

export function createTreeGauges({ gauge }: Metrics) {
  return {
    treeSize: gauge('weir_audit_tree_size', "Leaves in the audit log's tree", []),
    checkpointAge: gauge(
      'weir_audit_checkpoint_age_seconds',
      'Age of the latest signed checkpoint while the tree has leaves that it does not cover; 0 when it covers all',
      [],
    ),
    checkpointRefused: gauge(
      'weir_audit_checkpoint_refused',
      '1: nothing is signed, because the database is not what was signed before (rolled back, altered, or signed by other keys)',
      [],
    ),
    anchorAge: gauge(
      'weir_audit_anchor_age_seconds',
      'Age of the last checkpoint that a place outside keeps, while the tree has leaves that it does not cover; 0 when it covers all',
      ['anchor'],
    ),
    archiveFailing: gauge(
      'weir_wal_archive_failing_seconds',
      'Time since PostgreSQL last archived a segment of its WAL, while its archive command fails; 0 otherwise',
      [],
    ),
    anchorSize: gauge('weir_audit_anchor_size', 'Leaves of the last checkpoint that a place outside keeps', ['anchor']),
  };
}
