import { LocalLists } from '@weir/chain-store/sanctions';
import { repeat } from '@weir/clock';
import { screeningFault } from '@weir/contracts';
import { migrate } from '@weir/postgres';
import { rateBudgetMigrations } from '@weir/rate-budget';
import { Outbox, type Pipeline, type Service } from '@weir/service-kit';
import type { ScoringSettings } from './config.ts';
import { publishLabelChanges } from './label-changes.ts';
import { LookupRunner } from './lookup-runner.ts';
import { factsFor } from './facts.ts';
import { recordError } from './lookups.ts';
import { createScoringMetrics, type ScoringMetrics } from './metrics.ts';
import { ResultPublisher } from './result-publisher.ts';
import { feedName } from './rescreens/feed.ts';
import { measureRescreens } from './rescreens/measure.ts';
import { Rescreens } from './rescreens/rescreens.ts';
import { scoringMigrations } from './migrations.ts';
import { PacedCalls } from './analyses/paced-calls.ts';
import { scoringOperations } from './operations.ts';
import { standingOf } from './agreement.ts';
import { storeShadow, trimShadow } from './shadow.ts';
import { trimResults } from './stored-results.ts';
import { TokenShares } from './token-shares.ts';
import { type Asked, measureBudget, openUpstream, type Upstream } from './upstream.ts';

const expireEveryMs = 500;
const trimEveryMs = 3_600_000;
const labelChangesEveryMs = 5_000;

/** Looks up every requested screening within the budget and publishes the results. */
export async function startScoring(pipeline: Pipeline, settings: ScoringSettings & { redisUrl?: string }): Promise<Service> {
  const { pool, clock, logger } = pipeline;
  await migrate(pool, 'scoring', scoringMigrations);
  await migrate(pool, 'rate-budget', rateBudgetMigrations);
  const metrics = createScoringMetrics(pipeline.metrics);
  const upstream = await openUpstream(pipeline, settings, metrics);
  const deciding = [upstream.provider, ...(upstream.fallback === undefined ? [] : [upstream.fallback.provider])];
  const factsOf = factsFor(deciding, settings.upstreamApiKey);
  const shadowFactsOf = upstream.shadow && factsFor([upstream.shadow.provider], settings.upstreamApiKey);
  const outbox = new Outbox({ pool, log: pipeline.log, codec: pipeline.codec, service: 'scoring', metrics: pipeline.metrics });
  const publisher = new ResultPublisher({
    deps: {
      outbox,
      lists: new LocalLists(),
      provider: upstream.provider.name,
      prices: upstream.prices,
      reuse: settings,
      factsOf,
      shadowFactsOf,
    },
    clock,
    logger,
    metrics,
    run: (first) => pipeline.stages.run(pipeline, outbox, first),
    wake: () => runner.notify(),
    owning: () => runner.owning(),
    begin: (opened) => runner.begin(opened),
    completed: () => shadow?.notify(),
  });
  const shares = new TokenShares({ pool, perDay: upstream.provider.limits.perDay, tokenShareOfDay: settings.tokenShareOfDay });
  const runner = openRunner(pipeline, settings, { shares, publisher, upstream, metrics });
  const shadow = upstream.shadow && openShadow(pipeline, settings, { asked: upstream.shadow, metrics });
  const calls = new PacedCalls({ ...upstream, limits: upstream.provider.limits, clock, onStale: () => metrics.staleGrants.inc() });
  const feed = feedName(settings.upstreamApiKey);
  const rescreens = openRescreens(pipeline, settings, { feed, outbox, publisher, provider: upstream.provider, metrics });

  outbox.start(clock, (err) => logger.warn({ err }, 'stored events could not be published; trying again'));
  runner.start();
  shadow?.start();
  upstream.warnings?.start();
  rescreens.start();
  const background = startBackground(pipeline, [
    [expireEveryMs, () => publisher.expire((lane) => runner.lastError(lane))],
    [labelChangesEveryMs, async () => void (await publishLabelChanges(pool, outbox))],
  ]);
  const trims = startTrims(pipeline, {
    'trim-results': () => trimResults(pool),
    'trim-token-days': () => shares.trim(),
    'trim-comparisons': () => trimShadow(pool),
  });
  const subscription = await pipeline.stages.join(pipeline, {
    group: 'scoring',
    topics: ['screenings.requested'],
    says: ['screenings.scored'],
    outbox,
    fault: screeningFault,
    step: (tx, events, batch) =>
      publisher.admit(
        tx,
        events.map(({ data }) => data),
        batch,
      ),
  });
  pipeline.metrics.onScrape(() => measureRescreens(pool, metrics, feed));
  pipeline.metrics.onScrape(() => measureBudget(upstream, metrics));

  return {
    operations: scoringOperations(pipeline, { ...upstream, calls, maxAnswerAgeMs: settings.maxAnswerAgeMs }),
    // Without Redis no create is granted. Intake is not affected: other services take transfers in, and they wait.
    unavailable: async () => ((await upstream.budget.isRedisAway()) ? ['redis'] : []),
    warnings: () => upstream.warnings?.warnings() ?? [],
    stop: async () => {
      await subscription.stop();
      await Promise.all([background.stop(), trims.stop()]);
      await rescreens.stop();
      await upstream.warnings?.stop();
      await runner.stop();
      await shadow?.stop();
      await calls.stop();
      await upstream.prices.stop();
      await upstream.close();
      await publisher.settled();
      await outbox.stop();
    },
  };
}

function openRunner(
  { pool, clock, logger, session }: Pipeline,
  settings: ScoringSettings,
  of: { shares: TokenShares; publisher: ResultPublisher; upstream: Upstream; metrics: ScoringMetrics },
): LookupRunner {
  const { budget, provider, fallback } = of.upstream;
  return new LookupRunner({
    shares: of.shares,
    overShare: (lane, lookups) => of.metrics.tokenOverShare.inc({ lane }, lookups),
    pool,
    clock,
    logger,
    first: { provider, budget },
    fallback: fallback && { ...fallback, afterMs: settings.fallbackAfterMs },
    fellBack: () => of.metrics.fallbackLookups.inc(),
    owner: () => session.owner(),
    stale: () => of.metrics.staleGrants.inc(),
    deps: lookupDeps({ pool, clock }, settings),
    finish: (finished) => of.publisher.finish(finished),
  });
}

/** The same for the provider that decides and for the one in shadow. */
function lookupDeps(
  { pool, clock }: Pick<Pipeline, 'pool' | 'clock'>,
  settings: ScoringSettings,
): ConstructorParameters<typeof LookupRunner>[0]['deps'] {
  return {
    clock,
    pollMs: settings.upstreamPollMs,
    maxAnswerAgeMs: settings.maxAnswerAgeMs,
    maxResultAgeMs: settings.maxResultAgeMs,
    recordError: (lookup, lastError) => recordError(pool, lookup, lastError),
  };
}

/** Asks the second provider and compares. Its answers decide nothing. */
function openShadow(
  { pool, clock, logger, session }: Pipeline,
  settings: ScoringSettings,
  { asked, metrics }: { asked: Asked; metrics: ScoringMetrics },
): LookupRunner {
  return new LookupRunner({
    isShadow: true,
    first: asked,
    shares: noShares,
    overShare: () => undefined,
    pool,
    clock,
    logger,
    owner: () => session.owner(),
    stale: () => metrics.staleGrants.inc(),
    deps: lookupDeps({ pool, clock }, settings),
    finish: async (finished) => {
      for (const { first, second } of await storeShadow(pool, finished)) {
        const categories = first.categories.join() === second.categories.join() ? 'same' : 'different';
        metrics.comparisons.inc({ first: standingOf(first), second: standingOf(second), categories });
      }
    },
  });
}

/** Shares protect the lookups that decide. */
const noShares = { charge: () => undefined, hasSpent: () => false, spent: () => [], sync: async () => undefined };

function openRescreens(
  { pool, clock, logger, session }: Pipeline,
  settings: ScoringSettings,
  of: { feed: string; outbox: Outbox; publisher: ResultPublisher; provider: Upstream['provider']; metrics: ScoringMetrics },
): Rescreens {
  return new Rescreens({
    pool,
    outbox: of.outbox,
    provider: of.provider,
    clock,
    logger,
    feed: of.feed,
    pollMs: settings.rescreenPollMs,
    maxAgeMs: settings.rescreenMaxAgeMs,
    owner: () => session.owner(),
    asked: (requests) => {
      for (const { kind } of requests) of.metrics.rescreens.inc({ kind });
    },
    publish: (events) => of.publisher.publish(events),
  });
}

/** Jobs by name. */
function startTrims({ jobs }: Pipeline, trims: Readonly<Record<string, () => Promise<void>>>): { stop(): Promise<void> } {
  const stop = new AbortController();
  const of = { service: 'scoring', everyMs: trimEveryMs, signal: stop.signal };
  const running = Promise.all(Object.entries(trims).map(([name, trim]) => jobs.repeat({ ...of, name }, trim)));
  return {
    stop: async () => {
      stop.abort();
      await running;
    },
  };
}

/** Looks for what waits, at an interval in milliseconds. */
function startBackground(
  { clock, logger }: Pipeline,
  loops: readonly (readonly [number, () => Promise<void>])[],
): { stop(): Promise<void> } {
  const stop = new AbortController();
  const onError = (err: unknown): void => logger.warn({ err }, 'background work failed; trying again');
  const running = Promise.all(
    loops.map(([every, work]) => repeat({ clock, every, firstAfter: every, signal: stop.signal, onError }, work)),
  );
  return {
    stop: async () => {
      stop.abort();
      await running;
    },
  };
}
