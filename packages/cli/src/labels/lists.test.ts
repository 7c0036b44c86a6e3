import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { sampleList } from '@weir/chain-import/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openWorkspace, type Workspace } from '../testing/workspace.ts';

let workspace: Workspace;
beforeAll(async () => {
  workspace = await openWorkspace();
});
afterAll(() => workspace.remove());

describe('weir labels import of a published list', () => {
  test('needs no format; a coin of an unknown chain is counted, and a wrong address goes to the file of rejected rows', async () => {
    const { code, stderr } = await workspace.run('labels', 'import', sampleList('sdn_advanced.xml'), '--evm-chains', 'ethereum');
    expect(code).toBe(1);
    expect(stderr).toContain('sdn_advanced.xml: 5 records; 3 new, 0 known already, 1 rejected');
    expect(stderr).toContain('Left out: 1 unknown chain XMR.');
    const [rejected] = readFileSync(workspace.path('sdn_advanced.xml.rejected.jsonl'), 'utf8').split('\n');
    expect(JSON.parse(rejected ?? '')).toMatchObject({ number: 4, text: expect.stringContaining('1295rkVyNfFpqZpXvKGhDqwhP1jZcNNDMx') });
    const { rows } = await workspace.database.pool.query('SELECT DISTINCT source, source_kind, authority, category FROM chain.labels');
    expect(rows).toEqual([{ source: 'US OFAC SDN', source_kind: 'authority', authority: 'OFAC', category: 'sanctioned' }]);
  });

  test('its comments are part of it: with them it is another import', async () => {
    copyFileSync(sampleList('sdn.csv'), workspace.path('sdn.csv'));
    const comments = sampleList('sdn_comments.csv');
    expect(await workspace.run('labels', 'import', 'sdn.csv', '--evm-chains', 'ethereum')).toMatchObject({ code: 1 });
    const whole = await workspace.run('labels', 'import', 'sdn.csv', '--evm-chains', 'ethereum', '--comments', comments, '--json');
    expect(whole.code).toBe(0);
    expect(JSON.parse(whole.stdout)).toEqual([expect.objectContaining({ new: 3, known: 2, rejected: 0, left_out: {} })]);
  });

  test('of a coin: the name of the file is not needed', async () => {
    copyFileSync(sampleList('sanctioned_addresses_XBT.txt'), workspace.path('list.txt'));
    const { code, stderr } = await workspace.run('labels', 'import', 'list.txt', '--format', '0xb10c', '--asset', 'XBT');
    expect(code).toBe(0);
    expect(stderr).toContain('2 rows copy a listing of OFAC');
    expect(existsSync(workspace.path('list.txt.rejected.jsonl'))).toBe(false);
  });
});
