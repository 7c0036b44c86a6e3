import { Intake, type IntakeSettings, rawTransferOf } from '@weir/intake';
import type { Pipeline, Service } from '@weir/service-kit';
import type { DepositIngestSettings } from './config.ts';
import { keepCorrecting } from './corrections.ts';
import { depositOperations } from './routes.ts';
import { watchedOperations } from './watched-routes.ts';

export async function startDepositIngest(pipeline: Pipeline, settings: DepositIngestSettings & Partial<IntakeSettings>): Promise<Service> {
  const intake = await Intake.open(pipeline, { ...settings, service: 'deposit-ingest', deadlineMs: settings.depositDeadlineMs });
  const subscription = await intake.join({
    group: 'deposit-ingest',
    topics: ['deposits.detected'],
    toRaw: ({ data, at }) => rawTransferOf(data, at),
  });
  const stopping = new AbortController();
  const correcting = keepCorrecting(pipeline, intake, stopping.signal);
  return {
    operations: [...depositOperations({ access: pipeline.access, intake }), ...watchedOperations({ ...pipeline, db: pipeline.pool })],
    stop: async () => {
      stopping.abort();
      await correcting;
      await subscription.stop();
      await intake.stop();
    },
  };
}
