import { type Clock, repeat } from '@weir/clock';
import type { Dispatcher } from '../dispatcher/index.ts';
import type { TopicPartition } from '../port.ts';
import type { KafkaClient } from './client.ts';
import { Committer } from './committer.ts';
import type { Directory } from './directory.ts';
import { logError } from './errors.ts';
import { Feeder } from './feeder.ts';
import { GapDetector } from './gap-detector.ts';
import { AssignedPartitions } from './assigned-partitions.ts';
import { Life } from './life.ts';
import { partitionOf } from './partition.ts';
import { settings } from './settings.ts';
import { Watchdog } from './watchdog.ts';

export interface MemberOptions {
  readonly open: () => KafkaClient;
  readonly directory: Directory;
  readonly clock: Clock;
  readonly dispatcher: Dispatcher;
  readonly group: string;
  readonly topics: readonly string[];
  readonly begin: 'start' | 'present';
  readonly maxInFlight: number;
  readonly lingerMs: number;
  readonly stallMs: number;
  readonly onError: (error: unknown) => void;
}

export class Member {
  readonly #options: MemberOptions;
  readonly #assignedPartitions: AssignedPartitions;
  readonly #feeder: Feeder;
  readonly #committer: Committer;
  readonly #detector: GapDetector;
  readonly #watchdog: Watchdog;
  readonly #stop = new AbortController();
  #isStopping = false;
  #life: Life | undefined;
  #background: Promise<unknown> = Promise.resolve();
  #recovery: Promise<void> | undefined;

  constructor(options: MemberOptions) {
    this.#options = options;
    this.#assignedPartitions = this.#createAssignedPartitions();
    this.#feeder = this.#createFeeder();
    this.#committer = this.#createCommitter();
    this.#detector = this.#createDetector();
    this.#watchdog = this.#createWatchdog();
  }

  /** Partitions whose records are handed out, without those being released. */
  get assigned(): TopicPartition[] {
    return this.#assignedPartitions.all.filter((assigned) => !assigned.isLeaving).map(({ topic, partition }) => ({ topic, partition }));
  }

  isAssigned(topic: string, key: string): boolean {
    // While partitions are added the count may be old: then the record is handled twice.
    const count = this.#options.directory.knownPartitions(topic);
    return count !== undefined && this.#assignedPartitions.isOpen({ topic, partition: partitionOf(key, count) });
  }

  /** Waits through transient errors, such as a starting coordinator. */
  async start(): Promise<void> {
    const { clock } = this.#options;
    const end = clock.monotonic() + settings.joinTimeoutMs;
    for (;;) {
      try {
        await this.#begin();
        break;
      } catch (error) {
        if (!logError(error).retriable || clock.monotonic() > end || this.#isStopping) throw error;
        await clock.sleep(settings.pauseMs, this.#stop.signal);
      }
    }
    await this.#detector.check();
    await this.#committer.commit();
    this.#background = this.#beat();
    this.#watchdog.start();
  }

  progressed(): void {
    this.#feeder.look();
    this.#committer.due();
  }

  /** Finishes work in hand, commits it and leaves the group. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    // It stays a member meanwhile: it sends heartbeats and commits.
    await this.#options.dispatcher.stop();
    this.#stop.abort();
    this.#detector.stop();
    await this.#committer.stop();
    await this.#life?.end();
    await Promise.all([this.#feeder.stop(), this.#watchdog.stop(), this.#background, this.#recovery]);
    this.#assignedPartitions.drop();
  }

  async #begin(): Promise<void> {
    const { clock, group, lingerMs, open, topics } = this.#options;
    const held = this.#assignedPartitions;
    const life: Life = new Life({
      client: open(),
      clock,
      group,
      topics,
      lingerMs,
      events: {
        claims: () => held.claims,
        joined: (memberId, assignment) => held.joined(memberId, assignment),
        fetched: (payload) => held.take(payload),
        rebalancing: () => this.#detector.remember(),
        committed: (topic, partition, offset) => {
          held.committed(topic, partition, offset);
          this.#detector.committed(topic, partition, offset);
        },
        crashed: (error) => {
          if (this.#life === life && life.hasBegun) this.#lost(error);
        },
      },
    });
    this.#life = life;
    this.#detector.remember();
    try {
      await life.begin();
    } catch (error) {
      if (this.#life === life) this.#abandon();
      await life.end();
      throw error;
    }
  }

  /** Out of the group, or stalled in it: others take over, and a new consumer joins. */
  #lost(error: unknown): void {
    const ended = this.#life?.end();
    this.#abandon();
    if (this.#isStopping) return;
    this.#options.onError(error);
    this.#recovery ??= this.#recover(ended).finally(() => {
      this.#recovery = undefined;
    });
  }

  async #recover(ended: Promise<void> | undefined): Promise<void> {
    const { clock, onError } = this.#options;
    await ended;
    while (!this.#isStopping && this.#life === undefined) {
      await clock.sleep(settings.pauseMs, this.#stop.signal);
      if (!this.#isStopping) await this.#begin().catch(onError);
    }
  }

  #abandon(): void {
    this.#life = undefined;
    this.#assignedPartitions.drop();
  }

  /** Sends heartbeats while work is in hand, whatever blocks the fetch loop. */
  async #beat(): Promise<void> {
    const { clock, dispatcher, maxInFlight, onError } = this.#options;
    const every = settings.heartbeatMs;
    await repeat({ clock, every, firstAfter: every, signal: this.#stop.signal, onError }, async () => {
      if (dispatcher.room < maxInFlight) await this.#life?.beat();
    });
  }

  #createAssignedPartitions(): AssignedPartitions {
    const { dispatcher, onError } = this.#options;
    return new AssignedPartitions({
      dispatcher,
      consumer: () => (this.#life?.isJoined === true ? this.#life.consumer : undefined),
      joinAgain: () => this.#life?.joinAgain(),
      joined: () => {
        void this.#committer.commit();
        this.#detector.look();
      },
      changed: () => {
        this.#committer.due();
        this.#detector.look();
      },
      arrived: () => this.#feeder.look(),
      onError,
    });
  }

  #createFeeder(): Feeder {
    const { clock, dispatcher, maxInFlight } = this.#options;
    const held = this.#assignedPartitions;
    return new Feeder({
      clock,
      dispatcher,
      maxInFlight,
      assignedPartitions: () => held.all,
      pause: (assigned) => held.setPaused(assigned, true),
      resume: (assigned) => held.setPaused(assigned, false),
    });
  }

  #createCommitter(): Committer {
    const { clock, onError } = this.#options;
    const held = this.#assignedPartitions;
    return new Committer({
      clock,
      assignedPartitions: () => held.all,
      life: () => this.#life,
      finished: (assigned) => {
        if (!this.#isStopping) held.letGo(assigned);
      },
      onError,
    });
  }

  #createDetector(): GapDetector {
    const { begin, clock, directory, group, onError } = this.#options;
    const held = this.#assignedPartitions;
    return new GapDetector({
      clock,
      directory,
      group,
      begin,
      assignedPartitions: () => held.all,
      stopAt: (assigned, gap) => held.stopAt(assigned, gap),
      settled: () => {
        this.#feeder.look();
        this.#committer.due();
      },
      onError,
    });
  }

  #createWatchdog(): Watchdog {
    const { clock, directory, onError, stallMs } = this.#options;
    const held = this.#assignedPartitions;
    return new Watchdog({
      clock,
      directory,
      assignedPartitions: () => held.all,
      stallMs,
      silentMs: () => (this.#life?.hasBegun === true ? this.#life.silentMs : 0),
      stalled: (why) => this.#lost(why),
      onError,
    });
  }
}
