import { createServer } from 'node:net';
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Command } from 'commander';
import pMap from 'p-map';
import { afterAll, describe, expect, test } from 'vitest';
import { createProgram } from './program.ts';
import { bin, cleanEnvironment, freePorts, makeFolder, weir } from './testing/weir.ts';

const folder = makeFolder();
afterAll(() => folder.remove());

/** Commands that do something, as one types them. */
function leaves(command: Command, names: readonly string[] = []): string[] {
  return command.commands.length === 0 ? [names.join(' ')] : command.commands.flatMap((each) => leaves(each, [...names, each.name()]));
}
/** `complete` is for the scripts of shells alone. */
const commands = leaves(createProgram()).filter((name) => name !== 'complete');

describe('help', () => {
  test('of every command has an example and ends with 0', async () => {
    expect(commands.length).toBeGreaterThan(40);
    const answers = await pMap(commands, (command) => weir([...command.split(' '), '--help']), { concurrency: 4 });
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

// test/api/wrong-inputs.md has the messages of each command.
describe('wrong usage: exit code 2 and nothing on stdout for', () => {
  test.each([
    [[], 'Usage: weir'],
    [['keys'], 'Usage: weir keys'],
  ])('%j', async (args, said) => {
    const { code, stdout, stderr } = await weir(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(said);
  });

  test('the message ends with the help to ask for', async () => {
    expect((await weir(['keys', 'create', '--role', 'gate'])).stderr).toBe(
      "weir: give --name, or --person for the token of a person\nRun 'weir keys create --help' for usage.\n",
    );
    expect((await weir(['keys', 'craete'])).stderr).toBe(
      "error: unknown command 'craete'\n(Did you mean create?)\nRun 'weir keys --help' for usage.\n",
    );
  });
});

describe('completion', () => {
  const complete = async (...words: string[]): Promise<string[]> => {
    const { code, stdout } = await weir(['complete', '--', ...words], { cwd: folder.path });
    expect(code).toBe(0);
    return stdout.split('\n').flatMap((line) => (line === '' || line.startsWith(':') ? [] : [line.split('\t')[0] ?? '']));
  };

  test('offers commands, options, choices and files', async () => {
    writeFileSync(join(folder.path, 'audit.jsonl'), '');
    expect(await complete('rev')).toEqual(['reviews']);
    expect(await complete('webhooks', '')).toEqual(['list', 'show', 'retry', 'off', 'help']);
    expect(await complete('audit', 'verify', '--ch')).toEqual(['--checkpoint']);
    expect(await complete('screen', 'ETH', '0x1', '--direction', '')).toEqual(['deposit', 'withdraw']);
    expect(await complete('audit', 'verify', 'au')).toEqual(['audit.jsonl']);
  });

  test.each(['bash', 'zsh', 'fish'])('%s has a script that asks weir', async (shell) => {
    expect(await weir(['completion', shell])).toMatchObject({ code: 0, stdout: expect.stringContaining('weir complete --'), stderr: '' });
  });

  test('bash completes with the script', async () => {
    const script = join(folder.path, 'weir.bash');
    writeFileSync(script, (await weir(['completion', 'bash'])).stdout);
    // The function of the package bash-completion.
    const words = '_get_comp_words_by_ref() { cur=re prev=webhooks words=(weir webhooks re) cword=2; }';
    const line = `. ${script}; ${words}; weir() { ${process.execPath} ${bin} "$@"; }; __weir_complete; echo "\${COMPREPLY[@]}"`;
    const { stdout } = await promisify(execFile)('bash', ['-c', line], { env: cleanEnvironment });
    expect(stdout.trim()).toBe('retry');
  });
});

describe('an unknown variable', () => {
  const list = (env: NodeJS.ProcessEnv) => weir(['settings', '--json'], { env });

  test('that resembles a setting is an error, since the setting would have its default', async () => {
    expect(await list({ WEIR_DEPOSIT_DEADLNE_MS: '1', WEIR_KAFKA_BROKERS: 'k:9092' })).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'weir: setting WEIR_DEPOSIT_DEADLNE_MS is unknown; did you mean WEIR_DEPOSIT_DEADLINE_MS? ' +
        'setting WEIR_KAFKA_BROKERS is unknown; did you mean KAFKA_BROKERS?\n',
    });
  });

  test('that resembles none is named', async () => {
    expect(await list({ WEIR_REGION: 'eu' })).toMatchObject({
      code: 0,
      stderr: 'weir: variable WEIR_REGION is no setting of Weir and has no effect\n',
    });
  });

  test('of Kubernetes, of docker-compose.yml or of the tests is none', async () => {
    const env = {
      WEIR_CONSOLE_PORT: 'tcp://10.0.0.1:4006',
      WEIR_CONSOLE_SERVICE_HOST: '10.0.0.1',
      WEIR_CONSOLE_PORT_4006_TCP_ADDR: '10.0.0.1',
      WEIR_GRAFANA_PORT: '3000',
      WEIR_TEST_SEED: '1',
      WEIR_EMPTY: '',
    };
    expect(await list(env)).toMatchObject({ code: 0, stderr: '' });
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
