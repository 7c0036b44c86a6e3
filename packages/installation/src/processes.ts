import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { backoff, type Clock, within } from '@weir/clock';
import type { Logger } from '@weir/service-kit';

const program = fileURLToPath(new URL('main.ts', import.meta.url));
/** A busy machine starts slowly. */
const startLimitMs = 120_000;
/** Work in hand takes ten seconds at most. */
const stopLimitMs = 30_000;
/** Pauses before restarts; the first again after a process was ready. */
const restart = { firstMs: 500, longestMs: 10_000 };

export interface ProcessesOptions {
  /** Environment of each process, with its own WEIR_PORT. */
  readonly environments: readonly NodeJS.ProcessEnv[];
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Further processes with services of the pipeline. They share its groups and end with this process. */
export interface Processes {
  stop(): Promise<void>;
}

/** Resolves when all are ready. Rejects if one cannot start; later ones are restarted. */
export async function startProcesses({ environments, clock, logger }: ProcessesOptions): Promise<Processes> {
  const all = environments.map((env) => new SupervisedProcess(env, clock, logger));
  const stop = async (): Promise<void> => void (await Promise.all(all.map((one) => one.stop())));
  try {
    await Promise.all(all.map((one) => one.start()));
    return { stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

class SupervisedProcess {
  readonly #env: NodeJS.ProcessEnv;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #stopping = new AbortController();
  #child: ChildProcess | undefined;
  #kept: Promise<void> = Promise.resolve();

  constructor(env: NodeJS.ProcessEnv, clock: Clock, logger: Logger) {
    this.#env = env;
    this.#clock = clock;
    this.#logger = logger;
  }

  async start(): Promise<void> {
    const { ready, ended } = this.#launch();
    const first = await within(this.#clock, startLimitMs, Promise.race([ready.then(() => 'ready' as const), ended]), {
      late: () => 'not ready in time' as const,
    });
    if (first !== 'ready') throw new Error(`a further process of the pipeline did not start: ${first}`);
    this.#kept = this.#keep(ended);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    const child = this.#child;
    if (child === undefined) return this.#kept;
    child.kill('SIGTERM');
    const gone = new Promise<void>((resolve) =>
      (child.exitCode ?? child.signalCode) === null ? child.once('exit', () => resolve()) : resolve(),
    );
    await within(this.#clock, stopLimitMs, gone, { late: () => void child.kill('SIGKILL') });
    await gone;
    await this.#kept;
  }

  /** `ended` resolves with its exit. */
  #launch(): { ready: Promise<void>; ended: Promise<string> } {
    const child = spawn(process.execPath, [...process.execArgv, program], {
      env: this.#env,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      // Its own session: Ctrl-C in a terminal reaches only Weir, which ends its processes in order.
      detached: true,
    });
    this.#child = child;
    const ended = new Promise<string>((resolve) => {
      child.once('error', (error) => resolve(error.message));
      child.once('exit', (code, signal) => resolve(`it ended with ${code ?? signal}`));
    });
    return { ready: new Promise((resolve) => child.once('message', () => resolve())), ended };
  }

  async #keep(first: Promise<string>): Promise<void> {
    let ended = first;
    for (let attempt = 1; ; ) {
      const said = await ended;
      if (this.#stopping.signal.aborted) return;
      this.#logger.error({ port: this.#env['WEIR_PORT'] }, `a process of the pipeline is started again: ${said}`);
      await this.#clock.sleep(backoff(attempt, restart), this.#stopping.signal);
      if (this.#stopping.signal.aborted) return;
      attempt += 1;
      const next = this.#launch();
      void next.ready.then(() => (attempt = 1));
      ended = next.ended;
    }
  }
}
