import { readFileSync } from 'node:fs';
import { type ListServer, sampleList, startListServer } from '@weir/chain-import/testing';
import { systemClock } from '@weir/clock';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { examineLists } from '../doctor/lists.ts';
import { UsageError } from '../failure.ts';
import { loadSettings } from '../settings.ts';
import { type Ended, freePorts, startWeir, weir } from '../testing/weir.ts';
import { openWorkspace, type Workspace } from '../testing/workspace.ts';
import { syncLabels } from './sync.ts';

let workspace: Workspace;
let server: ListServer;
beforeAll(async () => {
  [workspace, server] = await Promise.all([openWorkspace(), startListServer()]);
});
afterAll(async () => {
  await Promise.all([workspace.remove(), server.stop()]);
});

const envOf = (settings: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  DATABASE_URL: workspace.database.url,
  WEIR_LIST_URLS: `ofac-sdn=${server.url},un=http://127.0.0.1:1/un.xml`,
  ...settings,
});
const sync = (args: readonly string[], settings: NodeJS.ProcessEnv = {}): Promise<Ended> =>
  weir(['labels', 'sync', ...args], { env: envOf(settings), cwd: workspace.path('.') });
const sdn = readFileSync(sampleList('sdn_advanced.xml'), 'utf8');

describe('weir labels sync', () => {
  test('fetches only named or enabled lists, and takes each over once', async () => {
    server.publish(sdn, '"1"');
    expect(await sync([])).toMatchObject({ code: 2, stderr: expect.stringContaining('no list is enabled') });
    expect(server.requests).toHaveLength(0);
    const first = await sync([], { WEIR_LISTS: 'ofac-sdn' });
    expect(first).toMatchObject({ code: 0, stdout: '' });
    expect(first.stderr).toContain('ofac-sdn: 3 addresses; 35 new labels, 0 known already, 0 ended, 1 rejected (SHA-256 ');
    expect(first.stderr).toContain('Left out, on chains that Weir does not know: 1 XMR.');
    expect(readFileSync(workspace.path('ofac-sdn.rejected.jsonl'), 'utf8')).toContain('1295rkVyNfFpqZpXvKGhDqwhP1jZcNNDMx');
    expect((await sync(['ofac-sdn'])).stderr).toMatch(/^ofac-sdn: unchanged since 20/);
  });

  test('goes on with the next list after a failure, and the exit code tells it', async () => {
    const { code, stdout } = await sync(['un', 'ofac-sdn', '--json']);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toEqual([
      expect.objectContaining({ list: 'un', outcome: 'failed', code: 'UNREACHABLE' }),
      expect.objectContaining({ list: 'ofac-sdn', outcome: 'unchanged' }),
    ]);
  });

  test('reads a file without a network', async () => {
    const { code, stderr } = await sync(['--file', `un=${sampleList('un.xml')}`]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('un: 1 addresses; 17 new labels') });
    const { rows } = await workspace.database.pool.query(
      `SELECT DISTINCT name, authority FROM chain.labels WHERE source = 'UN Security Council'`,
    );
    expect(rows).toEqual([{ name: 'EXAMPLE FUND (Al-Qaida)', authority: 'UN' }]);
  });

  test('watches the enabled lists until Ctrl-C', async () => {
    await workspace.database.pool.query('UPDATE chain.label_lists SET next_at = now()');
    const settings = { WEIR_LISTS: 'ofac-sdn', WEIR_LOG_LEVEL: 'info' };
    const live = startWeir(['labels', 'sync', '--watch'], { env: envOf(settings), cwd: workspace.path('.') });
    await live.said('published list checked');
    expect(await live.end('SIGINT')).toBe(130);
  });

  test('weir doctor tells the age of each enabled list, and why it fails', async () => {
    await workspace.database.pool.query(`UPDATE chain.label_lists SET failures = 2, error = 'STATUS: gone' WHERE name = 'un'`);
    const settings = { ...loadSettings({}), upstreamUrl: '', lists: 'ofac-sdn,un,eu' };
    expect(await examineLists(workspace.database.pool, settings, systemClock)).toEqual([
      { check: 'list ofac-sdn', state: 'ok', detail: 'checked 0 minutes ago' },
      { check: 'list un', state: 'note', detail: 'checked 0 minutes ago; 2 failed since, the last: STATUS: gone' },
      { check: 'list eu', state: 'note', detail: expect.stringContaining('never checked') },
    ]);
    expect(await examineLists(workspace.database.pool, { ...settings, lists: '' }, systemClock)).toEqual([]);
  });
});

test('a started Weir keeps the enabled lists fresh, as the owner of its database', async () => {
  const port = String(await freePorts());
  const own = workspace.path('data');
  server.publish(sdn, '"1"');
  const asked = server.requests.length;
  const settings = { WEIR_LISTS: 'ofac-sdn', WEIR_LOG_LEVEL: 'info', DATABASE_URL: undefined };
  const live = startWeir(['start', '--no-sample', '--port', port, '--data-dir', own], { env: envOf(settings), cwd: workspace.path('.') });
  await live.said('published list checked');
  expect(server.requests.length).toBe(asked + 1);
  const { stdout } = await weir([
    'labels',
    'list',
    '--data-dir',
    own,
    '--address',
    '0x098B716B8Aaf21512996dC57EB0615e2383E2f96',
    '--limit',
    '1',
  ]);
  expect(stdout).toContain('LAZARUS GROUP (DPRK3)');
  expect(await live.end('SIGINT')).toBe(0);
});

describe('weir labels sync opens nothing for', () => {
  test.each<[readonly string[], Parameters<typeof syncLabels>[1], string]>([
    [['ofac'], {}, 'there is no list "ofac"; there are ofac-sdn, '],
    [[], { file: new Map([['un', 'no.xml']]) }, 'there is no file no.xml'],
    [['un'], { sha256: new Map([['un', 'abc']]) }, 'that of un is not 64 hex digits'],
    [['un'], { watch: true }, '--watch keeps the lists of WEIR_LISTS fresh'],
  ])('%j %j', async (names, flags, said) => {
    const asking = syncLabels(names, flags);
    await expect(asking).rejects.toThrow(UsageError);
    await expect(asking).rejects.toThrow(said);
  });
});
