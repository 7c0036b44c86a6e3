import { type Clock, repeat } from '@weir/clock';
import type { Directory } from './directory.ts';
import type { AssignedPartition } from './assigned-partition.ts';
import { settings } from './settings.ts';

export interface WatchdogOptions {
  readonly clock: Clock;
  readonly directory: Pick<Directory, 'extents'>;
  readonly assignedPartitions: () => readonly AssignedPartition[];
  readonly silentMs: () => number;
  readonly stallMs: number;
  readonly stalled: (why: Error) => void;
  readonly onError: (error: unknown) => void;
}

interface Sight {
  readonly position: bigint | undefined;
  readonly since: number;
}

/** kafkajs can stop fetching silently: its loop ends, or every fetch omits one partition. */
export class Watchdog {
  readonly #options: WatchdogOptions;
  readonly #sights = new Map<AssignedPartition, Sight>();
  readonly #stop = new AbortController();
  #loop: Promise<void> = Promise.resolve();

  constructor(options: WatchdogOptions) {
    this.#options = options;
  }

  start(): void {
    this.#loop = this.#run();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#loop;
  }

  async #run(): Promise<void> {
    const { clock, onError, stalled, stallMs } = this.#options;
    const every = Math.min(settings.watchEveryMs, stallMs / 4);
    await repeat({ clock, every, firstAfter: every, signal: this.#stop.signal, onError }, async () => {
      const why = await this.#look();
      if (why === undefined) return;
      this.#sights.clear();
      stalled(new Error(why));
    });
  }

  /** Why the consumer must be replaced; undefined if healthy. */
  async #look(): Promise<string | undefined> {
    const { clock, directory, assignedPartitions, silentMs, stallMs } = this.#options;
    if (silentMs() > stallMs) return `nothing was fetched for ${Math.round(silentMs() / 1_000)} s; its consumer is replaced`;
    const reading = assignedPartitions().filter((assigned) => !assigned.isPaused && !assigned.isLeaving && assigned.fetched === 0);
    for (const assigned of this.#sights.keys()) if (!reading.includes(assigned)) this.#sights.delete(assigned);
    for (const assigned of reading) {
      const before = this.#sights.get(assigned);
      if (before === undefined || before.position !== assigned.position) {
        this.#sights.set(assigned, { position: assigned.position, since: clock.monotonic() });
        continue;
      }
      if (clock.monotonic() - before.since < stallMs) continue;
      const { topic, partition, position, committed, start } = assigned;
      const high = (await directory.extents(topic)).get(partition)?.high ?? 0n;
      const next = position ?? committed ?? start ?? high;
      if (high > next && assigned.position === position)
        return `${topic}/${partition} stands still at ${next} of ${high}; its consumer is replaced`;
      this.#sights.set(assigned, { position, since: clock.monotonic() });
    }
    return undefined;
  }
}
