import type { Schema } from '@weir/service-kit';

export interface AuditWriterSettings {
  auditBatch: number;
}

export const auditWriterSchema: Schema<AuditWriterSettings> = {
  auditBatch: {
    doc: 'Events taken from the log at once; up to four times as many go into one transaction and are held in memory',
    format: 'positive-int',
    default: 500,
    env: 'WEIR_AUDIT_BATCH',
  },
};
