import type { Clock } from '@weir/clock';
import type { Pool, Queryable } from '@weir/postgres';
import type { RiskStore } from '@weir/risk-engine';
import type { Jobs, Logger } from '@weir/service-kit';
import type { Registry } from 'prom-client';
import type { RiskApiSettings } from './config.ts';
import { createContradictionMetrics } from './label-contradictions.ts';
import type { Tasks } from './runs/tasks.ts';
import { createChangeMetrics } from './score-changes/metrics.ts';
import { ChangeProcessor, keepTelling } from './score-changes/processor.ts';
import { ChangesSweep } from './score-changes/sweep.ts';

const sweepLimit = 5_000;
/** Reads all labels, which takes about a second of each million. */
const contradictionsEveryMs = 600_000;

/** Enqueues lost runs, sweeps old records and publishes changed scores until `signal` is aborted. Also at start, for the remains of an earlier process. */
export function startUpkeep(parts: {
  readonly pool: Pool;
  readonly db: Queryable;
  readonly store: RiskStore;
  readonly tasks: Tasks;
  readonly jobs: Jobs;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly registry: Registry;
  readonly settings: RiskApiSettings;
  readonly signal: AbortSignal;
}): Promise<unknown> {
  const { pool, db, store, tasks, jobs, clock, logger, registry, settings, signal } = parts;
  const sweep = new ChangesSweep(pool);
  const maintain = async (): Promise<void> => {
    await tasks.maintain();
    await sweep.sweep({ askedBefore: new Date(clock.now() - settings.watchMs), limit: sweepLimit });
  };
  const metrics = createChangeMetrics(registry, db);
  const contradictions = createContradictionMetrics({ db, store, clock, logger, registry });
  const onNotified = (notified: number): void => metrics.notified.inc(notified);
  const processor = new ChangeProcessor({ pool, clock, clocksAgreeMs: settings.requeueAfterMs, onNotified });
  const job = { service: 'risk-api', signal, atStart: true };
  return Promise.all([
    jobs.repeat({ ...job, name: 'maintain-runs', everyMs: settings.maintenanceMs }, maintain),
    jobs.repeat({ ...job, name: 'label-contradictions', everyMs: contradictionsEveryMs }, () => contradictions.measure()),
    keepTelling(processor, { clock, logger, signal }),
  ]);
}
