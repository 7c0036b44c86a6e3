import { repeat, Signal } from '@weir/clock';
import { InProcessQueue } from './in-process-queue.ts';
import { closeInTime } from './jobs.ts';
import type { RunQueue, RunQueueOptions } from './queue.ts';

/** How soon a free worker finds a run that another process left in its record. */
const lookEveryMs = 1_000;

/**
 * Runs wait in their records. The process that creates a run computes it if a worker is free. Else the next free worker of any process finds
 * it, the one that waited longest first.
 */
export class PostgresRunQueue implements RunQueue {
  readonly #o: RunQueueOptions;
  readonly #here: InProcessQueue;
  readonly #wakeup: Signal;
  readonly #stop = new AbortController();
  readonly #loop: Promise<void>;

  constructor(options: RunQueueOptions) {
    this.#o = options;
    const { clock, logger, concurrency, work } = options;
    const onError = (error: unknown): void => logger.warn({ err: error }, 'run queue');
    this.#wakeup = new Signal(clock);
    this.#here = new InProcessQueue({ concurrency, mostWaiting: 0, work, onError, onFree: () => this.#wakeup.notify() });
    const loop = { clock, every: lookEveryMs, signal: this.#stop.signal, wakeup: this.#wakeup, onError };
    this.#loop = concurrency === 0 ? Promise.resolve() : repeat(loop, () => this.#look());
  }

  async enqueue(runId: string): Promise<void> {
    if (!this.#stop.signal.aborted) this.#here.offer(runId);
  }

  async isAway(): Promise<boolean> {
    return false;
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await closeInTime(this.#o.clock, Promise.all([this.#loop, this.#here.stop()]));
  }

  async #look(): Promise<void> {
    const limit = this.#here.freeWorkers;
    if (limit === 0) return;
    for (const runId of await this.#o.waiting(limit)) await this.enqueue(runId);
  }
}
