import { runService } from '@weir/service-kit';
import { sessionSchema, withSessions } from '@weir/sessions';
import { decisionSchema, startDecision } from './index.ts';

await runService({
  name: 'decision',
  purpose: 'Decides each screening by the policy.',
  port: 4004,
  schema: { ...decisionSchema, ...sessionSchema },
  start: async (pipeline, settings) => {
    const service = await startDecision(withSessions(pipeline, settings, { notesUse: false }), settings);
    process.on('SIGHUP', () => void service.reload());
    return service;
  },
});
