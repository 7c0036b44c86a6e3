import type { Clock } from '@weir/clock';
import { Wakeup } from '../wakeup.ts';
import type { Directory } from './directory.ts';
import { isGroupChange, within } from './errors.ts';
import type { Holding } from './holding.ts';
import type { Life } from './life.ts';
import { settings } from './settings.ts';

const idleMs = 60_000;

export interface CommitterOptions {
  readonly clock: Clock;
  readonly directory: Directory;
  readonly group: string;
  readonly holdings: () => readonly Holding[];
  readonly life: () => Life | undefined;
  /** Told of a drained partition when all that was done of it is committed. */
  readonly finished: (holding: Holding) => void;
  readonly onError: (error: unknown) => void;
}

/** Commits the watermarks of a member, a little after records completed. */
export class Committer {
  readonly #options: CommitterOptions;
  readonly #wakeup: Wakeup;
  readonly #loop: Promise<void>;
  readonly #stop = new AbortController();
  #committing: Promise<void> = Promise.resolve();

  constructor(options: CommitterOptions) {
    this.#options = options;
    this.#wakeup = new Wakeup(options.clock);
    this.#loop = this.#run();
  }

  /** A record completed, or a partition came or was drained. */
  due(): void {
    this.#wakeup.call();
  }

  /** Commits what is due, one commit after the other. Does nothing while the group changes: it is called again when the member has joined. */
  async commit(limitMs: number = settings.askTimeoutMs): Promise<void> {
    this.#committing = this.#committing.then(() => this.#commit(limitMs));
    await this.#committing;
  }

  async #commit(limitMs: number): Promise<void> {
    const { clock, finished, holdings, life, onError } = this.#options;
    try {
      const current = life();
      if (current?.isJoined !== true) return;
      await this.#learn(holdings().filter((holding) => holding.committed === undefined && holding.beginning === undefined));
      const due = holdings().flatMap(({ topic, partition, due: offset }) =>
        offset === undefined ? [] : [{ topic, partition, offset: String(offset) }],
      );
      // What was stored is told by an event: kafkajs also resolves when its runner has ended and nothing was sent.
      if (due.length > 0 && current.isJoined) await within(clock, limitMs, current.consumer.commitOffsets(due));
      for (const holding of holdings()) if (holding.isDrained && holding.due === undefined) finished(holding);
    } catch (error) {
      if (!isGroupChange(error)) onError(error);
      await clock.sleep(settings.pauseMs, this.#stop.signal);
      this.#wakeup.call();
    }
  }

  /** Commits for the last time. */
  async stop(): Promise<void> {
    this.#stop.abort();
    this.#wakeup.call();
    await this.#loop;
    await this.#untilJoined();
    // Without a broker there is nobody to commit to.
    await this.commit(settings.goodbyeMs);
  }

  /** A group that changes just now is waited for, for a moment. */
  async #untilJoined(): Promise<void> {
    const { clock, holdings, life } = this.#options;
    const end = clock.monotonic() + settings.goodbyeMs;
    while (life()?.isJoined === false && clock.monotonic() < end && holdings().some(({ due }) => due !== undefined)) await clock.sleep(20);
  }

  async #run(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      await this.#wakeup.wait(idleMs);
      await this.#options.clock.sleep(settings.commitEveryMs, this.#stop.signal);
      if (!this.#stop.signal.aborted) await this.commit();
    }
  }

  /** What the group has committed of partitions that are new here; where nothing, its beginning. */
  async #learn(fresh: readonly Holding[]): Promise<void> {
    if (fresh.length === 0) return;
    const { directory, group } = this.#options;
    const topics = [...new Set(fresh.map((holding) => holding.topic))];
    const committed = await directory.committed(group, topics);
    for (const holding of fresh) {
      const known = committed.get(holding.topic)?.get(holding.partition);
      if (known !== undefined) holding.committed ??= known;
      else holding.beginning = (await directory.extents(holding.topic)).get(holding.partition)?.low;
    }
  }
}
