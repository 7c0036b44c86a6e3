import { type Clock, Signal } from '@weir/clock';
import type { Dispatcher } from '../dispatcher/index.ts';
import { limits } from '../limits.ts';
import type { AssignedPartition } from './assigned-partition.ts';

const idleMs = 60_000;

export interface FeederOptions {
  readonly clock: Clock;
  readonly dispatcher: Dispatcher;
  readonly maxInFlight: number;
  readonly holdings: () => readonly AssignedPartition[];
  readonly pause: (holding: AssignedPartition) => void;
  readonly resume: (holding: AssignedPartition) => void;
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
    const { dispatcher, holdings } = this.#options;
    const full = holdings().filter((holding) => holding.waiting > 0 && !holding.isLeaving);
    if (full.length === 0 || dispatcher.room === 0 || !this.#worthwhile()) {
      if (full.length === 0 || dispatcher.room === 0) this.#shortSince = undefined;
      return;
    }
    this.#shortSince = undefined;
    const first = this.#turn++ % full.length;
    for (let turned = [...full.slice(first), ...full.slice(0, first)]; turned.length > 0; ) {
      const share = Math.max(1, Math.floor(dispatcher.room / turned.length));
      for (const holding of turned) dispatcher.offer(holding.assignment, holding.next(Math.min(share, dispatcher.room)));
      turned = dispatcher.room === 0 ? [] : turned.filter((holding) => holding.waiting > 0);
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
    const { holdings, maxInFlight, pause, resume } = this.#options;
    const all = holdings().filter((holding) => !holding.isLeaving && holding.gap === undefined);
    const waiting = all.reduce((sum, holding) => sum + holding.fetched, 0);
    for (const holding of all) {
      if (waiting >= maxInFlight && holding.fetched > 0 && !holding.isPaused) pause(holding);
      else if (waiting <= maxInFlight / 2 && holding.isPaused) resume(holding);
    }
  }
}
