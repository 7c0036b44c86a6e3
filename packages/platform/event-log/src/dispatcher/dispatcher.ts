import { within } from '@weir/clock';
import { limits } from '../limits.ts';
import type { LogRecord, SubscribeOptions } from '../port.ts';
import { Assignment, type Entry } from './assignment.ts';
import { type AttemptOptions, Attempts } from './attempts.ts';
import { Lanes } from './lanes.ts';

export interface DispatcherOptions
  extends AttemptOptions,
    Pick<SubscribeOptions, 'maxInFlight' | 'maxBatch' | 'maxCalls' | 'lingerMs' | 'isHandled'> {
  /** Called after records ended: there may be room, and a watermark may have moved. */
  progressed(): void;
  readonly gather?: SubscribeOptions['gather'];
}

/**
 * The part of a subscription that all logs share. An adapter assigns partitions, offers records within `room`, commits watermarks, and
 * drains or drops partitions.
 */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #lanes = new Lanes<Entry>();
  readonly #attempts: Attempts;
  readonly #assignments = new Set<Assignment>();
  #inHand = 0;
  #calls = 0;
  #isLingering = false;
  /** With `gather`: keys that are due by then are handed out. Monotonic. */
  #gatheredUntil = Number.NEGATIVE_INFINITY;
  #stopped = false;

  constructor(options: DispatcherOptions) {
    if (options.maxInFlight < 1 || options.maxBatch < 1 || (options.maxCalls ?? 1) < 1)
      throw new RangeError('maxInFlight, maxBatch and maxCalls must be at least 1');
    this.#options = options;
    this.#attempts = new Attempts(options, (entry, complete) => {
      if (complete) entry.assignment.complete(entry.record.offset);
      this.#inHand--;
      options.progressed();
    });
  }

  /** Records that may still be offered. `maxInFlight` counts waiting records too. */
  get room(): number {
    return this.#stopped ? 0 : Math.max(0, this.#options.maxInFlight - this.#inHand);
  }

  assign(topic: string, partition: number, from: bigint): Assignment {
    const assignment = new Assignment(topic, partition, from);
    this.#assignments.add(assignment);
    if (this.#stopped) assignment.halt();
    return assignment;
  }

  /** Accepts records in offset order. Ignores those of a halted assignment. `passed`: offsets of records that are complete already. */
  offer(assignment: Assignment, records: readonly LogRecord[], passed: Pick<ReadonlySet<bigint>, 'has'> = new Set()): void {
    if (assignment.halted.aborted) return;
    let isPassed = false;
    const { clock, gather } = this.#options;
    const now = clock.monotonic();
    for (const record of records) {
      assignment.deliver(record.offset);
      if (passed.has(record.offset) || this.#options.isHandled?.(record) === true) {
        assignment.complete(record.offset);
        isPassed = true;
      } else {
        const isLast = gather === undefined || gather.isLast(record);
        this.#lanes.add(record.key, { record, assignment }, isLast ? now : now + gather.mostMs - gather.ms);
        this.#inHand++;
      }
    }
    if (isPassed) this.#options.progressed();
    // What is offered between ticks is due after the next one.
    const isGathering = gather !== undefined && this.#isLingering && this.room > 0 && this.#gatheredUntil !== Number.POSITIVE_INFINITY;
    if (!isGathering) this.#soon();
  }

  /** Completes the records from an offset to another, exclusive, without handing them out. They come next in the partition. */
  pass(assignment: Assignment, from: bigint, to: bigint): void {
    if (assignment.halted.aborted) return;
    for (let offset = from; offset < to; offset += 1n) {
      assignment.deliver(offset);
      assignment.complete(offset);
    }
    this.#options.progressed();
  }

  /** Starts no more work of the partition and waits at most 10 s for the current work. Afterwards the watermark is final. */
  async drain(assignment: Assignment): Promise<void> {
    this.#halt(assignment);
    await within(this.#options.clock, limits.drainMs, assignment.idle, { late: () => undefined });
    this.#abandon(assignment);
  }

  /** Another member owns the partition: later completions do not count. */
  drop(assignment: Assignment): void {
    this.#halt(assignment);
    this.#abandon(assignment);
  }

  /** Starts no more work, waits at most 10 s, then aborts the rest. */
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

  #soon(): void {
    const { clock, lingerMs = 0, gather, maxBatch } = this.#options;
    if (gather !== undefined) return this.#gather(gather.ms);
    if (lingerMs === 0 || this.#lanes.waiting >= maxBatch) return this.#pump();
    if (this.#isLingering) return;
    this.#isLingering = true;
    void clock.sleep(lingerMs).then(() => {
      this.#isLingering = false;
      this.#pump();
    });
  }

  /** Hands out at each tick all keys that are due for half of the time. Without room nothing more can gather. */
  #gather(ms: number): void {
    const { clock } = this.#options;
    if (this.room === 0) this.#gatheredUntil = Number.POSITIVE_INFINITY;
    this.#pump();
    if (this.#isLingering || this.#lanes.waiting === 0) return;
    this.#isLingering = true;
    void clock.sleep(ms).then(() => {
      this.#isLingering = false;
      this.#gatheredUntil = clock.monotonic() - ms / 2;
      this.#gather(ms);
    });
  }

  #pump(): void {
    for (let batch = this.#take(); batch.length > 0; batch = this.#take()) {
      this.#calls++;
      void this.#attempts.batch(
        batch,
        (failed) => {
          this.#calls--;
          // Failed keys may retry for long, so other records must not wait for them.
          if (failed) this.#soon();
        },
        (keys) => {
          for (const key of keys) this.#lanes.release(key);
          this.#soon();
        },
      );
    }
  }

  #take(): Entry[] {
    const { maxBatch, maxCalls = Number.POSITIVE_INFINITY, gather } = this.#options;
    if (this.#calls >= maxCalls) return [];
    return this.#lanes.take(maxBatch, gather === undefined ? Number.POSITIVE_INFINITY : this.#gatheredUntil);
  }
}
