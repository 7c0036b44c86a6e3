import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freeInstallationPort } from './ports.ts';
import { setClock } from './replica.ts';

/** A real installation in its own processes. */
export interface Installation {
  readonly url: string;
  readonly riskUrl: string;
  readonly dataDir: string;
  token(role: string): string;
  addPerson(role: string, name: string): Promise<string>;
  start(): Promise<void>;
  /** Sends SIGKILL. */
  kill(what: 'weir' | 'postgres' | 'both'): Promise<void>;
  end(): Promise<void>;
  remove(): Promise<void>;
  output(): string;
  /** Offsets the wall clock of Weir's process; needs `clockFlags`. */
  setClock(clockMs: number): Promise<void>;
}

/** An idle machine takes two seconds. */
const startLimitMs = 240_000;
const endLimitMs = 120_000;

const today = join(import.meta.dirname, '..', '..', '..');

/** Without npm: node, its flags, the file, `start`. `root`: the checkout to run. */
export function startCommand(args: readonly string[], root = today): { program: string; args: string[] } {
  const script = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).scripts.start as string;
  const [exec, node, ...rest] = script.split(' ');
  // Without exec the shell would keep signals from Weir.
  if (exec !== 'exec' || node !== 'node') throw new Error(`npm start does not run node: ${script}`);
  return { program: process.execPath, args: [...rest.map((part) => (part.startsWith('packages/') ? join(root, part) : part)), ...args] };
}

/**
 * Each start reads `env` anew. `dataDir` default: a new folder. `root`: the checkout to run. `node` adds flags of node and opens an IPC channel
 * to the test.
 */
export async function makeInstallation(
  options: { env?: NodeJS.ProcessEnv; args?: readonly string[]; node?: readonly string[]; dataDir?: string; root?: string } = {},
): Promise<Installation> {
  const root = options.root ?? today;
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'weir-installation-'));
  const port = await freeInstallationPort();
  let child: ChildProcess | undefined;
  let output = '';
  const url = `http://127.0.0.1:${port}`;

  async function start(): Promise<void> {
    const { program, args } = startCommand(['--port', String(port), '--data-dir', dataDir, '--no-sample', ...(options.args ?? [])], root);
    const own = spawn(program, [...(options.node ?? []), ...args], {
      env: { ...process.env, ...options.env },
      stdio: options.node === undefined ? ['ignore', 'pipe', 'pipe'] : ['ignore', 'pipe', 'pipe', 'ipc'],
      // Ctrl-C in the terminal reaches only the test, which ends Weir in order.
      detached: options.node !== undefined,
    });
    child = own;
    for (const stream of [own.stdout, own.stderr]) {
      stream?.on('data', (chunk: Buffer) => {
        output = (output + chunk.toString()).slice(-200_000);
      });
    }
    const end = performance.now() + startLimitMs;
    while (performance.now() < end) {
      if (own.exitCode !== null) throw new Error(`weir ended with ${own.exitCode} while it started:\n${output.slice(-2_000)}`);
      const ready = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(2_000) }).then(
        (r) => r.ok,
        () => false,
      );
      if (ready) return;
      await delay(50);
    }
    throw new Error(`weir was not ready in ${startLimitMs / 1_000} s:\n${output.slice(-2_000)}`);
  }

  async function kill(what: 'weir' | 'postgres' | 'both'): Promise<void> {
    const own = child;
    const postmaster = postmasterPid(dataDir);
    if (what !== 'weir' && postmaster !== undefined) process.kill(postmaster, 'SIGKILL');
    if (what !== 'postgres') own?.kill('SIGKILL');
    // Weir exits without its database, so both are down before the next start.
    await ended(own);
  }

  async function interrupt(): Promise<void> {
    child?.kill('SIGINT');
    await ended(child);
  }

  return {
    url,
    riskUrl: `http://127.0.0.1:${port + 100}`,
    dataDir,
    token: (role) => JSON.parse(readFileSync(join(dataDir, 'dev-credentials.json'), 'utf8')).tokens[role] as string,
    addPerson: async (role, name) => {
      const args = ['keys', 'create', '--role', role, '--person', name, '--json', '--data-dir', dataDir];
      const { stdout } = await promisify(execFile)(process.execPath, [join(root, 'packages', 'cli', 'bin', 'weir.js'), ...args], {
        env: { ...process.env, ...options.env },
      });
      return JSON.parse(stdout).token as string;
    },
    start,
    kill,
    output: () => output,
    setClock: async (clockMs) => {
      if (child !== undefined) await setClock(child, clockMs);
    },
    end: interrupt,
    remove: async () => {
      await interrupt();
      const postmaster = postmasterPid(dataDir);
      if (postmaster !== undefined && isAlive(postmaster)) process.kill(postmaster, 'SIGQUIT');
      rmSync(dataDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    },
  };
}

async function ended(child: ChildProcess | undefined): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const late = delay(endLimitMs, 'late', { ref: false });
  if ((await Promise.race([gone, late])) === 'late') throw new Error(`weir did not end in ${endLimitMs / 1_000} s`);
}

/** Undefined: none has run in the folder. */
export function postmasterPid(dataDir: string): number | undefined {
  try {
    return Number(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0]);
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
