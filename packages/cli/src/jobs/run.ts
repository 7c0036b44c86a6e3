import { forgetJob, type JobRow, readJobs } from '@weir/service-kit';
import type { PlaceFlags } from '../flags.ts';
import { withInstallation } from '../installation.ts';
import { note, plain, print, printJson, table } from '../output.ts';

interface JobsFlags extends PlaceFlags {
  readonly forget?: string;
  readonly json?: true;
}

const head = ['JOB', 'SERVICE', 'LAST RUN', 'TOOK', 'NEXT RUN', 'RESULT'];

/** Exit code 1 when a job failed or is late. */
export async function showJobs(flags: JobsFlags): Promise<void> {
  await withInstallation(flags, async ({ pool }) => {
    if (flags.forget !== undefined) {
      if (!(await forgetJob(pool, flags.forget))) throw new Error(`there is no job ${flags.forget}; "weir jobs" names them as SERVICE/JOB`);
      return note(`${flags.forget} is forgotten.`);
    }
    const jobs = await readJobs(pool);
    if (jobs.some(({ failure, is_late }) => failure !== null || is_late)) process.exitCode = 1;
    if (flags.json) return printJson(jobs.map(jsonOf));
    if (jobs.length === 0) return note('No job has run yet.');
    return print(table(head, jobs.map(rowOf)));
  });
}

type Result = 'ok' | 'failed' | 'running' | 'waiting';

function resultOf({ started_at, finished_at, failure }: JobRow): Result {
  if (started_at !== null && (finished_at === null || started_at > finished_at)) return 'running';
  if (finished_at === null) return 'waiting';
  return failure === null ? 'ok' : 'failed';
}

function jsonOf(row: JobRow) {
  const seconds = (ms: number | null): number | null => (ms === null ? null : Number((ms / 1_000).toFixed(3)));
  return {
    job: row.name,
    service: row.service,
    interval_seconds: seconds(row.every_ms),
    started_at: timeOf(row.started_at),
    finished_at: timeOf(row.finished_at),
    took_seconds: seconds(row.took_ms),
    result: resultOf(row),
    error: row.failure,
    is_late: row.is_late,
    succeeded_at: timeOf(row.succeeded_at),
    next_at: timeOf(row.next_at),
  };
}

function rowOf(row: JobRow): string[] {
  const { name, service, started_at, took_ms, next_at, failure, is_late } = row;
  const result = resultOf(row);
  const words = [result, ...(is_late ? ['late'] : []), ...(failure === null ? [] : [failure])].join(', ');
  const took = took_ms === null ? '-' : `${(took_ms / 1_000).toFixed(1)} s`;
  return [name, service, timeOf(started_at) ?? '-', took, timeOf(next_at) ?? '-', plain(words)];
}

function timeOf(at: Date | null): string | null {
  return at?.toISOString() ?? null;
}
