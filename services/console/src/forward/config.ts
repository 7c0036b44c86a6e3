import type { Schema } from '@weir/service-kit';

export interface ForwardSettings {
  decisionUrl: string;
  auditUrl: string;
  scoringUrl: string;
}

export const forwardSchema: Schema<ForwardSettings> = {
  decisionUrl: {
    doc: 'Address of decision, for the pages of policies, where it is another process than the console',
    format: 'http-url',
    default: '',
    env: 'WEIR_DECISION_URL',
  },
  auditUrl: {
    doc: 'Address of audit-writer, for the pages of the audit log, where it is another process than the console',
    format: 'http-url',
    default: '',
    env: 'WEIR_AUDIT_URL',
  },
  scoringUrl: {
    doc: 'Address of scoring, for the pages of addresses and providers, where it is another process than the console',
    format: 'http-url',
    default: '',
    env: 'WEIR_SCORING_URL',
  },
};
