import { userInfo } from 'node:os';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Ended } from '../testing/weir.ts';
import { openWorkspace, type Workspace } from '../testing/workspace.ts';

let workspace: Workspace;
beforeAll(async () => {
  workspace = await openWorkspace();
});
afterAll(() => workspace.remove());

const run = (...args: readonly string[]): Promise<Ended> => workspace.run('labels', ...args);
const address = `0x${'1'.repeat(40)}`;
const why = ['--reason', 'a wrong list', '--person', 'ann'];

test('a wrong list is withdrawn by its import, a label ends by its address, and both need a reason and a person', async () => {
  workspace.write('wrong.csv', `chain,address,name,category,source\nETH,${address},X,sanctioned,a list\nbsc,${address},X,scam,a list\n`);
  const [imported] = JSON.parse((await run('import', 'wrong.csv', '--format', 'csv', '--json')).stdout);
  expect((await run('end', '--address', address, '--source', 'a list', '--reason', ' ', '--person', 'ann')).code).toBe(2);
  expect((await run('end', '--address', address, '--source', 'a list', '--person', 'ann')).code).toBe(2);
  const ended = await run('end', '--address', address, '--source', 'a list', '--category', 'scam', '--at', '2024-01-01', ...why);
  expect([ended.code, ended.stderr]).toEqual([0, '1 label was ended. Scores that read them are computed again.\n']);
  expect((await run('withdraw', '--source', 'a list', '--import', imported.import, ...why)).code).toBe(2);
  expect((await run('withdraw', '--import', imported.import, ...why)).stderr).toContain('give --yes to go on');
  const withdrawn = await run('withdraw', '--import', imported.import.slice(0, 12), ...why, '--yes');
  expect([withdrawn.code, withdrawn.stderr]).toEqual([0, '2 labels were withdrawn. Scores that read them are computed again.\n']);
  expect(JSON.parse((await run('list', '--json')).stdout)).toEqual([]);
  expect((await run('withdraw', '--source', 'a list', ...why, '--yes')).stderr).toContain('no label was withdrawn');
  const { rows } = await workspace.database.pool.query('SELECT action, person, reason, labels::int FROM chain.label_changes ORDER BY id');
  expect(rows).toEqual([
    { action: 'import', person: `os:${userInfo().username}`, reason: null, labels: 2 },
    { action: 'end', person: 'ann', reason: 'a wrong list', labels: 1 },
    { action: 'withdraw', person: 'ann', reason: 'a wrong list', labels: 2 },
  ]);
});
