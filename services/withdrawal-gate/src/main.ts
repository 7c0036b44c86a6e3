import { runService } from '@weir/service-kit';
import { startWithdrawalGate, withdrawalGateSchema } from './index.ts';

await runService({ name: 'withdrawal-gate', port: 4002, schema: withdrawalGateSchema, start: startWithdrawalGate });
