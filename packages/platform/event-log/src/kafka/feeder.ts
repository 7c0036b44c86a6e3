import { type Clock, Signal } from '@weir/clock';
import type { Dispatcher } from '../dispatcher/index.ts';
import { limits } from '../limits.ts';
import type { AssignedPartition } from './assigned-partition.ts';

const idleMs = 60_000;

export interface FeederOptions {
  readonly clock: Clock;
  readonly dispatcher: Dispatcher;
  readonly maxInFlight: number;
  readonly assignedPartitions: () => readonly AssignedPartition[];
  readonly pause: (assigned: AssignedPartition) => void;
  readonly resume: (assigned: AssignedPartition) => void;
}

/**
 * Shares the dispatcher's room evenly among partitions. Fetches may exceed it; then partitions pause, so at most one `maxInFlight` plus one
 * fetch waits here.
 */
export class Feeder {
  readonly #options: FeederOptions;
  readonly #wakeup: Signal;
  readonly #loop: Promise<void>;
  #turn = 0;
  /** Start of the current shortage of room. */
  #shortSince: number | undefined;
  #stopped = false;

  constructor(options: FeederOptions) {
    this.#options = options;
    this.#wakeup = new Signal(options.clock);
    this.#loop = this.#run();
  }

  look(): void {
    this.#wakeup.notify();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#wakeup.notify();
    await this.#loop;
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      await this.#wakeup.wait(this.#shortSince === undefined ? idleMs : limits.refillMs);
      if (this.#stopped) return;
      this.#feed();
      this.#throttle();
    }
  }

  #feed(): void {
    const { dispatcher, assignedPartitions } = this.#options;
    const full = assignedPartitions().filter((assigned) => assigned.waiting > 0 && !assigned.isLeaving);
    if (full.length === 0 || dispatcher.room === 0 || !this.#worthwhile()) {
      if (full.length === 0 || dispatcher.room === 0) this.#shortSince = undefined;
      return;
    }
    this.#shortSince = undefined;
    const first = this.#turn++ % full.length;
    for (let turned = [...full.slice(first), ...full.slice(0, first)]; turned.length > 0; ) {
      const share = Math.max(1, Math.floor(dispatcher.room / turned.length));
      for (const assigned of turned) dispatcher.offer(assigned.assignment, assigned.next(Math.min(share, dispatcher.room)));
      turned = dispatcher.room === 0 ? [] : turned.filter((assigned) => assigned.waiting > 0);
    }
  }

  /** Waits for enough room so that batches are large, but not for long, since handlers may be slow. */
  #worthwhile(): boolean {
    const { clock, dispatcher, maxInFlight } = this.#options;
    if (dispatcher.room >= maxInFlight / 4) return true;
    const now = clock.monotonic();
    this.#shortSince ??= now;
    return now - this.#shortSince >= limits.refillMs - 1;
  }

  /** Resumes before the queue is empty, so that work remains during the fetch. */
  #throttle(): void {
    const { assignedPartitions, maxInFlight, pause, resume } = this.#options;
    const all = assignedPartitions().filter((assigned) => !assigned.isLeaving && assigned.gap === undefined);
    const waiting = all.reduce((sum, assigned) => sum + assigned.fetched, 0);
    for (const assigned of all) {
      if (waiting >= maxInFlight && assigned.fetched > 0 && !assigned.isPaused) pause(assigned);
      else if (waiting <= maxInFlight / 2 && assigned.isPaused) resume(assigned);
    }
  }
}
