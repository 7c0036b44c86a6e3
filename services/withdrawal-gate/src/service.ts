import { LocalLists } from '@weir/chain-store/sanctions';
import { KeyedSignal } from '@weir/clock';
import type { Subscription } from '@weir/event-log';
import { checkTransfer, Intake, isMalformed, rawTransferOf } from '@weir/intake';
import { migrate } from '@weir/postgres';
import {
  type BaseSettings,
  type Logger,
  type Operation,
  type Pipeline,
  problem,
  type Service,
  isRestored,
  restoredDetail,
  subscribeStage,
} from '@weir/service-kit';
import type { Context } from 'hono';
import { Availability, GateUnavailable } from './availability.ts';
import { requirePermitKeySecrets, type WithdrawalGateSettings } from './config.ts';
import { Journal } from './journal/journal.ts';
import { closeIfForgotten } from './journal/restore.ts';
import type { Gate } from './routes/gate.ts';
import { permitOperations } from './routes/permits.ts';
import { withdrawalOperations } from './routes/withdrawals.ts';
import { createGateMetrics, type GateMetrics } from './metrics.ts';
import type { Renewal } from './permits/issue.ts';
import { Keyring } from './permits/keyring.ts';
import { createSeal } from './permits/seal.ts';
import { RedisProbe } from './redis.ts';
import { gateMigrations } from './migrations.ts';
import { type Applied, apply, holdBack, standingChannel } from './standing.ts';
import { UnreadDecisions } from './unread.ts';

type Settings = WithdrawalGateSettings & Pick<BaseSettings, 'redisUrl' | 'kafkaBrokers'>;

/** The metric's value while the age is unknown. */
const longestAgeMs = 86_400_000;

const groups = { requests: 'withdrawal-gate', decisions: 'withdrawal-gate.decisions' } as const;

/** Holds each withdrawal until its decision, and lets it leave with a permit. */
export async function startWithdrawalGate(pipeline: Pipeline, settings: Settings): Promise<Service> {
  const { pool, access, session, clock, logger, jobs } = pipeline;
  const metrics = createGateMetrics(pipeline.metrics);
  const seal = createSeal(requirePermitKeySecrets(settings.permitKeySecret));
  const stopping = new AbortController();
  const intake = await Intake.open(pipeline, { ...settings, service: 'withdrawal-gate', deadlineMs: settings.withdrawalDeadlineMs });
  await migrate(pool, 'gate', gateMigrations);
  await closeIfForgotten(pool, settings.permitJournal);
  const journal = await openJournal(settings, clock);
  const keyring = await Keyring.open({ pool, seal, rotationMs: settings.permitKeyRotationMs, jobs, logger, metrics });
  const { redis, unread, availability, recovery } = createProbes(pipeline, settings);
  const waiters = new KeyedSignal(clock, settings.gateMaxWaiters);
  const stopListening = await session.listen(standingChannel, (payload) => notify(waiters, payload));
  const onApplied = (applied: Applied): void => count(applied, metrics, logger);
  const requests = await subscribeRequests(pipeline, intake);
  const decisions = await subscribeDecisions(pipeline, onApplied);
  // Needs the group's position in the log.
  unread.start();
  pipeline.metrics.onScrape(async () => metrics.gateUnread.set(Math.min(unread.age(), longestAgeMs) / 1_000));
  const issuing = {
    pool,
    keyring,
    onApplied,
    issuer: settings.permitIssuer,
    ttlMs: settings.permitTtlMs,
    allowMaxAgeMs: settings.allowMaxAgeMs,
    intake,
    lists: new LocalLists(),
    onIssue: (result: 'issued' | Renewal) => metrics.permits.inc({ result }),
  };
  const gate: Gate = { pool, access, clock, intake, waiters, availability, keyring, issuing, journal, metrics, stopping: stopping.signal };
  return {
    operations: [...withdrawalOperations(gate), ...permitOperations(gate)].map(tellWhy),
    unavailable: async () => [
      ...((await recovery.isRestored().catch(() => false)) ? ['recovery'] : []),
      ...(redis === undefined ? [] : (await availability.unavailable()).filter((name) => name === 'redis')),
    ],
    warnings: () => [
      ...(recovery.isClosed ? [`no permit is issued or redeemed: ${restoredDetail}`] : []),
      ...(journal === undefined ? ['redeemed permits are only in the database: WEIR_PERMIT_JOURNAL is not set'] : []),
    ],
    drain: () => stopping.abort(),
    stop: async () => {
      stopping.abort();
      stopListening();
      await requests.stop();
      await decisions.stop();
      await unread.stop();
      await keyring.stop();
      await intake.stop();
      redis?.close();
      await journal?.close();
    },
  };
}

async function openJournal(
  { permitJournal, permitJournalKeepDays: keepDays }: Settings,
  clock: Pipeline['clock'],
): Promise<Journal | undefined> {
  return permitJournal === '' ? undefined : Journal.open(permitJournal, { clock, keepDays });
}

/** The dependencies through which a later decision reaches the gate. */
function createProbes({ pool, log, clock }: Pipeline, settings: Settings) {
  const redis = settings.redisUrl === '' ? undefined : new RedisProbe(settings.redisUrl, clock);
  const unread = new UnreadDecisions({
    lag: () => log.lag(groups.decisions),
    clock,
    limitMs: settings.gateMaxUnreadMs,
    // On Kafka each answer asks the brokers. On the embedded tier the log is in the database.
    always: settings.kafkaBrokers !== '',
  });
  const recovery = {
    isClosed: false,
    isRestored: async (): Promise<boolean> => (recovery.isClosed = await isRestored(pool)),
  };
  const requireReconciled = async (): Promise<void> => {
    if (await recovery.isRestored()) throw new GateUnavailable(restoredDetail, { code: 'NOT_RECONCILED' });
  };
  const probes = { recovery: requireReconciled, log: () => unread.require(), ...(redis && { redis: () => redis.ping() }) };
  return { redis, unread, recovery, availability: new Availability(probes, clock) };
}

/** `payload`: a list of ids, or empty for "any". */
function notify(waiters: KeyedSignal, payload: string): void {
  if (payload === '') waiters.notifyAll();
  else for (const id of JSON.parse(payload) as string[]) waiters.notify(id);
}

/** Withdrawals that come by topic. */
function subscribeRequests(pipeline: Pipeline, intake: Intake): Promise<Subscription> {
  return subscribeStage(pipeline, {
    group: groups.requests,
    topics: ['withdrawals.requested'],
    handle: async (events) => {
      const raws = events.map((event) => rawTransferOf(event.data, event.record.timestamp));
      await intake.request(raws);
      await holdBack(
        pipeline.pool,
        raws.map(checkTransfer).flatMap((checked) => (isMalformed(checked) ? [] : [checked.transfer])),
      );
    },
  });
}

function subscribeDecisions(pipeline: Pipeline, onApplied: (applied: Applied) => void): Promise<Subscription> {
  return subscribeStage(pipeline, {
    group: groups.decisions,
    topics: ['screenings.decided'],
    handle: async (events) => {
      const applied = await apply(
        pipeline.pool,
        events.map((event) => event.data),
      );
      onApplied(applied);
    },
  });
}

function count({ revoked, superseded }: Applied, metrics: GateMetrics, logger: Logger): void {
  metrics.permits.inc({ result: 'revoked' }, revoked);
  metrics.permits.inc({ result: 'superseded' }, superseded.length);
  for (const screening of superseded)
    logger.error({ screening_id: screening }, 'a withdrawal had left when a later decision did not allow it');
}

/** A gate behind its log, or with a restored database, has its own code. */
function tellWhy(own: Operation): Operation {
  const tell = (c: Context, error: unknown): Response => {
    if (error instanceof GateUnavailable && error.code !== 'UNAVAILABLE') return problem(c, 503, error.code, error.message);
    throw error;
  };
  return { ...own, respond: (c, given) => own.respond(c, given).catch((error: unknown) => tell(c, error)) };
}
