import type { Clock } from '@weir/clock';
import { deleteInSteps, type Pool, prepared, type Queryable, rowsAStep } from '@weir/postgres';
import type { Jobs } from '@weir/service-kit';
import type { ConsoleMetrics } from '../metrics.ts';

const sweepEveryMs = 3_600_000;

/** Deletes deliveries that succeeded more than `keepMs` ago, in bounded steps. Failed ones stay until a person retries them. */
async function sweepDelivered(db: Queryable, keepMs: number, now: number): Promise<void> {
  await deleteInSteps(
    db,
    prepared(`DELETE FROM console.deliveries WHERE event_id IN (
       SELECT event_id FROM console.deliveries WHERE state = 'delivered' AND settled_at < $1 LIMIT ${rowsAStep})`),
    [new Date(now - keepMs)],
  );
}

/** Sweeps now and periodically. */
export async function keepSwept(
  { pool, clock, jobs }: { pool: Pool; clock: Clock; jobs: Jobs },
  keepMs: number,
  signal: AbortSignal,
): Promise<void> {
  await jobs.repeat({ service: 'console', name: 'trim-deliveries', everyMs: sweepEveryMs, signal, atStart: true }, () =>
    sweepDelivered(pool, keepMs, clock.now()),
  );
}

/** Measures the age of the oldest pending delivery. */
export async function measureDeliveries(db: Queryable, metrics: ConsoleMetrics, now: number): Promise<void> {
  const { rows } = await db.query<{ since: Date | null }>(`SELECT min(queued_at) AS since FROM console.deliveries WHERE state = 'pending'`);
  const since = rows[0]?.since ?? null;
  metrics.webhookOldest.set(since === null ? 0 : Math.max(now - since.getTime(), 0) / 1_000);
}
