import type { Assignment, Dispatcher } from '../dispatcher/index.ts';
import { gapOf } from '../gap.ts';
import type { LogGap, LogRecord, RecordPlace, TopicPartition } from '../port.ts';
import { keyHash } from './append.ts';
import { settings } from './settings.ts';

/** A member's partition: its read position, and the epoch for its commits. */
export interface Owned {
  readonly topicId: number;
  readonly epoch: number;
  readonly assignment: Assignment;
  position: bigint;
  committed: bigint;
  behind: boolean;
  /** Unread records are missing, so reading stops. */
  gap: LogGap | undefined;
  /** Offsets from `position` on that need no reading. */
  readonly passed: Set<bigint>;
}

export interface MemberOptions {
  readonly id: string;
  readonly group: string;
  readonly groupId: number;
  readonly begin: 'start' | 'present';
  /** Names by id. */
  readonly topics: ReadonlyMap<number, string>;
  /** Counts by name, as of the subscription. */
  readonly partitions: ReadonlyMap<string, number>;
  readonly maxInFlight: number;
  readonly dispatcher: Dispatcher;
}

export class Member implements MemberOptions {
  readonly id: string;
  readonly group: string;
  readonly groupId: number;
  readonly begin: 'start' | 'present';
  readonly topics: ReadonlyMap<number, string>;
  readonly partitions: ReadonlyMap<string, number>;
  readonly maxInFlight: number;
  readonly dispatcher: Dispatcher;
  readonly #owned = new Map<string, Owned>();
  readonly #topicIds: ReadonlyMap<string, number>;

  constructor(options: MemberOptions) {
    this.id = options.id;
    this.group = options.group;
    this.groupId = options.groupId;
    this.begin = options.begin;
    this.topics = options.topics;
    this.partitions = options.partitions;
    this.#topicIds = new Map([...options.topics].map(([id, name]) => [name, id]));
    this.maxInFlight = options.maxInFlight;
    this.dispatcher = options.dispatcher;
  }

  /** A copy, so that partitions may change during iteration. */
  get owned(): readonly Owned[] {
    return [...this.#owned.values()];
  }

  /** Partitions whose records are handed out, without those being released. */
  get assigned(): TopicPartition[] {
    const open = [...this.#owned.values()].filter((owned) => !owned.assignment.halted.aborted);
    return open.map(({ assignment }) => ({ topic: assignment.topic, partition: assignment.partition }));
  }

  find(topicId: number, partition: number): Owned | undefined {
    return this.#owned.get(`${topicId}/${partition}`);
  }

  /** Returns the gap if the log lacks the first unread record. */
  gain(topicId: number, partition: number, epoch: number, from: bigint, available: bigint): LogGap | undefined {
    const before = this.find(topicId, partition);
    if (before !== undefined) this.lose(before);
    const topic = this.topics.get(topicId) ?? '';
    const assignment = this.dispatcher.assign(topic, partition, from);
    const { gap } = gapOf(this.group, topic, partition, from, available);
    this.#owned.set(`${topicId}/${partition}`, {
      topicId,
      epoch,
      assignment,
      position: from,
      committed: from,
      behind: true,
      gap,
      passed: new Set(),
    });
    return gap;
  }

  /** Another member owns the partition, or will. */
  lose(owned: Owned): void {
    this.dispatcher.drop(owned.assignment);
    this.forget(owned);
  }

  forget(owned: Owned): void {
    const key = `${owned.topicId}/${owned.assignment.partition}`;
    if (this.#owned.get(key) === owned) this.#owned.delete(key);
  }

  stopAt(owned: Owned, available: bigint): LogGap | undefined {
    const { topic, partition } = owned.assignment;
    owned.gap = gapOf(this.group, topic, partition, owned.position, available).gap;
    return owned.gap;
  }

  isAssigned(topic: string, key: string): boolean {
    // After partitions were added the guess may be wrong: then the record is handled twice.
    const owned = this.#findByName(topic, keyHash(key) % (this.partitions.get(topic) ?? 1));
    return owned !== undefined && isOpen(owned) && owned.passed.size < settings.mostPassed;
  }

  passOver(places: readonly RecordPlace[]): void {
    const changed = new Set<Owned>();
    for (const { topic, partition, offset } of places) {
      const owned = this.#findByName(topic, partition);
      // A record below has been read, and is handled again.
      if (owned === undefined || !isOpen(owned) || offset < owned.position) continue;
      owned.passed.add(offset);
      changed.add(owned);
    }
    for (const owned of changed) this.#advance(owned);
  }

  take(owned: Owned, records: readonly LogRecord[]): void {
    // The position may have moved during the read.
    const unread = records.filter(({ offset }) => offset >= owned.position);
    const last = unread.at(-1);
    if (last === undefined || owned.assignment.halted.aborted) return;
    owned.position = last.offset + 1n;
    this.dispatcher.offer(owned.assignment, unread, owned.passed);
    for (const { offset } of unread) owned.passed.delete(offset);
    this.#advance(owned);
  }

  #findByName(topic: string, partition: number): Owned | undefined {
    const topicId = this.#topicIds.get(topic);
    return topicId === undefined ? undefined : this.find(topicId, partition);
  }

  #advance(owned: Owned): void {
    const from = owned.position;
    while (owned.passed.delete(owned.position)) owned.position += 1n;
    if (owned.position > from) this.dispatcher.pass(owned.assignment, from, owned.position);
  }
}

function isOpen({ assignment, gap }: Owned): boolean {
  return gap === undefined && !assignment.halted.aborted;
}
