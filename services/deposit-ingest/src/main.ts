import { runService } from '@weir/service-kit';
import { depositIngestSchema, startDepositIngest } from './index.ts';

await runService({
  name: 'deposit-ingest',
  purpose: 'Accepts deposits and requests their screening.',
  port: 4001,
  schema: depositIngestSchema,
  start: startDepositIngest,
});
