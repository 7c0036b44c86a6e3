import { mkdirSync } from 'node:fs';
import { isRestored, markRestored } from '@weir/service-kit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { weir } from '../testing/weir.ts';
import { openWorkspace, type Workspace } from '../testing/workspace.ts';

let workspace: Workspace;
beforeAll(async () => {
  workspace = await openWorkspace();
  expect(await workspace.run('migrate')).toMatchObject({ code: 0 });
});
afterAll(() => workspace.remove());

test('a restored database is not opened while the folder of a journal is absent', async () => {
  const { pool, url } = workspace.database;
  const folders = { WEIR_PERMIT_JOURNAL: workspace.path('permits'), WEIR_AUDIT_DIR: workspace.path('audit') };
  const reconcile = (...flags: readonly string[]) =>
    weir(['reconcile', ...flags], { env: { DATABASE_URL: url, ...folders }, cwd: workspace.path('.') });
  await markRestored(pool);
  const unset = await workspace.run('reconcile', '--yes');
  expect(unset).toMatchObject({ code: 1, stderr: expect.stringContaining('set WEIR_PERMIT_JOURNAL to') });
  mkdirSync(folders.WEIR_PERMIT_JOURNAL);
  for (const flag of ['--yes', '--dry-run'])
    expect(await reconcile(flag)).toMatchObject({ code: 1, stderr: expect.stringContaining('set WEIR_AUDIT_DIR to') });
  expect(await isRestored(pool)).toBe(true);
  mkdirSync(folders.WEIR_AUDIT_DIR);
  expect((await reconcile('--yes')).stderr).toContain('The gate opens.');
  expect(await isRestored(pool)).toBe(false);
});
