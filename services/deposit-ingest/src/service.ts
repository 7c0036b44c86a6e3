import { Intake, type IntakeSettings, rawTransferOf } from '@weir/intake';
import { type Pipeline, type Service, subscribeStage } from '@weir/service-kit';
import type { DepositIngestSettings } from './config.ts';
import { depositRoutes } from './routes.ts';

export async function startDepositIngest(pipeline: Pipeline, settings: DepositIngestSettings & Partial<IntakeSettings>): Promise<Service> {
  const intake = await Intake.open(pipeline, { ...settings, service: 'deposit-ingest', deadlineMs: settings.depositDeadlineMs });
  const subscription = await subscribeStage(pipeline, {
    group: 'deposit-ingest',
    topics: ['deposits.detected'],
    handle: (events) => intake.request(events.map((event) => rawTransferOf(event.data, event.record.timestamp))),
  });
  return {
    routes: depositRoutes({ access: pipeline.access, intake }),
    stop: async () => {
      await subscription.stop();
      await intake.stop();
    },
  };
}
