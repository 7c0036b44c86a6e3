import { type Clock, Signal } from '@weir/clock';
import { askKafka, isGroupChange } from './errors.ts';
import type { AssignedPartition } from './assigned-partition.ts';
import type { Life } from './life.ts';
import { settings } from './settings.ts';

const idleMs = 60_000;

export interface CommitterOptions {
  readonly clock: Clock;
  readonly holdings: () => readonly AssignedPartition[];
  readonly life: () => Life | undefined;
  /** Told of a drained partition when all that was done of it is committed. */
  readonly finished: (holding: AssignedPartition) => void;
  readonly onError: (error: unknown) => void;
}

/** Commits the watermarks of a member, a little after records completed. */
export class Committer {
  readonly #options: CommitterOptions;
  readonly #wakeup: Signal;
  readonly #loop: Promise<void>;
  readonly #stop = new AbortController();
  #committing: Promise<void> = Promise.resolve();

  constructor(options: CommitterOptions) {
    this.#options = options;
    this.#wakeup = new Signal(options.clock);
    this.#loop = this.#run();
  }

  /** A record completed, or a partition came or was drained. */
  due(): void {
    this.#wakeup.notify();
  }

  /** Commits what is due, one commit after the other. Does nothing while the group changes: it is called again when the member has joined. */
  async commit(limitMs: number = settings.askTimeoutMs): Promise<void> {
    this.#committing = this.#committing.then(() => this.#commit(limitMs));
    await this.#committing;
  }

  async #commit(limitMs: number): Promise<void> {
    const { clock, finished, holdings, life, onError } = this.#options;
    const current = life();
    if (current?.isJoined !== true) return;
    const due = holdings().flatMap(({ topic, partition, due: offset }) =>
      offset === undefined ? [] : [{ topic, partition, offset: String(offset) }],
    );
    // One topic that the broker refuses would fail a request for all of them.
    const errors = await Promise.all(
      [...Map.groupBy(due, ({ topic }) => topic).values()].map((of) =>
        // What was stored is told by an event: kafkajs also resolves when its runner has ended and nothing was sent.
        askKafka(clock, limitMs, current.consumer.commitOffsets(of)).then(
          () => [],
          (error: unknown) => [error],
        ),
      ),
    ).then((each) => each.flat());
    for (const holding of holdings()) if (holding.isDrained && holding.due === undefined) finished(holding);
    if (errors.length === 0) return;
    for (const error of errors) if (!isGroupChange(error)) onError(error);
    await clock.sleep(settings.pauseMs, this.#stop.signal);
    this.#wakeup.notify();
  }

  /** Commits for the last time. */
  async stop(): Promise<void> {
    this.#stop.abort();
    this.#wakeup.notify();
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
      await this.#wakeup.wait(this.#options.holdings().some(({ gap }) => gap !== undefined) ? settings.recommitMs : idleMs);
      // kafkajs may have committed an offset of its own after ours.
      for (const holding of this.#options.holdings()) if (holding.gap !== undefined) holding.committed = undefined;
      await this.#options.clock.sleep(settings.commitEveryMs, this.#stop.signal);
      if (!this.#stop.signal.aborted) await this.commit();
    }
  }
}
