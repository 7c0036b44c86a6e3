import { checkTransfer, Intake, isMalformed, type RawTransfer } from '@weir/intake';
import type { WithdrawalRequested } from '@weir/contracts';
import { migrate } from '@weir/postgres';
import { type BaseSettings, type Pipeline, type Service, subscribeStage } from '@weir/service-kit';
import { Hono } from 'hono';
import { Availability } from './availability.ts';
import { permitKeySecrets, type WithdrawalGateSettings } from './config.ts';
import type { Gate } from './http/gate.ts';
import { permitRoutes } from './http/permits.ts';
import { withdrawalRoutes } from './http/withdrawals.ts';
import { heardAll } from './heard.ts';
import { Keyring } from './permits/keyring.ts';
import { createSeal } from './permits/seal.ts';
import { RedisProbe } from './redis.ts';
import { gateMigrations } from './schema.ts';
import { apply, holdBack, standingChannel } from './standing.ts';
import { Waiters } from './waiters.ts';

type Settings = WithdrawalGateSettings & Pick<BaseSettings, 'redisUrl' | 'kafkaBrokers'>;

const groups = { requests: 'withdrawal-gate', decisions: 'withdrawal-gate.decisions' } as const;

/** Holds each withdrawal until it is decided, and lets it leave with a permit. */
export async function startWithdrawalGate(pipeline: Pipeline, settings: Settings): Promise<Service> {
  const { pool, access, session, log, clock, logger, metrics } = pipeline;
  const stopping = new AbortController();
  const intake = await Intake.open(pipeline, { service: 'withdrawal-gate', deadlineMs: settings.withdrawalDeadlineMs });
  await migrate(pool, 'gate', gateMigrations);
  const seal = createSeal(permitKeySecrets(settings.permitKeySecret));
  const keyring = await Keyring.open({ pool, seal, rotationMs: settings.permitKeyRotationMs, clock, logger });
  const redis = settings.redisUrl === '' ? undefined : new RedisProbe(settings.redisUrl, clock);
  const availability = new Availability(
    {
      // On Kafka this asks the brokers, for each answer. Without it the log is the database.
      log: heardAll(() => log.lag(groups.decisions), { clock, always: settings.kafkaBrokers !== '' }),
      ...(redis && { redis: () => redis.ping() }),
    },
    clock,
  );
  const waiters = new Waiters(settings.gateMaxWaiters);
  const stopListening = await session.listen(standingChannel, (payload) => waiters.wake(payload));
  const requests = await subscribeStage(pipeline, {
    group: groups.requests,
    topics: ['withdrawals.requested'],
    handle: async (events) => {
      const raws = events.map((event) => toRaw(event.data, event.record.timestamp));
      await intake.request(raws);
      await holdBack(
        pool,
        raws.map(checkTransfer).flatMap((checked) => (isMalformed(checked) ? [] : [checked.transfer])),
      );
    },
  });
  const decisions = await subscribeStage(pipeline, {
    group: groups.decisions,
    topics: ['screenings.decided'],
    handle: async (events) => {
      const { withdrawn, overtaken } = await apply(
        pool,
        events.map((event) => event.data),
      );
      metrics.permits.inc({ result: 'withdrawn' }, withdrawn);
      metrics.permits.inc({ result: 'overtaken' }, overtaken.length);
      for (const screening of overtaken)
        logger.error({ screening_id: screening }, 'a withdrawal had left when a later decision did not allow it');
    },
  });
  const issuing = {
    pool,
    keyring,
    issuer: settings.permitIssuer,
    ttlMs: settings.permitTtlMs,
    onIssued: () => metrics.permits.inc({ result: 'issued' }),
  };
  const gate: Gate = { pool, access, clock, intake, waiters, availability, keyring, issuing, metrics, stopping: stopping.signal };
  return {
    routes: new Hono().route('/', withdrawalRoutes(gate)).route('/', permitRoutes(gate)),
    away: async () => (redis === undefined ? [] : (await availability.away()).filter((name) => name === 'redis')),
    drain: () => stopping.abort(),
    stop: async () => {
      stopping.abort();
      stopListening();
      await requests.stop();
      await decisions.stop();
      await keyring.stop();
      await intake.stop();
      redis?.close();
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
