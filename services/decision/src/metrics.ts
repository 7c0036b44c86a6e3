import { createScreeningGauges, type Metrics } from '@weir/service-kit';

export function createDecisionMetrics(metrics: Metrics) {
  const { counter, gauge, tracedHistogram } = metrics;
  return {
    ...createScreeningGauges(metrics),
    decisions: counter('weir_decisions_total', 'Decisions made, each revision once', ['kind', 'action', 'level', 'rule']),
    screeningDuration: tracedHistogram(
      'weir_screening_duration_seconds',
      'From the request to the first decision',
      ['kind'],
      [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1200],
    ),
    shadowDisagreements: counter('weir_shadow_disagreements_total', 'Decisions that the candidate policy would have made otherwise', [
      'action',
      'shadow',
    ]),
    resolutions: counter('weir_resolutions_total', 'Resolutions received: applied, or superseded by another revision', [
      'action',
      'result',
    ]),
    policyFileRejected: gauge('weir_policy_file_rejected', '1 while the policy file is wrong and the policy before it stays in force', []),
    policyInfo: gauge('weir_policy_info', 'The policy in force, by its hash; always 1', ['policy_hash']),
    policyFileInfo: gauge('weir_policy_file_info', 'The last valid policy file of this process, by its hash; always 1', ['policy_hash']),
  };
}

export type DecisionMetrics = ReturnType<typeof createDecisionMetrics>;
