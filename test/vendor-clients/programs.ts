import { execFile, spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { installOnce } from '../support/install-once.ts';
import { npmInstall } from '../support/npm-install.ts';

const run = promisify(execFile);
const requests = '2.34.2';
const misttrack = '1.0.7';
/** Nobody's dependencies newer than this are installed. */
const before = '2026-10-01';
const limitMs = 120_000;

export interface Ran {
  readonly code: number;
  readonly out: string;
}

export interface Api {
  readonly url: string;
  readonly apiKey: string;
}

/** Anything but the loopback is refused at once: a client that does not take the base URL fails. */
const offline = { HTTPS_PROXY: 'http://127.0.0.1:1', HTTP_PROXY: 'http://127.0.0.1:1', NO_PROXY: '127.0.0.1' };

/** Runs a script of misttrack-skills as it is published. Only its constant BASE_URL is another one. */
export async function runSkill(api: Api, script: string, ...args: string[]): Promise<Ran> {
  const packages = await installOnce(`python-requests-${requests}`, pipInstall);
  const program = `import sys, ${script} as skill
skill.BASE_URL = ${JSON.stringify(api.url)}
sys.argv = [${JSON.stringify(`${script}.py`)}, *sys.argv[1:]]
skill.main()`;
  const env = {
    PATH: process.env.PATH,
    ...offline,
    MISTTRACK_API_KEY: api.apiKey,
    PYTHONPATH: `${join(packages, 'packages')}:${join(import.meta.dirname, 'misttrack-skills', 'scripts')}`,
    PYTHONDONTWRITEBYTECODE: '1',
    PYTHONIOENCODING: 'utf-8',
  };
  return run('python3', ['-c', program, ...args], { env, timeout: limitMs }).then(
    ({ stdout }) => ({ code: 0, out: stdout }),
    (error: { code?: unknown; stdout?: string; stderr?: string }) => {
      if (typeof error.code !== 'number') throw error;
      return { code: error.code, out: `${error.stdout}${error.stderr}` };
    },
  );
}

async function pipInstall(folder: string): Promise<void> {
  const environment = join(folder, 'environment');
  const options = { timeout: limitMs };
  await run('python3', ['-m', 'venv', environment], options);
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--target', join(folder, 'packages')];
  await run(join(environment, 'bin', 'python'), [...pip, `requests==${requests}`], options);
}

export interface Mcp {
  /** The text that a tool answers with. */
  call(tool: string, args: object): Promise<string>;
  stop(): void;
}

/** MistTrackMCP from npm, asked over its standard input and output by JSON-RPC. */
export async function startMcp(api: Api): Promise<Mcp> {
  const folder = await installOnce(`misttrack-${misttrack}`, (prefix) => npmInstall(prefix, `misttrack@${misttrack}`, '--before', before));
  const program = join(folder, 'node_modules', 'misttrack', 'dist', 'index.js');
  const options = ['--base-url', api.url, '--key', api.apiKey, '--rate-limit', '1000', '--max-retries', '0'];
  const child = spawn(process.execPath, [program, ...options], {
    cwd: mkdtempSync(join(tmpdir(), 'weir-mcp-')),
    env: { PATH: process.env.PATH, ...offline },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const send = (message: object): boolean => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  let id = 0;
  const request = async (method: string, params: object): Promise<any> => {
    id += 1;
    send({ id, method, params });
    for (;;) {
      const line = await lines.next();
      if (line.done === true) throw new Error('MistTrackMCP has ended');
      const message = JSON.parse(line.value) as { id?: number; result?: unknown; error?: unknown };
      if (message.id === id && message.error === undefined) return message.result;
      if (message.id === id) throw new Error(JSON.stringify(message.error));
    }
  };
  await request('initialize', { protocolVersion: '2025-03-26', capabilities: {}, clientInfo: { name: 'test', version: '1' } });
  send({ method: 'notifications/initialized' });
  return {
    call: async (name, args) => ((await request('tools/call', { name, arguments: args })).content as { text: string }[])[0]?.text ?? '',
    stop: () => void child.kill(),
  };
}
