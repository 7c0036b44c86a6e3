export { type AuditWriterSettings, auditWriterSchema } from './config.ts';
export { type AuditEntry, exportCheckpoint, exportEntries } from './export.ts';
export { AuditIndexError, checkIndex, type IndexState } from './index-check.ts';
export { auditMigrations } from './migrations.ts';
export { auditOperations } from './routes.ts';
export { startAuditWriter } from './service.ts';
export { append } from './append.ts';
export { entryOf, type NewEntry } from './entry.ts';
