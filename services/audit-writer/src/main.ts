import { runService } from '@weir/service-kit';
import { sessionSchema, withSessions } from '@weir/sessions';
import { auditWriterSchema, startAuditWriter } from './index.ts';

await runService({
  name: 'audit-writer',
  purpose: 'Stores every event once in the audit log, and signs its checkpoints.',
  port: 4005,
  schema: { ...auditWriterSchema, ...sessionSchema },
  start: (pipeline, settings) => startAuditWriter(withSessions(pipeline, settings, { notesUse: false }), settings),
});
