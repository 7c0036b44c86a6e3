import { randomBytes } from 'node:crypto';
import { repeat } from '@weir/clock';
import type { Gathering } from '@weir/event-log';
import { migrate } from '@weir/postgres';
import {
  type AccessSettings,
  accessSchema,
  ConfigError,
  loadConfig,
  Outbox,
  type Pipeline,
  type Service,
  type SignInOptions,
  signInOptions,
  subscribeStage,
} from '@weir/service-kit';
import { SessionCallers, Sessions } from '@weir/sessions';
import { publishActivities } from './activities.ts';
import { groupHolds, groupLeftHolds } from './cases/grouping.ts';
import { measureCases } from './cases/measure.ts';
import { escalateCases } from './cases/store.ts';
import type { ConsoleSettings } from './config.ts';
import { type ScreeningEvent, screeningUpdateOf } from './screening-update.ts';
import { createConsoleMetrics } from './metrics.ts';
import { project } from './project.ts';
import { ReviewService } from './reviews/review-service.ts';
import { measureHistory } from './history/measure.ts';
import { measureReviews } from './reviews/measure.ts';
import { consoleOperations } from './operations.ts';
import { forwardRoutes } from './forward/forward.ts';
import { partsOf } from './health/parts.ts';
import { consolePages } from './pages/routes.ts';
import { providerPages } from './sessions/provider-pages.ts';
import { ProviderSignIn } from './sessions/provider-sign-in.ts';
import { consoleMigrations } from './migrations.ts';
import { startWebhooks } from './webhooks/service.ts';

/** Nobody waits for the list. A screening that is decided within `mostMs` has its row written once, with its index entries. */
const gather: Gathering = { ms: 250, mostMs: 2_000, isLast: ({ topic }) => topic === 'screenings.decided' };
/** Undecided screenings, some kilobytes each; beyond that their rows are written before they are decided. */
const batchesInFlight = 16;

/** An act is in the audit log within this time. */
const activitiesEveryMs = 1_000;

const escalateEveryMs = 10_000;
/** Holds of an earlier version, and those of a revision that a person made while their case was closed. */
const groupLeftEveryMs = 600_000;
const leftAtOnce = 200;

/** Projects events into the list of screenings, serves it, groups holds into cases, and accepts resolutions. */
export async function startConsole(pipeline: Pipeline, settings: ConsoleSettings & Partial<AccessSettings>): Promise<Service> {
  const { pool, clock, logger, jobs } = pipeline;
  const metrics = createConsoleMetrics(pipeline.metrics);
  await migrate(pool, 'console', consoleMigrations);
  const limits = { idleMs: settings.sessionIdleMs, maxMs: settings.sessionMaxMs };
  const sessions = new Sessions({ db: pool, limits, random: randomBytes });
  const access = new SessionCallers(pipeline.access, sessions);
  const signIn = signInOptions({ ...loadConfig(accessSchema, {}), ...settings });
  const provider = providerSignInOf(settings, signIn);
  const providerSignIn =
    provider && providerPages({ signIn: provider, sessions, maxMs: settings.sessionMaxMs, now: () => clock.now(), logger });
  const webhooks = await startWebhooks({ ...pipeline, access }, metrics, settings);
  const onUnpublished = (err: unknown): void => logger.warn({ err }, 'stored events could not be published; trying again');
  const onUpkeep = (err: unknown): void => logger.warn({ err }, 'cases could not be kept; trying again');
  const outbox = new Outbox({ pool, log: pipeline.log, codec: pipeline.codec, service: 'console', metrics: pipeline.metrics });
  outbox.start(clock, onUnpublished);
  pipeline.metrics.onScrape(() => measureReviews(pool, metrics, clock.now()));
  pipeline.metrics.onScrape(() => measureHistory(pool, metrics, clock.now()));
  const reviewService = new ReviewService({ pool, outbox, clock, singleBelowUsd: settings.reviewSingleBelowUsd, onUnpublished });
  const stopping = new AbortController();
  pipeline.metrics.onScrape(() => measureCases(pool, metrics));
  const grouping = () => ({ now: clock.now(), dueMs: settings.caseDueMs });
  const take = async (events: readonly ScreeningEvent[]): Promise<void> => {
    const updates = events.map(screeningUpdateOf);
    await project(pool, updates, { dueMs: settings.reviewDueMs });
    // Nothing waits for a case, and the upkeep finds holds without one.
    await groupHolds(pool, [...new Set(updates.map(({ screeningId }) => screeningId))], grouping()).catch(onUpkeep);
  };
  const job = { service: 'console', signal: stopping.signal, atStart: true };
  const upkeep = [
    jobs.repeat({ ...job, name: 'escalate-cases', everyMs: escalateEveryMs }, async () => void (await escalateCases(pool, clock.now()))),
    jobs.repeat({ ...job, name: 'group-left-holds', everyMs: groupLeftEveryMs }, async () =>
      (await groupLeftHolds(pool, leftAtOnce, grouping())) > 0 ? { againInMs: 0 } : undefined,
    ),
  ];
  const publishing = repeat({ clock, every: activitiesEveryMs, signal: stopping.signal, onError: onUnpublished }, async () =>
    (await publishActivities(pool, outbox)) > 0 ? 0 : undefined,
  );
  const subscription = await subscribeStage(pipeline, {
    group: 'console',
    topics: ['screenings.requested', 'screenings.scored', 'screenings.decided'],
    maxInFlight: settings.consoleBatch * batchesInFlight,
    maxBatch: settings.consoleBatch,
    maxCalls: 1,
    gather,
    handle: take,
  });
  return {
    operations: [
      ...consoleOperations(pipeline, { reviewService, sessions, signIn, parts: partsOf(settings), stopping: stopping.signal }),
      ...webhooks.operations,
    ],
    pages: consolePages({
      provider: providerSignIn,
      forwarded: forwardRoutes({ settings, access }),
    }),
    warnings: webhooks.warnings,
    stop: async () => {
      stopping.abort('stopped');
      await webhooks.stop();
      await subscription.stop();
      await Promise.all([publishing, ...upkeep]);
      await outbox.stop();
    },
  };
}

/** Undefined without a client at an OIDC provider. Throws `ConfigError` for contradictory settings. */
function providerSignInOf(settings: ConsoleSettings, provider: SignInOptions | undefined): ProviderSignIn | undefined {
  const { oidcClientId: clientId, oidcClientSecret: clientSecret, oidcScopes: scopes } = settings;
  if (clientId === '') return undefined;
  if (provider === undefined) throw new ConfigError('setting WEIR_OIDC_ISSUER is missing: WEIR_OIDC_CLIENT_ID needs it');
  return new ProviderSignIn({ provider, clientId, clientSecret, scopes });
}
