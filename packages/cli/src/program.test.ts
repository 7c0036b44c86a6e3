import { createServer } from 'node:net';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { freePorts, makeFolder, weir } from './testing/weir.ts';

const folder = makeFolder();
afterAll(() => folder.remove());

const commands = [
  'start',
  'screen',
  'labels import',
  'labels sync',
  'labels list',
  'transfers import',
  'trace',
  'coins add',
  'coins list',
  'coins remove',
  'policy check',
  'policy diff',
  'policy list',
  'policy show',
  'policy activate',
  'policy shadow',
  'policy backtest',
  'policy replay',
  'policy held',
  'webhooks list',
  'webhooks show',
  'webhooks retry',
  'audit export',
  'keys create',
  'keys ensure',
  'keys list',
  'keys revoke',
  'payments list',
  'payments reconcile',
  'dlq list',
  'dlq show',
  'dlq replay',
  'topics apply',
  'topics acls',
  'topics rebuild',
  'topics resume',
  'doctor',
  'settings',
];

describe('help', () => {
  test('of every command has an example and ends with 0', async () => {
    const answers = await Promise.all(commands.map((command) => weir([...command.split(' '), '--help'])));
    for (const [at, { code, stdout }] of answers.entries()) {
      expect(code).toBe(0);
      expect(stdout).toMatch(/Examples:\n {2}\$ \S/);
      expect(stdout).toContain(`weir ${commands[at]}`);
    }
  });

  test('of the whole names every command', async () => {
    const { stdout } = await weir(['--help']);
    for (const command of commands) expect(stdout).toContain(`  ${command.split(' ')[0]} `);
  });

  test('there is a version', async () => {
    const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '..', 'package.json'), 'utf8'));
    expect(await weir(['--version'])).toMatchObject({ code: 0, stdout: `${version}\n` });
  });
});

describe('wrong usage: exit code 2 and nothing on stdout for', () => {
  test.each([
    [[], 'Usage: weir'],
    [['nonsense'], "unknown command 'nonsense'"],
    [['doctor', '--nonsense'], "unknown option '--nonsense'"],
    [['start', '--port', '99999'], 'whole number from 0 to 65435'],
    [['keys'], 'Usage: weir keys'],
    [['keys', 'create', '--name', 'x'], '--surface'],
    [['keys', 'create', '--role', 'approver', '--name', 'x'], 'give --person NAME'],
    [['keys', 'create', '--role', 'reviewer', '--person', ' '], '--person must have'],
    [['keys', 'create', '--role', 'gate'], 'give --name'],
    [['keys', 'create', '--role', 'gate', '--name', 'x', '--person', 'y'], 'cannot be used'],
    [['keys', 'create', '--name', 'x', '--surface', 'standard', '--role', 'gate'], 'cannot be used'],
    [['keys', 'create', '--name', 'x', '--surface', 'standard', '--expires', '2001-01-01T00:00:00Z'], 'has passed'],
    [['keys', 'create', '--name', 'x', '--surface', 'standard', '--expires', 'tomorrow'], 'such as 2031'],
    [['keys', 'create', '--role', 'auditor', '--name', 'x', '--per-day', '3'], 'for --role ingest or gate'],
    [['keys', 'revoke', 'xyz'], '6 to 16'],
    [['payments', 'list', '--state', 'lost'], 'Allowed choices'],
    [['payments', 'list', '--since', 'yesterday'], 'such as 2031'],
    [['dlq', 'list', '--topic', 'nonsense'], 'there is no topic nonsense'],
    [['dlq', 'show', 'deposits.detected', 'first'], 'is not an offset'],
    [['dlq', 'replay', 'deposits.detected'], 'give offsets, or --all'],
    [['dlq', 'replay', 'deposits.detected', '1', '--all'], 'give offsets, or --all'],
    [['audit', 'export', '--from', '-1'], 'whole number'],
    [['policy', 'backtest', '--since', '2031-01-31'], '--policy'],
    [['policy', 'backtest', '--policy', 'x', '--since', 'tomorrow'], 'such as 2031-01-31'],
    [['policy', 'backtest', '--policy', 'x', '--since', '2031-01-31', '--list', 'allow'], 'OLD:NEW'],
    [['policy', 'shadow', 'x', '--off'], 'give a policy, or --off'],
    [['screen', 'ETH', '0x12'], 'neither an address nor a transaction of ethereum'],
    [['screen', 'NOPE', '0x12'], 'the coin "NOPE" is not known'],
    [['screen', 'no-such-file.csv'], 'there is no file no-such-file.csv'],
  ])('%j', async (args, said) => {
    const { code, stdout, stderr } = await weir(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(said);
  });
});

describe('a wrong setting is one line that names it', () => {
  test.each(['start', 'doctor', 'keys list', 'audit export'])('at %s', async (command) => {
    expect(
      await weir([...command.split(' '), '--data-dir', join(folder.path, 'none')], { env: { WEIR_UPSTREAM_PER_DAY: 'many' } }),
    ).toEqual({
      code: 1,
      stdout: '',
      stderr: 'weir: setting WEIR_UPSTREAM_PER_DAY is wrong: must be a whole number of at least 1\n',
    });
  });
});

test('a port in use is one line', async () => {
  const port = await freePorts();
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const { code, stderr } = await weir(['start', '--port', String(port), '--data-dir', join(folder.path, 'port')]);
  await new Promise((resolve) => server.close(resolve));
  expect({ code, stderr }).toEqual({ code: 1, stderr: `weir: port ${port} is in use; choose another\n` });
});

test('a folder without an installation is left as it is', async () => {
  const dataDir = join(folder.path, 'nowhere');
  const { code, stdout, stderr } = await weir(['keys', 'list', '--data-dir', dataDir]);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/^weir: there is no Weir in .*nowhere; [^\n]+\n$/);
  expect(() => readFileSync(dataDir)).toThrow('ENOENT');
});

test('an old Node is told so, in one line', async () => {
  const preload = "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } })";
  const { code, stdout, stderr } = await weir(['--help'], { node: ['--import', `data:text/javascript,${encodeURIComponent(preload)}`] });
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/^weir needs Node 22\.22 or newer, this is 20\.20\.2; [^\n]+\n$/);
});
