export { type AuditWriterSettings, auditWriterSchema } from './config.ts';
export { type AuditEntry, exportEntries } from './export.ts';
export { startAuditWriter } from './service.ts';
