import { type Clock, Signal } from '@weir/clock';
import { askKafka, isGroupChange } from './errors.ts';
import type { AssignedPartition } from './assigned-partition.ts';
import type { Life } from './life.ts';
import { settings } from './settings.ts';

const idleMs = 60_000;

export interface CommitterOptions {
  readonly clock: Clock;
  readonly assignedPartitions: () => readonly AssignedPartition[];
  readonly life: () => Life | undefined;
  readonly finished: (assigned: AssignedPartition) => void;
  readonly onError: (error: unknown) => void;
}

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

  due(): void {
    this.#wakeup.notify();
  }

  /** One commit at a time. Does nothing during a rebalance; the next join calls it again. */
  async commit(limitMs: number = settings.askTimeoutMs): Promise<void> {
    this.#committing = this.#committing.then(() => this.#commit(limitMs));
    await this.#committing;
  }

  async #commit(limitMs: number): Promise<void> {
    const { clock, finished, assignedPartitions, life, onError } = this.#options;
    const current = life();
    if (current?.isJoined !== true) return;
    const due = assignedPartitions().flatMap(({ topic, partition, due: offset }) =>
      offset === undefined ? [] : [{ topic, partition, offset: String(offset) }],
    );
    // An event reports stored offsets; kafkajs also resolves without sending.
    const store = (offsets: typeof due): Promise<unknown[]> =>
      askKafka(clock, limitMs, current.consumer.commitOffsets(offsets)).then(
        () => [],
        (error: unknown) => [error],
      );
    let errors = due.length === 0 ? [] : await store(due);
    // A topic that the broker rejects fails a shared request.
    if (errors.some((error) => !isGroupChange(error))) {
      const byTopic = [...Map.groupBy(due, ({ topic }) => topic).values()];
      errors = (await Promise.all(byTopic.map(store))).flat();
    }
    for (const assigned of assignedPartitions()) if (assigned.isDrained && assigned.due === undefined) finished(assigned);
    if (errors.length === 0) return;
    for (const error of errors) if (!isGroupChange(error)) onError(error);
    await clock.sleep(settings.pauseMs, this.#stop.signal);
    this.#wakeup.notify();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    this.#wakeup.notify();
    await this.#loop;
    await this.#untilJoined();
    // Without a broker no commit is possible.
    await this.commit(settings.goodbyeMs);
  }

  async #untilJoined(): Promise<void> {
    const { clock, assignedPartitions, life } = this.#options;
    const end = clock.monotonic() + settings.goodbyeMs;
    while (life()?.isJoined === false && clock.monotonic() < end && assignedPartitions().some(({ due }) => due !== undefined))
      await clock.sleep(20);
  }

  async #run(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      await this.#wakeup.wait(this.#options.assignedPartitions().some(({ gap }) => gap !== undefined) ? settings.recommitMs : idleMs);
      // kafkajs may have committed its own offset after ours.
      for (const assigned of this.#options.assignedPartitions()) if (assigned.gap !== undefined) assigned.committed = undefined;
      await this.#options.clock.sleep(settings.commitEveryMs, this.#stop.signal);
      if (!this.#stop.signal.aborted) await this.commit();
    }
  }
}
