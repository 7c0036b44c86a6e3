import { runService } from '@weir/service-kit';
import { decisionSchema, startDecision } from './index.ts';

await runService({ name: 'decision', port: 4004, schema: decisionSchema, start: startDecision });
