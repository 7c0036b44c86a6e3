import { repeat } from '@weir/clock';
import { reviewFault, type ScreeningDecided, screeningFault } from '@weir/contracts';
import { migrate, type Pool, type Queryable } from '@weir/postgres';
import { type Logger, type NewEvent, Outbox, type Pipeline, type Service, type Step, type StepEvent } from '@weir/service-kit';
import type { DecisionSettings } from './config.ts';
import { countPending, findOverdue } from './deadline.ts';
import type { Cause } from './causes.ts';
import { type Decided, decideBatch } from './decide-batch.ts';
import { createDecisionMetrics, type DecisionMetrics } from './metrics.ts';
import { policyOperations } from './routes.ts';
import { PoliciesInForce } from './policies.ts';
import { PolicyFile } from './policy-file.ts';
import { decisionMigrations } from './migrations.ts';

const overdueEveryMs = 500;
const overdueAtOnce = 500;

/** `reload` reads the policy file at once. */
export interface DecisionService extends Service {
  reload(): Promise<void>;
}

/** Makes one effective decision for each screening and revision. */
export async function startDecision(pipeline: Pipeline, settings: DecisionSettings): Promise<DecisionService> {
  const { pool, clock, logger } = pipeline;
  const metrics = createDecisionMetrics(pipeline.metrics);
  await migrate(pool, 'decision', decisionMigrations);
  const file = new PolicyFile({ path: settings.policyFile, pool, logger, metrics });
  await file.start();
  const inForce = new PoliciesInForce((err) => logger.error({ err }, 'the candidate policy cannot be read here; it does not run'));
  await measurePolicy(pool, inForce, metrics);
  const { log, codec } = pipeline;
  const outbox = new Outbox({ pool, log, codec, service: 'decision', metrics: pipeline.metrics, keeps: isOfWithdrawal });
  outbox.start(clock, (err) => logger.warn({ err }, 'stored events could not be published; trying again'));
  pipeline.metrics.onScrape(() => measurePolicy(pool, inForce, metrics));
  pipeline.metrics.onScrape(() => measureOpen(pool, metrics));

  const decide = async (tx: Queryable, causes: readonly Cause[]): Promise<Step> => {
    const decided = await decideBatch(tx, { outbox, inForce, reviews: settings }, causes, clock.now());
    return { ...decided, committed: () => report(decided, metrics, logger) };
  };
  const subscription = await pipeline.stages.join(pipeline, {
    group: 'decision',
    topics: ['screenings.requested', 'screenings.scored', 'reviews.resolved'],
    says: ['screenings.decided'],
    outbox,
    fault: (data) => ('resolution_id' in data ? reviewFault(data) : screeningFault(data)),
    step: (tx, events) => decide(tx, events.map(causeOf)),
  });
  const decideOverdue = async (overdue: readonly Cause[]): Promise<void> => {
    const { published } = await pipeline.stages.run(pipeline, outbox, (tx) => decide(tx, overdue));
    await published;
  };
  const stop = new AbortController();
  const watch = Promise.all([watchDeadlines(pipeline, stop.signal, decideOverdue), file.watch(clock, stop.signal)]);

  return {
    operations: policyOperations({ db: pool, access: pipeline.access, clock }),
    warnings: () => file.warnings(),
    reload: () => file.look(true).catch((err: unknown) => logger.warn({ err }, 'the policy file could not be looked at')),
    stop: async () => {
      await subscription.stop();
      stop.abort();
      await watch;
      await outbox.stop();
    },
  };
}

async function watchDeadlines(
  { pool, clock, logger }: Pipeline,
  signal: AbortSignal,
  decideOverdue: (overdue: readonly Cause[]) => Promise<void>,
): Promise<void> {
  const onError = (err: unknown): void => logger.warn({ err }, 'deadlines could not be watched; trying again');
  await repeat({ clock, every: overdueEveryMs, signal, onError }, async () => {
    const overdue = await findOverdue(pool, overdueAtOnce);
    if (overdue.length > 0) await decideOverdue(overdue);
    return overdue.length < overdueAtOnce ? undefined : 0;
  });
}

/** A gate of the version before looks for decisions in the outbox. Remove it in the version after this one. */
function isOfWithdrawal({ data }: NewEvent): boolean {
  return 'kind' in data && data.kind === 'withdrawal';
}

type DecisionEvent = StepEvent<'screenings.requested' | 'screenings.scored' | 'reviews.resolved'>;

function causeOf(event: DecisionEvent): Cause {
  if (event.topic === 'reviews.resolved') return { kind: 'resolved', event: event.data };
  return event.topic === 'screenings.requested' ? { kind: 'requested', event: event.data } : { kind: 'scored', event: event.data };
}

/** Throws when this version of Weir cannot read the policy in force. */
async function measurePolicy(pool: Pool, inForce: PoliciesInForce, metrics: DecisionMetrics): Promise<void> {
  const { active } = await inForce.look(pool);
  metrics.policyInfo.reset();
  metrics.policyInfo.set({ policy_hash: active.hash }, 1);
}

function report({ made, superseded }: Decided, metrics: DecisionMetrics, logger: Logger): void {
  for (const decided of made) count(metrics, decided);
  for (const { action, screening_id } of superseded) {
    metrics.resolutions.inc({ action, result: 'superseded' });
    logger.info({ screening_id }, 'a resolution was superseded by another revision, and changes nothing');
  }
}

function count(metrics: DecisionMetrics, decided: ScreeningDecided): void {
  metrics.decisions.inc({ kind: decided.kind, action: decided.action, level: decided.risk_level ?? 'none', rule: decided.rule ?? 'none' });
  if (decided.shadow !== null && decided.shadow !== decided.action)
    metrics.shadowDisagreements.inc({ action: decided.action, shadow: decided.shadow });
  if (decided.resolution_id !== null) metrics.resolutions.inc({ action: decided.action, result: 'applied' });
  if (decided.revision === 1)
    metrics.screeningDuration.observe(
      { kind: decided.kind },
      Math.max(decided.decided_at - decided.requested_at, 0) / 1_000,
      decided.screening_id.replaceAll('-', ''),
    );
}

async function measureOpen(pool: Pool, metrics: DecisionMetrics): Promise<void> {
  for (const [state, find] of [
    ['pending', countPending],
    ['held', countHeld],
  ] as const) {
    for (const row of await find(pool)) {
      metrics.screeningsOpen.set({ kind: row.kind, state }, row.count);
      metrics.screeningOldest.set({ kind: row.kind, state }, row.oldest);
    }
  }
}

async function countHeld(pool: Pool): Promise<{ kind: string; count: number; oldest: number }[]> {
  const { rows } = await pool.query<{ kind: string; count: number; oldest: number }>(
    `SELECT k.kind, count(s.screening_id)::int AS count, greatest(coalesce(extract(epoch FROM now() - min(s.requested_at)), 0), 0)::float8 AS oldest
     FROM (VALUES ('deposit'), ('withdrawal')) AS k(kind) LEFT JOIN decision.screenings s ON s.kind = k.kind AND s.action = 'review' GROUP BY k.kind`,
  );
  return rows;
}
