import { runService } from '@weir/service-kit';
import { startWithdrawalGate, withdrawalGateSchema } from './index.ts';

await runService({
  name: 'withdrawal-gate',
  port: 4002,
  schema: withdrawalGateSchema,
  start: (pipeline, settings) => {
    if (settings.permitKeySecret === '') {
      pipeline.logger.warn(
        'keys that sign permits are stored as they are: set WEIR_PERMIT_KEY_SECRET, so that who reads the database cannot sign',
      );
    }
    return startWithdrawalGate(pipeline, settings);
  },
});
