import type { DepositDetected } from '@weir/contracts';
import { Intake, type IntakeSettings, type RawTransfer } from '@weir/intake';
import { type Pipeline, type Service, subscribeStage } from '@weir/service-kit';
import type { DepositIngestSettings } from './config.ts';
import { depositRoutes } from './routes.ts';

export async function startDepositIngest(pipeline: Pipeline, settings: DepositIngestSettings & Partial<IntakeSettings>): Promise<Service> {
  const intake = await Intake.open(pipeline, { ...settings, service: 'deposit-ingest', deadlineMs: settings.depositDeadlineMs });
  const subscription = await subscribeStage(pipeline, {
    group: 'deposit-ingest',
    topics: ['deposits.detected'],
    handle: (events) => intake.request(events.map((event) => toRaw(event.data, event.record.timestamp))),
  });
  return {
    routes: depositRoutes({ access: pipeline.access, intake }),
    stop: async () => {
      await subscription.stop();
      await intake.stop();
    },
  };
}

function toRaw(deposit: DepositDetected, receivedAt: number): RawTransfer {
  return {
    kind: 'deposit',
    sourceId: deposit.deposit_id,
    chain: deposit.chain,
    coin: deposit.coin,
    txid: deposit.txid,
    fromAddress: deposit.from_address,
    toAddress: deposit.to_address,
    amount: deposit.amount,
    usdValue: deposit.usd_value,
    userId: deposit.user_id,
    occurredAt: deposit.detected_at,
    receivedAt,
  };
}
