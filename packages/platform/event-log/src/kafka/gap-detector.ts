import { backoff, type Clock, repeat, Signal } from '@weir/clock';
import type { LogGap } from '../port.ts';
import type { CommittedOffsets, Directory } from './directory.ts';
import type { AssignedPartition } from './assigned-partition.ts';
import { keyOf } from './assigned-partitions.ts';
import { settings } from './settings.ts';

const idleMs = 60_000;
const maxFailures = 3;

export interface GapDetectorOptions {
  readonly clock: Clock;
  readonly directory: Pick<Directory, 'committed' | 'firstOffsets'>;
  readonly group: string;
  readonly begin: 'start' | 'present';
  readonly assignedPartitions: () => readonly AssignedPartition[];
  readonly stopAt: (assigned: AssignedPartition, gap: LogGap) => void;
  /** Called when doubtful records may be handed out, or an offset may be due. */
  readonly settled: () => void;
  readonly onError: (error: unknown) => void;
}

interface Rest {
  readonly failures: number;
  readonly until: number;
}

/** Detects that unread records are missing. Delivery and commits before the doubt continue meanwhile. */
export class GapDetector {
  readonly #options: GapDetectorOptions;
  readonly #wakeup: Signal;
  readonly #stop = new AbortController();
  /** The group's last commits; a reset of kafkajs does not change them. */
  #known = new Map<string, bigint>();
  /** This member's commits since the last read of the group's offsets. */
  #own = new Map<string, bigint>();
  /** Partitions that this member has begun. They are not new, also when the broker has removed their offsets. */
  readonly #begun = new Set<string>();
  #reading: Promise<unknown> = Promise.resolve();
  #checking: Promise<void> = Promise.resolve();
  readonly #rests = new WeakMap<AssignedPartition, Rest>();
  #wasCutShort = false;

  constructor(options: GapDetectorOptions) {
    this.#options = options;
    this.#wakeup = new Signal(options.clock);
    const { clock, onError } = options;
    void repeat({ clock, every: idleMs, wakeup: this.#wakeup, signal: this.#stop.signal, onError }, async () => {
      await this.check();
      return this.#pauseMs();
    });
  }

  look(): void {
    this.#wakeup.notify();
  }

  /** While this member joins, because kafkajs's first fetch overwrites the offsets at a gap. */
  remember(): void {
    // The check retries, and treats no partition as new before it has an answer.
    this.#read().catch(() => undefined);
  }

  committed(topic: string, partition: number, offset: bigint): void {
    const key = keyOf({ topic, partition });
    this.#known.set(key, offset);
    this.#own.set(key, offset);
  }

  async check(): Promise<void> {
    this.#checking = this.#checking.then(() => this.#pass());
    await this.#checking;
  }

  /** Does not wait for a request in progress, whose answer has no effect any more. */
  stop(): void {
    this.#stop.abort();
  }

  async #pass(): Promise<void> {
    this.#wasCutShort = false;
    await this.#forEach(
      ({ doubt }) => doubt !== undefined,
      (of) => this.#verify(of),
    );
    await this.#forEach(
      ({ start }) => start === undefined,
      (of) => this.#learn(of),
    );
  }

  /** All at once, then one by one, so a failing partition affects no other. Earlier failures come last. */
  async #forEach(
    isMeant: (assigned: AssignedPartition) => boolean,
    ask: (of: readonly AssignedPartition[]) => Promise<void>,
  ): Promise<void> {
    const { clock, onError } = this.#options;
    const due = this.#open().filter((assigned) => isMeant(assigned) && this.#restOf(assigned) <= 0);
    const failed = due.filter((assigned) => this.#rests.has(assigned)).sort((a, b) => this.#restOf(a) - this.#restOf(b));
    let left = due.filter((assigned) => !this.#rests.has(assigned));
    if (left.length > 0)
      await ask(left).then(
        () => (left = []),
        () => undefined,
      );
    let failures = 0;
    for (const assigned of [...left, ...failed]) {
      if (this.#stop.signal.aborted) return;
      if (failures === maxFailures) {
        this.#wasCutShort = true;
        return;
      }
      try {
        await ask([assigned]);
        this.#rests.delete(assigned);
      } catch (error) {
        failures += 1;
        const times = (this.#rests.get(assigned)?.failures ?? 0) + 1;
        this.#rests.set(assigned, { failures: times, until: clock.monotonic() + backoff(times, settings.rest) });
        if (!this.#stop.signal.aborted) onError(error);
      }
    }
  }

  async #learn(fresh: readonly AssignedPartition[]): Promise<void> {
    const { begin, directory, settled } = this.#options;
    const stored = await this.#read();
    const fromPresent = begin === 'present' ? fresh.filter((assigned) => this.#isNew(keyOf(assigned))) : [];
    const present = fromPresent.length > 0 ? await directory.firstOffsets(fromPresent) : new Map<AssignedPartition, bigint>();
    for (const assigned of fresh) {
      const start = this.#known.get(keyOf(assigned)) ?? present.get(assigned) ?? 0n;
      const isStored = typeof stored.get(assigned.topic)?.get(assigned.partition) === 'bigint';
      assigned.begin(start, isStored ? start : undefined);
      this.#begun.add(keyOf(assigned));
    }
    settled();
  }

  #isNew(key: string): boolean {
    return !this.#known.has(key) && !this.#begun.has(key);
  }

  async #verify(of: readonly AssignedPartition[]): Promise<void> {
    const { directory, group, settled, stopAt } = this.#options;
    const doubts = of.flatMap((assigned) => (assigned.doubt === undefined ? [] : [{ assigned, doubt: assigned.doubt }]));
    if (doubts.length === 0) return;
    const first = await directory.firstOffsets(doubts.map(({ assigned }) => assigned));
    const open = this.#open();
    for (const { assigned, doubt } of doubts) {
      const available = first.get(assigned);
      // Settled, replaced by another doubt, or no longer assigned.
      if (available === undefined || assigned.doubt !== doubt || !open.includes(assigned)) continue;
      const { topic, partition } = assigned;
      if (available > doubt.missing) stopAt(assigned, { group, topic, partition, missing: doubt.missing, available });
      else assigned.trust(doubt);
    }
    settled();
  }

  /** In order, so that no older answer overwrites a newer one. */
  #read(): Promise<CommittedOffsets> {
    const reading = this.#reading.then(() => this.#readNow());
    this.#reading = reading.catch(() => undefined);
    return reading;
  }

  async #readNow(): Promise<CommittedOffsets> {
    const { directory, group } = this.#options;
    this.#own = new Map();
    const stored = await directory.committed(group);
    const known = new Map<string, bigint>();
    for (const [topic, offsets] of stored)
      for (const [partition, offset] of offsets) {
        const key = keyOf({ topic, partition });
        // A reset group is not new. If its offset is unknown, every missing record counts as unread.
        known.set(key, offset === 'reset' ? (this.#known.get(key) ?? 0n) : offset);
      }
    for (const [key, offset] of this.#own) known.set(key, offset);
    this.#known = known;
    return stored;
  }

  /** Partitions to check. The next owner checks those being released. */
  #open(): readonly AssignedPartition[] {
    if (this.#stop.signal.aborted) return [];
    return this.#options
      .assignedPartitions()
      .filter(({ doubt, isLeaving, start }) => !isLeaving && (start === undefined || doubt !== undefined));
  }

  #restOf(assigned: AssignedPartition): number {
    return (this.#rests.get(assigned)?.until ?? -Infinity) - this.#options.clock.monotonic();
  }

  #pauseMs(): number {
    const rests = this.#open().map((assigned) => this.#restOf(assigned));
    return Math.min(idleMs, Math.max(this.#wasCutShort ? settings.pauseMs : 0, Math.min(...rests)));
  }
}
