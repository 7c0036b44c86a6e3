import { within } from '@weir/clock';
import { limits } from '../limits.ts';
import type { LogRecord, SubscribeOptions } from '../port.ts';
import { Assignment, type Entry } from './assignment.ts';
import { type AttemptOptions, Attempts } from './attempts.ts';
import { Lanes } from './lanes.ts';

export interface DispatcherOptions extends AttemptOptions, Pick<SubscribeOptions, 'maxInFlight' | 'maxBatch' | 'maxCalls' | 'lingerMs'> {
  /** Told after records ended: there is more room, and a watermark may have moved. */
  progressed(): void;
}

/**
 * The part of a subscription that is the same for every log. An adapter assigns partitions, offers records of them (never more
 * than there is room for), commits the watermarks of the assignments, and drains or drops what it no longer has.
 */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #lanes = new Lanes<Entry>();
  readonly #attempts: Attempts;
  readonly #assignments = new Set<Assignment>();
  #inHand = 0;
  /** Batches that are being tried as a whole. */
  #calls = 0;
  #isLingering = false;
  #stopped = false;

  constructor(options: DispatcherOptions) {
    if (options.maxInFlight < 1 || options.maxBatch < 1 || (options.maxCalls ?? 1) < 1)
      throw new RangeError('maxInFlight, maxBatch and maxCalls must be at least 1');
    this.#options = options;
    this.#attempts = new Attempts(options, (entry, complete) => {
      if (complete) entry.assignment.complete(entry.record);
      this.#inHand--;
      options.progressed();
    });
  }

  /** How many more records may be offered: `maxInFlight` counts those that wait here, too. */
  get room(): number {
    return this.#stopped ? 0 : Math.max(0, this.#options.maxInFlight - this.#inHand);
  }

  /** A partition is now this member's, to be read from the offset `from` on. */
  assign(topic: string, partition: number, from: bigint): Assignment {
    const assignment = new Assignment(topic, partition, from);
    this.#assignments.add(assignment);
    if (this.#stopped) assignment.halt();
    return assignment;
  }

  /** Takes records over, in the order of their offsets. Those of a halted assignment are ignored. */
  offer(assignment: Assignment, records: readonly LogRecord[]): void {
    if (assignment.halted.aborted) return;
    for (const record of records) {
      assignment.deliver(record);
      this.#lanes.add(record.key, { record, assignment });
    }
    this.#inHand += records.length;
    this.#soon();
  }

  /** Starts nothing more of the partition and waits, at most 10 s, for what is under way. The watermark is final then. */
  async drain(assignment: Assignment): Promise<void> {
    this.#halt(assignment);
    await within(this.#options.clock, limits.drainMs, assignment.idle, { late: () => undefined });
    this.#abandon(assignment);
  }

  /** The partition is another member's already: nothing is waited for, and what completes later is not counted. */
  drop(assignment: Assignment): void {
    this.#halt(assignment);
    this.#abandon(assignment);
  }

  /** Hands out nothing more and waits, at most 10 s, for work in hand; then aborts what is left of it. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all([...this.#assignments].map((assignment) => this.drain(assignment)));
  }

  #abandon(assignment: Assignment): void {
    this.#assignments.delete(assignment);
    assignment.abandon();
    this.#attempts.abortAbandoned();
  }

  #halt(assignment: Assignment): void {
    assignment.halt();
    this.#inHand -= this.#lanes.discard((entry) => entry.assignment === assignment);
  }

  /** Hands out what waits: now, or when it has waited long enough for others. */
  #soon(): void {
    const { clock, lingerMs = 0, maxBatch } = this.#options;
    if (lingerMs === 0 || this.#lanes.waiting >= maxBatch) return this.#pump();
    if (this.#isLingering) return;
    this.#isLingering = true;
    void clock.sleep(lingerMs).then(() => {
      this.#isLingering = false;
      this.#pump();
    });
  }

  #pump(): void {
    for (let batch = this.#take(); batch.length > 0; batch = this.#take()) {
      this.#calls++;
      void this.#attempts.batch(
        batch,
        (failed) => {
          this.#calls--;
          // Its keys may not be over for long: what waits for a call must not wait for them.
          if (failed) this.#soon();
        },
        (key) => {
          this.#lanes.release(key);
          this.#soon();
        },
      );
    }
  }

  #take(): Entry[] {
    const { maxBatch, maxCalls = Number.POSITIVE_INFINITY } = this.#options;
    return this.#calls < maxCalls ? this.#lanes.take(maxBatch) : [];
  }
}
