import type { WithdrawalRequested } from '@weir/contracts';
import { Intake, type RawTransfer } from '@weir/intake';
import { migrate } from '@weir/postgres';
import { type Pipeline, type Service, subscribeStage } from '@weir/service-kit';
import type { WithdrawalGateSettings } from './config.ts';
import { apply, gateMigrations, holdBack } from './standing.ts';

/** Holds each withdrawal until it is decided. */
export async function startWithdrawalGate(pipeline: Pipeline, settings: WithdrawalGateSettings): Promise<Service> {
  const { pool } = pipeline;
  await migrate(pool, 'gate', gateMigrations);
  const intake = await Intake.open(pipeline, { service: 'withdrawal-gate', deadlineMs: settings.withdrawalDeadlineMs });
  const requests = await subscribeStage(pipeline, {
    group: 'withdrawal-gate',
    topics: ['withdrawals.requested'],
    handle: async (events) => {
      await intake.request(events.map((event) => toRaw(event.data, event.record.timestamp)));
      await holdBack(
        pool,
        events.map((event) => event.data),
      );
    },
  });
  const decisions = await subscribeStage(pipeline, {
    group: 'withdrawal-gate.decisions',
    topics: ['screenings.decided'],
    handle: (events) =>
      apply(
        pool,
        events.map((event) => event.data),
      ),
  });
  return {
    stop: async () => {
      await requests.stop();
      await decisions.stop();
      await intake.stop();
    },
  };
}

function toRaw(withdrawal: WithdrawalRequested, receivedAt: number): RawTransfer {
  return {
    kind: 'withdrawal',
    sourceId: withdrawal.withdrawal_id,
    chain: withdrawal.chain,
    coin: withdrawal.coin,
    txid: null,
    fromAddress: null,
    toAddress: withdrawal.to_address,
    amount: withdrawal.amount,
    usdValue: withdrawal.usd_value,
    userId: withdrawal.user_id,
    occurredAt: withdrawal.requested_at,
    receivedAt,
  };
}
