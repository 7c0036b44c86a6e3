import type { LogRecord, TopicPartition } from '../port.ts';
import { WatermarkTracker } from './watermark.ts';

/** A partition that this member has, from being assigned until it is given up or lost. */
export class Assignment implements TopicPartition {
  readonly topic: string;
  readonly partition: number;
  readonly #tracker: WatermarkTracker;
  readonly #halt = new AbortController();
  readonly #idle = Promise.withResolvers<void>();
  #running = 0;
  #abandoned = false;

  constructor(topic: string, partition: number, from: bigint) {
    this.topic = topic;
    this.partition = partition;
    this.#tracker = new WatermarkTracker(from);
  }

  /** Where the group may be committed to: everything below is complete. */
  get watermark(): bigint {
    return this.#tracker.watermark;
  }

  /** Aborted when nothing of this partition is to be started any more. */
  get halted(): AbortSignal {
    return this.#halt.signal;
  }

  /** What is still under way is no longer waited for and should be given up. */
  get abandoned(): boolean {
    return this.#abandoned;
  }

  /** Resolves when, after `halt`, no record of the partition is under way. */
  get idle(): Promise<void> {
    return this.#idle.promise;
  }

  deliver(record: LogRecord): void {
    this.#tracker.deliver(record.offset);
  }

  complete(record: LogRecord): void {
    this.#tracker.complete(record.offset);
  }

  started(): void {
    this.#running++;
  }

  ended(): void {
    this.#running--;
    this.#settle();
  }

  halt(): void {
    this.#halt.abort();
    this.#settle();
  }

  abandon(): void {
    this.#abandoned = true;
  }

  #settle(): void {
    if (this.#running === 0 && this.#halt.signal.aborted) this.#idle.resolve();
  }
}

/** A record in hand: waiting, under way, or waiting for its next try. */
export interface Entry {
  readonly record: LogRecord;
  readonly assignment: Assignment;
}

/** Splits a batch into the runs of one key each; the records of one key are next to each other. */
export function keyRuns(entries: readonly Entry[]): Entry[][] {
  const runs: Entry[][] = [];
  for (const entry of entries) {
    const last = runs.at(-1);
    if (last?.[0]?.record.key === entry.record.key) last.push(entry);
    else runs.push([entry]);
  }
  return runs;
}
