import { type Clock, Signal } from '@weir/clock';
import type { LogGap } from '../port.ts';
import type { Directory } from './directory.ts';
import { isGroupChange, askKafka } from './errors.ts';
import type { Holding } from './holding.ts';
import type { Life } from './life.ts';
import { settings } from './settings.ts';

const idleMs = 60_000;

export interface CommitterOptions {
  readonly clock: Clock;
  readonly directory: Directory;
  readonly group: string;
  readonly begin: 'start' | 'present';
  /** What the group had committed before this member joined. */
  readonly committedBefore: () => Promise<Awaited<ReturnType<Directory['committed']>>>;
  readonly holdings: () => readonly Holding[];
  readonly life: () => Life | undefined;
  /** Told when records may be handed out that were in doubt. */
  readonly arrived: () => void;
  readonly stopAt: (holding: Holding, gap: LogGap) => void;
  /** Told of a drained partition when all that was done of it is committed. */
  readonly finished: (holding: Holding) => void;
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
    try {
      const current = life();
      if (current?.isJoined !== true) return;
      await this.#learn();
      await this.#verify();
      const due = holdings().flatMap(({ topic, partition, due: offset }) =>
        offset === undefined ? [] : [{ topic, partition, offset: String(offset) }],
      );
      // What was stored is told by an event: kafkajs also resolves when its runner has ended and nothing was sent.
      if (due.length > 0 && current.isJoined) await askKafka(clock, limitMs, current.consumer.commitOffsets(due));
      for (const holding of holdings()) if (holding.isDrained && holding.due === undefined) finished(holding);
    } catch (error) {
      if (!isGroupChange(error)) onError(error);
      await clock.sleep(settings.pauseMs, this.#stop.signal);
      this.#wakeup.notify();
    }
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

  /** Where the group's reading begins in partitions that are new here: one request, however many they are. */
  async #learn(): Promise<void> {
    const { arrived, begin, committedBefore, directory, group, holdings } = this.#options;
    const fresh = holdings().filter(({ start }) => start === undefined);
    if (fresh.length === 0) return;
    const committed = await directory.committed(group);
    const before = await committedBefore();
    const found = (of: typeof committed, { topic, partition }: Holding): bigint | undefined => of.get(topic)?.get(partition);
    const isNew = fresh.some((holding) => (found(committed, holding) ?? found(before, holding)) === undefined);
    const present = begin === 'present' && isNew ? await directory.firstOffsets(topicsOf(fresh)) : new Map<string, Map<number, bigint>>();
    for (const holding of fresh) {
      holding.committed ??= found(committed, holding);
      // kafkajs commits an offset that says nothing when the records are gone.
      holding.begin(holding.committed ?? found(before, holding) ?? found(present, holding) ?? 0n);
    }
    arrived();
  }

  /** Whether records are gone that were yet to be read. Those whose next record has come are in no doubt, so delivery does not wait for this. */
  async #verify(): Promise<void> {
    const { arrived, directory, group, holdings, stopAt } = this.#options;
    const doubtful = holdings().filter(({ doubt }) => doubt !== undefined);
    if (doubtful.length === 0) return;
    const first = await directory.firstOffsets(topicsOf(doubtful));
    for (const holding of doubtful) {
      const { topic, partition, doubt: missing } = holding;
      const available = first.get(topic)?.get(partition);
      if (missing === undefined || available === undefined) continue;
      if (available > missing) stopAt(holding, { group, topic, partition, missing, available });
      else holding.trust();
    }
    arrived();
  }
}

const topicsOf = (holdings: readonly Holding[]): string[] => [...new Set(holdings.map(({ topic }) => topic))];
