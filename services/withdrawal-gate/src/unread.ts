import { type Clock, repeat } from '@weir/clock';
import type { PartitionLag } from '@weir/event-log';
import { GateUnavailable } from './availability.ts';

const lookEveryMs = 1_000;
/** Per lagging partition; the newest ones are merged. */
const mostLooks = 64;

export interface UnreadOptions {
  /** The lag of the gate's decisions group. */
  readonly lag: () => Promise<readonly PartitionLag[]>;
  readonly clock: Clock;
  /** The maximum age of an unread decision in the log. */
  readonly limitMs: number;
  /** Asks the log for each answer, because it may fail while the database works. */
  readonly always: boolean;
}

interface Partition {
  /** Everything before this time was read. Monotonic clock; undefined before the first end is reached. */
  readUntil: number | undefined;
  /** Ends not reached yet, oldest first. */
  ahead: { end: bigint; at: number }[];
}

/**
 * Bounds the age of unread decisions. Each check stores the log's end; once the gate reaches it, everything before that check is read.
 * Until the first end is reached, as after a start, the age is unknown.
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

  /** Checks in the background, so that the age is known at the first request. */
  start(): void {
    this.#loop = this.#run();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#loop;
  }

  /** The maximum age of the oldest unread decision, in milliseconds; 0 when all are read, infinite when unknown. */
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
    // `require` reports an unavailable log.
    const onError = (): void => undefined;
    await repeat({ clock: this.#o.clock, every: lookEveryMs, signal: this.#stop.signal, onError }, () => this.#look());
  }

  async #look(): Promise<void> {
    // Before the request: records that arrive during it may be in its answer.
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
