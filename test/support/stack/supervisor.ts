import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';

/** A server that ends with the test, even when the test is killed. */
export interface Supervised {
  start(): Promise<void>;
  kill(): Promise<void>;
  /** Resolves with its exit code or signal. */
  terminate(): Promise<string>;
  remove(): Promise<void>;
  output(): string;
}

const startLimitMs = 240_000;

/** `folder` is removed with the server. `ready` is polled every 50 ms during a start. */
export function supervise(options: {
  name: string;
  folder: string;
  program: string;
  args: readonly string[];
  env?: NodeJS.ProcessEnv;
  readonly ready: () => Promise<boolean>;
}): Supervised {
  const { name, folder, ready } = options;
  const script = join(import.meta.dirname, 'supervisor-process.ts');
  // Its own process group: Ctrl-C in the terminal must not end it before it has cleaned up.
  const supervisor = spawn(process.execPath, [script, folder, options.program, ...options.args], {
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
    env: { ...process.env, ...options.env },
  });
  let running = false;
  let ended = Promise.resolve('');
  let tellEnded = (_how: string): void => undefined;
  createInterface({ input: supervisor.stdout }).on('line', (line) => {
    if (!line.startsWith('ended ')) return;
    running = false;
    tellEnded(line.slice('ended '.length));
  });
  const output = (): string => readFileSync(join(folder, 'output.log'), 'utf8').slice(-3_000);
  const command = (line: string): void => void supervisor.stdin.write(`${line}\n`);

  async function start(): Promise<void> {
    ended = new Promise((resolve) => {
      tellEnded = resolve;
    });
    running = true;
    command('start');
    const end = performance.now() + startLimitMs;
    while (!(await ready())) {
      if (!running) throw new Error(`${name} ended while it started:\n${output()}`);
      if (performance.now() > end) throw new Error(`${name} was not ready in ${startLimitMs / 1_000} s:\n${output()}`);
      await delay(50);
    }
  }

  return {
    start,
    kill: async () => {
      command('kill');
      await ended;
    },
    terminate: () => {
      command('term');
      return ended;
    },
    remove: async () => {
      const gone = exitOf(supervisor);
      supervisor.stdin.end();
      await gone;
    },
    output,
  };
}

function exitOf(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    child.once('exit', () => resolve());
  });
}
