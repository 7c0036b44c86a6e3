import { runService } from '@weir/service-kit';
import { consoleSchema, startConsole, unreachable, unseen } from './index.ts';

await runService({
  name: 'console',
  purpose: 'Serves screenings, reviews and the web console, and posts webhooks.',
  port: 4006,
  schema: consoleSchema,
  start: async (pipeline, settings) => {
    const service = await startConsole(pipeline, settings);
    return { ...service, warnings: () => [...(service.warnings?.() ?? []), ...unreachable(settings), ...unseen(settings)] };
  },
});
