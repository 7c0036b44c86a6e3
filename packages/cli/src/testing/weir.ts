import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@weir/clock';

export const bin = join(import.meta.dirname, '..', '..', 'bin', 'weir.js');
/** Tests must not see the settings of the person who runs them. */
export const cleanEnvironment = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !/^(WEIR_|DATABASE_URL$|REDIS_URL$|KAFKA_|SCHEMA_REGISTRY_|NO_COLOR$|FORCE_COLOR$)/.test(name),
  ),
);

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly env?: NodeJS.ProcessEnv;
  /** Flags of Node itself. */
  readonly node?: readonly string[];
  readonly cwd?: string;
}

function launch(args: readonly string[], { env = {}, node = [], cwd }: RunOptions): ChildProcess {
  return spawn(process.execPath, [...node, bin, ...args], {
    env: { ...cleanEnvironment, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(cwd === undefined ? {} : { cwd }),
  });
}

/** Runs the real command in its own process to its end. */
export async function weir(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  const child = launch(args, options);
  const [stdout, stderr, code] = await Promise.all([textOf(child.stdout), textOf(child.stderr), ended(child)]);
  return { code, stdout, stderr };
}

export interface Live {
  readonly child: ChildProcess;
  output(): string;
  /** Resolves when the text has been written to stdout or stderr. */
  said(text: string): Promise<void>;
  /** Resolves with the exit code. */
  readonly ended: Promise<number | null>;
  end(signal: NodeJS.Signals): Promise<number | null>;
}

export function startWeir(args: readonly string[], options: RunOptions = {}): Live {
  const child = launch(args, options);
  let output = '';
  const listeners = new Set<() => void>();
  const gone = ended(child);
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      for (const listener of listeners) listener();
    });
  }
  return {
    child,
    output: () => output,
    ended: gone,
    said: (text) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (output.includes(text)) resolve();
        };
        listeners.add(look);
        look();
        void gone.then((code) => reject(new Error(`ended with ${code} before it said ${JSON.stringify(text)}:\n${output.slice(-2_000)}`)));
        AbortSignal.timeout(200_000).addEventListener('abort', () =>
          reject(new Error(`did not say ${JSON.stringify(text)}:\n${output.slice(-2_000)}`)),
        );
      }),
    end: async (signal) => {
      child.kill(signal);
      return gone;
    },
  };
}

/** A folder for one test file. */
export function makeFolder(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'weir-cli-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }) };
}

/** A free port whose successor by a hundred is free too. */
export async function freePorts(): Promise<number> {
  for (;;) {
    const port = await tryPort(0);
    if (port !== undefined && port < 65_400 && (await tryPort(port + 100)) !== undefined) return port;
    await systemClock.sleep(1);
  }
}

function tryPort(wanted: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen(wanted, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

function ended(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => child.once('exit', (code) => resolve(code)));
}

async function textOf(stream: NodeJS.ReadableStream | null): Promise<string> {
  let text = '';
  for await (const chunk of stream ?? []) text += chunk.toString();
  return text;
}
