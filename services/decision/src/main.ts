import { runService } from '@weir/service-kit';
import { decisionSchema, startDecision } from './index.ts';

await runService({
  name: 'decision',
  purpose: 'Decides each screening by the policy.',
  port: 4004,
  schema: decisionSchema,
  start: async (pipeline, settings) => {
    const service = await startDecision(pipeline, settings);
    process.on('SIGHUP', () => void service.reload());
    return service;
  },
});
