import { type Clock, repeat } from '@weir/clock';
import type { PartitionLag } from '@weir/event-log';
import { GateUnavailable } from './availability.ts';

const lookEveryMs = 1_000;
/** A partition that is behind keeps this many looks at most; the newest ones are merged. */
const mostLooks = 64;

export interface UnreadOptions {
  /** How far the gate has read the decisions. */
  readonly lag: () => Promise<readonly PartitionLag[]>;
  readonly clock: Clock;
  /** Longest that a decision may be in the log and not be read. */
  readonly limitMs: number;
  /** The log may be away though the database is there, so it is asked each time. */
  readonly always: boolean;
}

interface Partition {
  /** All that was in the partition then is read. On the clock that never goes back; undefined before the first end is reached. */
  readUntil: number | undefined;
  /** Ends that are not reached yet, the oldest first. */
  ahead: { end: bigint; at: number }[];
}

/**
 * Bounds the age of the decisions that the gate has not read. It remembers where the log ended at each look: an end that is reached says
 * that everything older than that look is read. Before the first end is reached nothing is known, as after a start.
 */
export class UnreadDecisions {
  readonly #o: UnreadOptions;
  readonly #partitions = new Map<string, Partition>();
  readonly #stop = new AbortController();
  #lookedAt = Number.NEGATIVE_INFINITY;
  #loop: Promise<void> = Promise.resolve();

  constructor(options: UnreadOptions) {
    this.#o = options;
  }

  /** Looks from time to time also while nobody asks, so that the age is known when somebody does. */
  start(): void {
    this.#loop = this.#run();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#loop;
  }

  /** How long the oldest unread decision may have waited, in milliseconds; 0 when all are read, infinite when that is not known. */
  age(): number {
    const now = this.#o.clock.monotonic();
    const ages = [...this.#partitions.values()].map(({ readUntil, ahead }) => {
      if (readUntil === undefined) return Number.POSITIVE_INFINITY;
      return ahead.length === 0 ? 0 : now - readUntil;
    });
    return ages.length === 0 ? Number.POSITIVE_INFINITY : Math.max(...ages);
  }

  /** Rejects with `GateUnavailable` when an unread decision may be older than the limit. */
  async require(): Promise<void> {
    const { clock, limitMs, always } = this.#o;
    if (always || clock.monotonic() - this.#lookedAt >= lookEveryMs || this.age() > limitMs) await this.#look();
    if (this.age() <= limitMs) return;
    throw new GateUnavailable('decisions wait to be read for too long; ask again', { code: 'DECISIONS_UNREAD' });
  }

  async #run(): Promise<void> {
    // A log that is away is told to whoever asks.
    const onError = (): void => undefined;
    await repeat({ clock: this.#o.clock, every: lookEveryMs, signal: this.#stop.signal, onError }, () => this.#look());
  }

  async #look(): Promise<void> {
    // Before the answer: what comes meanwhile may be part of it.
    const at = this.#o.clock.monotonic();
    const lags = await this.#o.lag();
    this.#lookedAt = Math.max(this.#lookedAt, at);
    for (const { topic, partition, end, lag } of lags) {
      const name = `${topic}/${partition}`;
      const known = this.#partitions.get(name) ?? { readUntil: undefined, ahead: [] };
      this.#partitions.set(name, known);
      note(known, { end, read: end - lag, at });
    }
  }
}

function note(partition: Partition, { end, read, at }: { end: bigint; read: bigint; at: number }): void {
  const reached = read >= end ? [...partition.ahead, { end, at }] : partition.ahead.filter((look) => look.end <= read);
  const latest = Math.max(...reached.map((look) => look.at));
  if (reached.length > 0) partition.readUntil = Math.max(partition.readUntil ?? latest, latest);
  partition.ahead = partition.ahead.filter((look) => look.end > read);
  if (read >= end) return;
  if (partition.ahead.length < mostLooks) partition.ahead.push({ end, at });
  else partition.ahead[mostLooks - 1] = { end, at };
}
