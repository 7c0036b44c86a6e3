import { type Clock, ManualClock, systemClock } from '@weir/clock';
import type { TestDatabase } from '@weir/postgres/testing';
import { Registry } from 'prom-client';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createLogger, forgetJob, type JobRow, Jobs, openPipeline, readJobs } from './index.ts';
import { createPipelineDatabase } from './testing.ts';

let db: TestDatabase;
let registry: Registry;
let stopping: AbortController;
let lines: string[];
const of = { service: 'scoring', name: 'trim' };

beforeEach(async () => {
  db = await createPipelineDatabase();
  registry = new Registry();
  stopping = new AbortController();
  lines = [];
});
afterEach(() => db.drop());

function jobsOf(pool = db.pool, clock: Clock = systemClock): Jobs {
  const logger = createLogger({ service: 'test', level: 'info', destination: { write: (line) => void lines.push(line) } });
  return new Jobs({ db: pool, clock, logger, registry });
}
const rowOf = async (): Promise<JobRow | undefined> => (await readJobs(db.pool))[0];
const valueOf = async (metric: string): Promise<number> => {
  const line = (await registry.metrics()).split('\n').find((each) => each.startsWith(`${metric} `));
  return Number(line?.split(' ').at(-1));
};

test('each run is stored and counted; the first is when the stored one is due', async () => {
  const job = { ...of, everyMs: 30_000, signal: stopping.signal };
  await db.pool.query(
    `INSERT INTO weir.jobs (service, name, every_ms, registered_at, succeeded_at, next_at) VALUES ('scoring', 'trim', 30000, '2020-01-01', '2020-01-01', '2020-01-01')`,
  );
  let runs = 0;
  const running = jobsOf().repeat(job, async () => void (runs += 1));
  await vi.waitFor(async () => expect((await rowOf())?.finished_at).not.toBeNull());
  stopping.abort();
  await running;
  expect(runs).toBe(1);
  const row = await rowOf();
  expect(row).toMatchObject({ service: 'scoring', name: 'trim', every_ms: 30_000, failure: null, is_late: false });
  expect((row?.next_at?.getTime() ?? 0) - (row?.finished_at?.getTime() ?? 0)).toBeCloseTo(30_000, -3);
  expect(await valueOf('weir_job_runs_total{name="scoring/trim",result="ok"}')).toBe(1);
  expect(await valueOf('weir_job_runs_total{name="scoring/trim",result="failed"}')).toBe(0);
  expect(await valueOf('weir_job_interval_seconds{name="scoring/trim"}')).toBe(30);
  expect(await valueOf('weir_job_last_success_timestamp_seconds{name="scoring/trim"}')).toBe((row?.succeeded_at?.getTime() ?? 0) / 1_000);
});

test('a job that another process has run waits for its next time', async () => {
  await jobsOf().run({ ...of, everyMs: 3_600_000 }, async () => undefined);
  const running = jobsOf().repeat({ ...of, everyMs: 3_600_000, signal: stopping.signal }, async () => expect.fail('it is not due'));
  await vi.waitFor(async () => expect(await valueOf('weir_job_interval_seconds{name="scoring/trim"}')).toBe(3_600));
  stopping.abort();
  await running;
  expect(await rowOf()).toMatchObject({ failure: null });
  expect(lines).toEqual([]);
});

test('a failure is logged, counted and stored without secrets, and the job runs again', async () => {
  const seen = Promise.withResolvers<void>();
  let runs = 0;
  const running = jobsOf().repeat({ ...of, everyMs: 5, signal: stopping.signal, atStart: true }, async () => {
    runs += 1;
    if (runs < 3) throw new Error(`GET https://user:secret@host/lists?key=secret ${'long '.repeat(200)}`);
    await seen.promise;
    stopping.abort();
  });
  await vi.waitFor(() => expect(runs).toBe(3));
  expect((await rowOf())?.failure).toMatch(/^GET https:\/\/\*\*\*@host\/lists\?key=\*\*\* long/);
  expect(await rowOf()).toMatchObject({ succeeded_at: null });
  seen.resolve();
  await running;
  expect(await rowOf()).toMatchObject({ failure: null, succeeded_at: expect.any(Date) });
  expect(await valueOf('weir_job_runs_total{name="scoring/trim",result="failed"}')).toBe(2);
  expect(lines.filter((line) => line.includes('a job failed'))).toHaveLength(1);
  expect(lines.join('')).not.toContain('secret');
});

test('the pause after a failure doubles from a minute to a quarter of an hour, and begins anew after a success', async () => {
  const clock = new ManualClock();
  const pauses: number[] = [];
  let isFailing = true;
  let last = clock.now();
  const running = jobsOf(db.pool, clock).repeat({ ...of, everyMs: 3_600_000, signal: stopping.signal, atStart: true }, async () => {
    pauses.push((clock.now() - last) / 60_000);
    last = clock.now();
    if (isFailing) throw new Error('refused');
  });
  const untilPaused = (): Promise<void> => vi.waitFor(() => expect(clock.sleeping).toBe(1), { timeout: 10_000 });
  const nextRun = async (): Promise<void> => {
    const before = pauses.length;
    while (pauses.length === before) {
      await clock.advance(60_000);
      await untilPaused();
    }
  };
  await untilPaused();
  for (let run = 0; run < 6; run += 1) await nextRun();
  const failed = await rowOf();
  expect((failed?.next_at?.getTime() ?? 0) - (failed?.finished_at?.getTime() ?? 0)).toBeCloseTo(900_000, -3);
  isFailing = false;
  await nextRun();
  isFailing = true;
  await nextRun();
  await nextRun();
  stopping.abort();
  await running;
  expect(pauses).toEqual([0, 1, 2, 4, 8, 15, 15, 15, 60, 1]);
});

test('a job that runs often runs again at its interval after each failure', async () => {
  const clock = new ManualClock();
  const runs: number[] = [];
  const running = jobsOf(db.pool, clock).repeat({ ...of, everyMs: 10_000, signal: stopping.signal, atStart: true }, async () => {
    runs.push(clock.now());
    throw new Error('refused');
  });
  for (let run = 0; run < 4; run += 1) {
    await vi.waitFor(() => expect(clock.sleeping).toBe(1), { timeout: 10_000 });
    await clock.advance(10_000);
  }
  await vi.waitFor(() => expect(runs).toHaveLength(5), { timeout: 10_000 });
  stopping.abort();
  await running;
  expect(runs.map((at) => at - (runs[0] ?? 0))).toEqual([0, 10_000, 20_000, 30_000, 40_000]);
});

test.each([
  [1, 60_000],
  [300_000, 300_000],
  [604_800_000, 3_600_000],
])(
  'with a retention of %d ms the log and the outbox are trimmed every %d ms, however many records were trimmed',
  async (retentionMs, everyMs) => {
    await db.pool.query(
      `INSERT INTO weir.jobs (service, name, every_ms, registered_at, next_at)
     SELECT 'scoring', name, 3600000, '2020-01-01', '2020-01-01' FROM unnest('{trim-log,trim-outbox}'::text[]) name`,
    );
    const logger = createLogger({ service: 'test', level: 'silent' });
    const pipeline = await openPipeline({ databaseUrl: db.url, clock: systemClock, logger, retentionMs });
    pipeline.startJobs('scoring');
    await vi.waitFor(async () => expect((await readJobs(db.pool)).map(({ finished_at }) => finished_at)).not.toContain(null));
    await pipeline.close();
    for (const { finished_at, next_at } of await readJobs(db.pool))
      expect((next_at?.getTime() ?? 0) - (finished_at?.getTime() ?? 0)).toBeCloseTo(everyMs, -3);
  },
);

test('a run that has more to do says when it goes on', async () => {
  let runs = 0;
  await jobsOf().repeat({ ...of, everyMs: 3_600_000, signal: stopping.signal, atStart: true }, async () => {
    runs += 1;
    if (runs === 3) stopping.abort();
    return { againInMs: 0 };
  });
  expect(runs).toBe(3);
});

test('a run by hand, without an interval, leaves the one that is expected', async () => {
  await jobsOf().run({ ...of, everyMs: 3_600_000 }, async () => undefined);
  await jobsOf().run(of, async () => undefined);
  const row = await rowOf();
  expect(row?.every_ms).toBe(3_600_000);
  expect((row?.next_at?.getTime() ?? 0) - (row?.finished_at?.getTime() ?? 0)).toBeCloseTo(3_600_000, -3);
});

test('a run that a stop ends has not failed', async () => {
  const stopped = new Error('stopped');
  const run = jobsOf().run({ ...of, signal: stopping.signal }, async () => {
    stopping.abort();
    throw stopped;
  });
  await expect(run).rejects.toBe(stopped);
  expect(await rowOf()).toMatchObject({ failure: null, finished_at: null });
});

test('the text of a failure is bounded, and run rejects with the error', async () => {
  const error = new Error(`\0${'x'.repeat(10_000)}`);
  await expect(jobsOf().run(of, () => Promise.reject(error))).rejects.toBe(error);
  expect((await rowOf())?.failure).toHaveLength(300);
});

test('a run that cannot be recorded is logged and does its work', async () => {
  await db.pool.query('ALTER TABLE weir.jobs RENAME TO gone');
  let runs = 0;
  await jobsOf().repeat({ ...of, everyMs: 5, signal: stopping.signal, atStart: true }, async () => {
    runs += 1;
    if (runs === 3) stopping.abort();
  });
  expect(runs).toBe(3);
  expect(lines.join('')).toContain('could not be recorded');
});

test('a job is late by its interval, a tenth of it and ten minutes after its last success, and never without an interval', async () => {
  const isLate = async (afterMs: number, everyMs: number | null): Promise<boolean | undefined> => {
    await db.pool.query(
      `INSERT INTO weir.jobs (service, name, every_ms, succeeded_at) VALUES ('weir', 'backup', $2, clock_timestamp() - $1 * interval '1 millisecond')
       ON CONFLICT (service, name) DO UPDATE SET every_ms = excluded.every_ms, succeeded_at = excluded.succeeded_at`,
      [afterMs, everyMs],
    );
    return (await rowOf())?.is_late;
  };
  const hour = 3_600_000;
  expect(await isLate(1.1 * hour + 590_000, hour)).toBe(false);
  expect(await isLate(1.1 * hour + 601_000, hour)).toBe(true);
  expect(await isLate(1_000 * hour, null)).toBe(false);
  expect(await forgetJob(db.pool, 'weir/backup')).toBe(true);
  expect(await forgetJob(db.pool, 'weir/backup')).toBe(false);
  expect(await readJobs(db.pool)).toEqual([]);
});

describe('of a job that was late before it began', () => {
  const hour = 3_600_000;
  const job = { ...of, everyMs: hour };
  const stateOf = async () => {
    const row = await rowOf();
    return [row?.is_late, row?.is_catching_up, await valueOf('weir_job_catching_up{name="scoring/trim"}')];
  };
  /** As if all of it had happened so long before. */
  const elapse = (ms: number): Promise<unknown> =>
    db.pool.query(
      `UPDATE weir.jobs SET succeeded_at = succeeded_at - $1 * interval '1 millisecond', trying_since = trying_since - $1 * interval '1 millisecond',
         started_at = started_at - $1 * interval '1 millisecond'`,
      [ms],
    );
  /** Begins a run, the first since three hours. Resolves with what ends it. */
  const begin = async (): Promise<PromiseWithResolvers<void>> => {
    const jobs = jobsOf();
    stopping.abort();
    await jobs.repeat({ ...job, signal: stopping.signal }, async () => undefined);
    await jobs.run(job, async () => undefined);
    await elapse(3 * hour);
    expect(await stateOf()).toEqual([true, false, 0]);
    const begun = Promise.withResolvers<void>();
    const end = Promise.withResolvers<void>();
    running = jobs.run(job, async () => {
      begun.resolve();
      await end.promise;
    });
    running.catch(() => undefined);
    await begun.promise;
    return end;
  };
  let running: Promise<void> = Promise.resolve();

  test('a run is not late while it goes on, nor once it has succeeded', async () => {
    const end = await begin();
    expect(await stateOf()).toEqual([false, true, 1]);
    end.resolve();
    await running;
    expect(await stateOf()).toEqual([false, false, 0]);
  });

  test('a run that has failed is late at once, and the next is late from its beginning', async () => {
    const end = await begin();
    end.reject(new Error('refused'));
    await expect(running).rejects.toThrow('refused');
    expect(await stateOf()).toEqual([true, false, 0]);
    await jobsOf().run(job, async () => expect(await stateOf()).toEqual([true, false, 0]));
  });

  test('a run that hangs is late after the time of any job, also where each run ends its process', async () => {
    const end = await begin();
    await elapse(1.1 * hour + 590_000);
    expect(await stateOf()).toEqual([false, true, 1]);
    // Its process has ended, and another begins a run.
    const again = jobsOf().run(job, () => end.promise);
    await vi.waitFor(async () => expect((await rowOf())?.started_at?.getTime()).toBeGreaterThan(Date.now() - 60_000));
    await elapse(11_000);
    expect(await stateOf()).toEqual([true, false, 0]);
    end.resolve();
    await Promise.all([running, again]);
  });

  test('a run that a stop has ended does not count', async () => {
    await begin().then((end) => end.resolve());
    await running;
    await elapse(3 * hour);
    const stop = new AbortController();
    const stopped = jobsOf().run({ ...job, signal: stop.signal }, async () => {
      stop.abort();
      throw new Error('stopped');
    });
    await expect(stopped).rejects.toThrow('stopped');
    await elapse(3 * hour);
    await jobsOf().run(job, async () => expect(await stateOf()).toEqual([false, true, 1]));
  });
});

test('jobs of commands are in the metrics of every process, jobs of other services are not', async () => {
  await db.pool.query(`INSERT INTO weir.jobs (service, name, every_ms) VALUES ('weir', 'backup', 86400000), ('decision', 'other', 1000)`);
  jobsOf();
  const text = await registry.metrics();
  expect(text).toContain('weir_job_interval_seconds{name="weir/backup"} 86400');
  expect(text).not.toContain('decision/other');
});
