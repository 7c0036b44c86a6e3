import type { Queryable } from '@weir/postgres';
import { Counter, Gauge, type Registry } from 'prom-client';
import { type JobRow, readJobs } from './job-rows.ts';
import { oncePerScrape } from './scrape.ts';

const runsName = 'weir_job_runs_total';

/**
 * Of the jobs that this process runs, and of those of commands and of the database's owner, whose processes serve no metrics. The label is
 * not `job`, which is the scrape's own. Several lists of jobs of a process share them.
 */
export function createJobMetrics(registry: Registry, db: Queryable): Counter<'name' | 'result'> {
  const known = registry.getSingleMetric(runsName) as Counter<'name' | 'result'> | undefined;
  if (known !== undefined) return known;
  const registers = [registry];
  const help = 'Runs of a job (name: service/job) in this process (result: ok, failed)';
  const runs = new Counter({ name: runsName, help, labelNames: ['name', 'result'], registers });
  const collect = oncePerScrape(refresh);
  const lastSuccess = new Gauge({
    name: 'weir_job_last_success_timestamp_seconds',
    help: 'Unix time of the last success of a job (name: service/job) in any process; without one, of its first start',
    labelNames: ['name'],
    registers,
    collect,
  });
  const interval = new Gauge({
    name: 'weir_job_interval_seconds',
    help: 'Time within which a job (name: service/job) is to succeed again',
    labelNames: ['name'],
    registers,
    collect,
  });
  const catchingUp = new Gauge({
    name: 'weir_job_catching_up',
    help: '1 while the first run of a job (name: service/job) that is late goes on, and is not late itself',
    labelNames: ['name'],
    registers,
    collect,
  });
  return runs;

  async function refresh(): Promise<void> {
    const own = new Set((await runs.get()).values.map(({ labels }) => labels.name));
    // What cannot be read is not late: a database that is away has alerts of its own.
    const rows = await readJobs(db).catch((): JobRow[] => []);
    lastSuccess.reset();
    interval.reset();
    catchingUp.reset();
    for (const { service, name, registered_at, succeeded_at, every_ms, is_catching_up } of rows) {
      const labels = { name: `${service}/${name}` };
      if (service !== 'weir' && !own.has(labels.name)) continue;
      lastSuccess.set(labels, (succeeded_at ?? registered_at).getTime() / 1_000);
      catchingUp.set(labels, is_catching_up ? 1 : 0);
      if (every_ms !== null) interval.set(labels, every_ms / 1_000);
    }
  }
}
