import { runService } from '@weir/service-kit';
import { startWithdrawalGate, withdrawalGateSchema } from './index.ts';

await runService({
  name: 'withdrawal-gate',
  purpose: 'Accepts withdrawals and issues permits for the allowed ones.',
  port: 4002,
  schema: withdrawalGateSchema,
  start: startWithdrawalGate,
});
