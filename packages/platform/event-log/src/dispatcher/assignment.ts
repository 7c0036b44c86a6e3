import type { LogRecord, TopicPartition } from '../port.ts';
import { WatermarkTracker } from './watermark.ts';

/** From assignment until release or loss. */
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

  /** The offset to commit; every record below it is complete. */
  get watermark(): bigint {
    return this.#tracker.watermark;
  }

  /** Aborts when no more work of this partition may start. */
  get halted(): AbortSignal {
    return this.#halt.signal;
  }

  /** Nobody waits for the rest of the work any more; it should stop. */
  get abandoned(): boolean {
    return this.#abandoned;
  }

  /** Resolves when, after `halt`, no record of the partition is being handled. */
  get idle(): Promise<void> {
    return this.#idle.promise;
  }

  deliver(offset: bigint): void {
    this.#tracker.deliver(offset);
  }

  complete(offset: bigint): void {
    this.#tracker.complete(offset);
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

/** A record in hand: waiting, being handled, or between attempts. */
export interface Entry {
  readonly record: LogRecord;
  readonly assignment: Assignment;
}

/** Splits a batch into one run per key. Records of one key must be adjacent. */
export function keyRuns(entries: readonly Entry[]): Entry[][] {
  const runs: Entry[][] = [];
  for (const entry of entries) {
    const last = runs.at(-1);
    if (last?.[0]?.record.key === entry.record.key) last.push(entry);
    else runs.push([entry]);
  }
  return runs;
}
