import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { freePorts, type Live, makeFolder, startWeir, weir } from '../testing/weir.ts';

const folder = makeFolder();
const place = ['--data-dir', folder.path];
const backups = join(folder.path, 'backups');
let port = 0;
let live: Live | undefined;

interface Shown {
  readonly job: string;
  readonly service: string;
  readonly result: string;
  readonly error: string | null;
  readonly is_late: boolean;
}

beforeAll(async () => {
  mkdirSync(backups);
  port = await freePorts();
  live = startWeir(['start', '--port', String(port), '--no-sample', ...place], { env: { WEIR_BACKUP_DIR: backups } });
  await live.said('Ready after');
});
afterAll(async () => {
  await live?.end('SIGTERM');
  folder.remove();
});

const show = async (): Promise<{ code: number | null; jobs: Shown[] }> => {
  const { code, stdout } = await weir(['jobs', '--json', ...place]);
  return { code, jobs: JSON.parse(stdout) };
};
const named = (jobs: readonly Shown[], name: string): Shown | undefined => jobs.find(({ job }) => job === name);

test('weir jobs shows the jobs of every service, those of the risk API and a backup', async () => {
  expect(await weir(['backup', '--every-hours', '24', ...place])).toMatchObject({ code: 0 });
  const names = [
    'audit-writer/checkpoint',
    'console/escalate-cases',
    'pipeline/trim-log',
    'pipeline/trim-outbox',
    'risk-api/label-contradictions',
    'risk-api/maintain-runs',
    'scoring/trim-results',
    'weir/backup',
    'weir/erase-expired',
    'weir/finish-erasures',
    'withdrawal-gate/rotate-permit-keys',
  ];
  await vi.waitFor(
    async () => {
      const { code, jobs } = await show();
      expect(code).toBe(0);
      expect(jobs.map(({ service, job }) => `${service}/${job}`)).toEqual(expect.arrayContaining(names));
      expect(named(jobs, 'escalate-cases')).toMatchObject({ result: 'ok', interval_seconds: 10 });
      expect(named(jobs, 'maintain-runs')).toMatchObject({ result: 'ok' });
    },
    { timeout: 60_000, interval: 500 },
  );
  const { jobs } = await show();
  expect(named(jobs, 'backup')).toMatchObject({ result: 'ok', interval_seconds: 86_400, error: null, is_late: false });
  expect(named(jobs, 'trim-log')).toMatchObject({ result: 'waiting', interval_seconds: 3_600, next_at: expect.any(String) });
  const { stdout } = await weir(['jobs', ...place]);
  expect(stdout).toMatch(/^JOB +SERVICE +LAST RUN +TOOK +NEXT RUN +RESULT\n/);
  expect(stdout).toMatch(/^backup +weir +\S+Z +\d+\.\d s +\S+Z +ok$/m);
  const exported = await Promise.all([port, port + 100].map(async (at) => (await fetch(`http://127.0.0.1:${at}/metrics`)).text()));
  expect(exported[0]).toContain('weir_job_interval_seconds{name="weir/backup"} 86400');
  expect(exported[1]).toMatch(/^weir_job_runs_total\{name="risk-api\/maintain-runs",result="ok"\} [1-9]/m);
});

test('a backup that fails is shown with its error, until it is forgotten', async () => {
  renameSync(join(backups, 'base'), join(backups, 'base.away'));
  writeFileSync(join(backups, 'base'), 'no folder');
  expect(await weir(['backup', '--every-hours', '24', ...place])).toMatchObject({ code: 1 });
  const { code, jobs } = await show();
  expect(code).toBe(1);
  expect(named(jobs, 'backup')).toMatchObject({ result: 'failed', error: expect.any(String), is_late: false });
  expect((await weir(['jobs', ...place])).stdout).toMatch(/^backup .* failed, \S.*$/m);
  expect(await weir(['jobs', '--forget', 'weir/backup', ...place])).toMatchObject({ code: 0, stdout: '' });
  expect(named((await show()).jobs, 'backup')).toBeUndefined();
  const again = await weir(['jobs', '--forget', 'weir/backup', ...place]);
  expect(again).toMatchObject({ code: 1, stderr: 'weir: there is no job weir/backup; "weir jobs" names them as SERVICE/JOB\n' });
});
