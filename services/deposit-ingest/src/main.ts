import { runService } from '@weir/service-kit';
import { depositIngestSchema, startDepositIngest } from './index.ts';

await runService({ name: 'deposit-ingest', port: 4001, schema: depositIngestSchema, start: startDepositIngest });
