import { afterAll, beforeAll, expect, test } from 'vitest';
import { openWorkspace, type Workspace } from '../testing/workspace.ts';

let workspace: Workspace;
beforeAll(async () => {
  workspace = await openWorkspace();
  expect(await workspace.run('migrate')).toMatchObject({ code: 0 });
});
afterAll(() => workspace.remove());

interface Shown {
  readonly service: string;
  readonly job: string;
  readonly result: string;
  readonly interval_seconds: number | null;
}

const erasures = async (): Promise<Omit<Shown, 'service'>[]> => {
  const { stdout } = await workspace.run('jobs', '--json');
  return (JSON.parse(stdout) as Shown[])
    .filter(({ service }) => service === 'weir')
    .map(({ job, result, interval_seconds }) => ({ job, result, interval_seconds }));
};
const each = (of: object): object[] => ['erase-expired', 'finish-erasures'].map((job) => ({ job, ...of }));

test('a run of a scheduler is a job, and so is one that fails; one by hand expects no other', async () => {
  expect(await workspace.run('privacy', 'expire')).toMatchObject({ code: 0 });
  expect(await erasures()).toEqual(each({ result: 'ok', interval_seconds: null }));
  expect(await workspace.run('privacy', 'expire', '--every-hours', '24')).toMatchObject({ code: 0 });
  expect(await erasures()).toEqual(each({ result: 'ok', interval_seconds: 86_400 }));
  await workspace.database.pool.query('ALTER TABLE access.erasures RENAME TO erasures_away');
  expect(await workspace.run('privacy', 'expire')).toMatchObject({ code: 1 });
  expect(await erasures()).toEqual([
    { job: 'erase-expired', result: 'ok', interval_seconds: 86_400 },
    { job: 'finish-erasures', result: 'failed', interval_seconds: 86_400 },
  ]);
});

test('it either goes on each day or says when the next run is due', async () => {
  expect(await workspace.run('privacy', 'expire', '--daily', '--every-hours', '24')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--daily'),
  });
});
