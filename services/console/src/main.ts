import { runService } from '@weir/service-kit';
import { consoleSchema, startConsole } from './index.ts';

await runService({
  name: 'console',
  purpose: 'Serves screenings, reviews and the web console, and posts webhooks.',
  port: 4006,
  schema: consoleSchema,
  start: startConsole,
});
