import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const root = join(import.meta.dirname, '..', '..', '..');
const preload = join(import.meta.dirname, 'clock-preload.ts');

/** Flags of node that let `setClock` set the clock of a process with an IPC channel. */
export const clockFlags: readonly string[] = ['--import', preload];

/** 0 resets it. Resolves when done, or when the process has ended. */
export async function setClock(child: ChildProcess, clockMs: number): Promise<void> {
  if (!child.connected) return;
  const over = new AbortController();
  const { signal } = over;
  const done = ['message', 'exit', 'disconnect'].map((event) => once(child, event, { signal }));
  child.send({ clockMs }, () => undefined);
  // A process that lives for hours would gather the listeners.
  await Promise.race([...done, delay(10_000, undefined, { signal })]).finally(() => over.abort());
}

/** An idle machine takes two or three seconds. */
const startLimitMs = 300_000;
const restartEveryMs = 1_000;

/**
 * One process of a service under a supervisor. It restarts after unexpected exits, and after starts that fail because a dependency is down.
 */
export class Replica {
  readonly name: string;
  readonly port: number;
  /** Unexpected exits after readiness. */
  ended = 0;
  readonly #script: string;
  readonly #env: NodeJS.ProcessEnv;
  readonly #file: WriteStream | undefined;
  #child: ChildProcess | undefined;
  #wanted = false;
  #keeping: Promise<void> = Promise.resolve();
  #tail = '';

  /** Each start reads `env` anew. */
  constructor(options: { name: string; script: string; port: number; env: NodeJS.ProcessEnv; logFile?: string | undefined }) {
    this.name = options.name;
    this.port = options.port;
    this.#script = join(root, options.script);
    this.#env = options.env;
    this.#file = options.logFile === undefined ? undefined : createWriteStream(options.logFile, { flags: 'a' });
  }

  /** Undefined while it is down. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  output(): string {
    return this.#tail;
  }

  async start(): Promise<void> {
    if (!this.#wanted) {
      this.#wanted = true;
      this.#keeping = this.#keeping.then(() => this.#keep());
    }
    const end = performance.now() + startLimitMs;
    while (this.#wanted && !(await this.#isReady())) {
      if (performance.now() > end) throw new Error(`${this.name} was not ready in ${startLimitMs / 1_000} s:\n${this.#tail.slice(-2_000)}`);
      await delay(100);
    }
  }

  /** Resolves when the process is gone. */
  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    this.#wanted = false;
    this.#child?.kill(signal);
    const late = delay(30_000, 'late', { ref: false });
    if ((await Promise.race([this.#keeping, late])) !== 'late') return;
    this.#child?.kill('SIGKILL');
    throw new Error(`${this.name} did not end within 30 s of ${signal}:\n${this.#tail.slice(-2_000)}`);
  }

  async setClock(clockMs: number): Promise<void> {
    if (this.#child !== undefined) await setClock(this.#child, clockMs);
  }

  async #keep(): Promise<void> {
    while (this.#wanted) {
      const wasReady = await this.#runOnce();
      if (!this.#wanted) return;
      if (wasReady) this.ended += 1;
      await delay(restartEveryMs);
    }
  }

  /** Returns whether it had been ready. */
  async #runOnce(): Promise<boolean> {
    const child = spawn(process.execPath, [...clockFlags, this.#script], {
      env: { ...process.env, ...this.#env, WEIR_PORT: String(this.port) },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      // Its own session, as in a container: Ctrl-C reaches only the test, and CPU is shared fairly.
      detached: true,
    });
    this.#child = child;
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => this.#note(chunk.toString()));
    let wasReady = false;
    const gone = new Promise<void>((resolve) =>
      child.once('exit', (code, signal) => {
        this.#note(`--- ended with ${code ?? signal}\n`);
        resolve();
      }),
    );
    void (async () => {
      while (child.exitCode === null && child.signalCode === null && !wasReady) {
        wasReady = await this.#isReady();
        await delay(200, undefined, { ref: false });
      }
    })();
    await gone;
    this.#child = undefined;
    return wasReady;
  }

  #note(text: string): void {
    this.#tail = (this.#tail + text).slice(-20_000);
    this.#file?.write(text);
  }

  #isReady(): Promise<boolean> {
    return fetch(`${this.url}/readyz`, { signal: AbortSignal.timeout(5_000) }).then(
      async (answer) => {
        await answer.arrayBuffer();
        return answer.ok;
      },
      () => false,
    );
  }
}
