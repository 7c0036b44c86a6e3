import { LocalLists } from '@weir/chain-store/sanctions';
import { repeat } from '@weir/clock';
import { screeningFault } from '@weir/contracts';
import { migrate } from '@weir/postgres';
import { openBudget, rateBudgetMigrations } from '@weir/rate-budget';
import { Outbox, type Pipeline, type Service, subscribeStage } from '@weir/service-kit';
import { admit, type Told } from './admit.ts';
import type { ScoringSettings } from './config.ts';
import { LookupRunner } from './lookup-runner.ts';
import { askCounterparties, complete, expire, recordError, saveTask, trimResults } from './lookups.ts';
import { createScoringMetrics } from './metrics.ts';
import { Prices } from './prices.ts';
import { feedName } from './rescreens/feed.ts';
import { measureRescreens } from './rescreens/measure.ts';
import { Rescreens } from './rescreens/rescreens.ts';
import { scoringMigrations } from './migrations.ts';
import { createUpstreamClient } from './upstream-client.ts';
import { TokenShares } from './token-shares.ts';
import { UpstreamWarnings } from './upstream-warnings.ts';

const expireEveryMs = 500;
const expireAtOnce = 500;
const trimEveryMs = 3_600_000;

/** Looks up every requested screening within the budget and publishes the results. */
export async function startScoring(pipeline: Pipeline, settings: ScoringSettings & { redisUrl?: string }): Promise<Service> {
  const { pool, clock, logger } = pipeline;
  const metrics = createScoringMetrics(pipeline.metrics);
  await migrate(pool, 'scoring', scoringMigrations);
  await migrate(pool, 'rate-budget', rateBudgetMigrations);
  const provider = new URL(settings.upstreamUrl).host;
  const limits = { perSecond: settings.upstreamPerSecond, perDay: settings.upstreamPerDay };
  const onError = (err: unknown): void => logger.warn({ err }, 'Redis is away; its connection is opened again');
  const budget = await openBudget({ redisUrl: settings.redisUrl, pool, name: provider, limits, clock, onError });
  const outbox = new Outbox({ pool, log: pipeline.log, codec: pipeline.codec, service: 'scoring', metrics: pipeline.metrics });
  const client = createUpstreamClient(settings, {
    clock,
    onCall: ({ operation, outcome, durationMs }) => {
      metrics.upstreamRequests.inc({ operation, outcome });
      metrics.upstreamDuration.observe({ operation }, durationMs / 1_000);
    },
  });
  const prices = new Prices(client, clock);
  const teller = { pool, outbox, lists: new LocalLists(), provider, prices };
  const shares = new TokenShares({ pool, ...settings });
  const flights = new LookupRunner({
    shares,
    overShare: (lane, lookups) => metrics.tokenOverShare.inc({ lane }, lookups),
    pool,
    clock,
    logger,
    budget,
    limits,
    owner: () => pipeline.session.owner(),
    stale: () => metrics.staleGrants.inc(),
    deps: {
      client,
      clock,
      provider,
      pollMs: settings.upstreamPollMs,
      maxAnswerAgeMs: settings.maxAnswerAgeMs,
      maxResultAgeMs: settings.maxResultAgeMs,
      saveTask: (lookup, taskId) => saveTask(pool, lookup, taskId),
      recordError: (lookup, lastError) => recordError(pool, lookup, lastError),
    },
    finish: async (finished) => {
      for (let open = finished; open.length > 0; ) {
        const asked = await askCounterparties(teller, settings, open, clock.now());
        count(asked.told);
        flights.poke();
        await publish(asked.events);
        const { events, told, unfinished } = await complete(teller, open, clock.now());
        count(told);
        await publish(events);
        open = unfinished;
      }
    },
  });

  const feed = feedName(settings.upstreamApiKey);
  const rescreens = new Rescreens({
    pool,
    outbox,
    client,
    clock,
    logger,
    feed,
    pollMs: settings.rescreenPollMs,
    maxAgeMs: settings.rescreenMaxAgeMs,
    owner: () => pipeline.session.owner(),
    asked: (requests) => {
      for (const { kind } of requests) metrics.rescreens.inc({ kind });
    },
    publish,
  });

  const warnings = new UpstreamWarnings(client, clock);

  const stop = new AbortController();
  outbox.start(clock, (err) => logger.warn({ err }, 'stored events could not be published; trying again'));
  flights.start();
  warnings.start();
  rescreens.start();
  const background = Promise.all([
    every(expireEveryMs, expireDue),
    every(trimEveryMs, () => trimResults(pool)),
    every(trimEveryMs, () => shares.trim()),
  ]);
  const subscription = await subscribeStage(pipeline, {
    group: 'scoring',
    topics: ['screenings.requested'],
    fault: screeningFault,
    handle: async (events) => {
      const admitted = await admit(
        { ...teller, reuse: settings },
        events.map((event) => event.data),
        clock.now(),
      );
      for (const [{ screening_id }, listings] of admitted.listed)
        logger.info(
          { screening_id, sources: [...new Set(listings.map(({ source }) => source))] },
          'a local sanctions list names its counterparty',
        );
      metrics.singleFlight.inc({ result: 'hit' }, admitted.hits);
      metrics.singleFlight.inc({ result: 'joined' }, admitted.joined);
      metrics.singleFlight.inc({ result: 'miss' }, admitted.misses);
      count(admitted.fresh);
      flights.poke();
      await outbox.publish(admitted.events);
    },
  });
  pipeline.metrics.onScrape(() => measureRescreens(pool, metrics, feed));
  pipeline.metrics.onScrape(async () => {
    const left = await budget.remaining();
    for (const [lane, value] of Object.entries(left.day)) metrics.budgetRemaining.set({ window: 'day', lane }, value);
    metrics.budgetRemaining.set({ window: 'second', lane: 'all' }, left.second);
    metrics.budgetLimit.set({ window: 'day' }, limits.perDay);
    metrics.budgetLimit.set({ window: 'second' }, limits.perSecond);
  });

  return {
    // Without Redis no create is granted. Intake is not affected: other services take transfers in, and they wait.
    unavailable: async () => ((await budget.isRedisAway()) ? ['redis'] : []),
    warnings: () => warnings.warnings(),
    stop: async () => {
      await subscription.stop();
      stop.abort();
      await background;
      await rescreens.stop();
      await warnings.stop();
      await flights.stop();
      await prices.stop();
      await budget.close();
      await outbox.stop();
    },
  };

  async function expireDue(): Promise<void> {
    for (let found = expireAtOnce; found === expireAtOnce; ) {
      const { events, told } = await expire(teller, {
        now: clock.now(),
        limit: expireAtOnce,
        lastError: (lane) => flights.lastError(lane),
      });
      found = told.length;
      count(told);
      await publish(events);
    }
  }

  function count(told: readonly Told[]): void {
    for (const { request, result } of told) metrics.screenings.inc({ kind: request.kind, outcome: result.outcome });
  }

  /** The events are stored: the outbox sweep publishes the rest later. */
  async function publish(events: Parameters<Outbox['publish']>[0]): Promise<void> {
    await outbox.publish(events).catch((err: unknown) => logger.warn({ err }, 'stored; it will be published later'));
  }

  async function every(ms: number, work: () => Promise<void>): Promise<void> {
    const warn = (err: unknown): void => logger.warn({ err }, 'background work failed; trying again');
    await repeat({ clock, every: ms, firstAfter: ms, signal: stop.signal, onError: warn }, work);
  }
}
