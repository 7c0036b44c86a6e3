import { systemClock } from '@weir/clock';
import { listImports } from '@weir/chain-store';
import { asOwner } from '@weir/installation';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openWorkspace, type Workspace } from '../testing/workspace.ts';
import { importSample } from './sample.ts';

let workspace: Workspace;
beforeAll(async () => {
  workspace = await openWorkspace();
  expect(await workspace.run('migrate')).toMatchObject({ code: 0 });
});
afterAll(() => workspace.remove());

test('replicas that start at once import the sample once, and none fails', async () => {
  const { url } = workspace.database;
  const facts = await Promise.all([1, 2, 3].map(() => importSample(url, systemClock)));
  expect(facts[0]?.labels).toBeGreaterThan(0);
  expect(facts).toEqual([facts[0], facts[0], facts[0]]);
  const imports = await asOwner(url, (pool) => listImports(pool));
  expect(imports.map(({ kind, inserted, unchanged }) => [kind, inserted > 0, unchanged])).toEqual(
    expect.arrayContaining([
      ['labels', true, 0],
      ['transfers', true, 0],
    ]),
  );
});
