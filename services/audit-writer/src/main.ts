import { runService } from '@weir/service-kit';
import { auditWriterSchema, startAuditWriter } from './index.ts';

await runService({ name: 'audit-writer', port: 4005, schema: auditWriterSchema, start: startAuditWriter });
