import { runService } from '@weir/service-kit';
import { consoleSchema, startConsole } from './index.ts';

await runService({ name: 'console', port: 4006, schema: consoleSchema, start: startConsole });
