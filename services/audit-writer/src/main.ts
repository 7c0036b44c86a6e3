import { runService } from '@weir/service-kit';
import { auditWriterSchema, startAuditWriter } from './index.ts';

await runService({
  name: 'audit-writer',
  purpose: 'Stores every event once in the audit log, and signs its checkpoints.',
  port: 4005,
  schema: auditWriterSchema,
  start: startAuditWriter,
});
