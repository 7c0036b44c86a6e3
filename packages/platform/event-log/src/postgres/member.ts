import type { Assignment, Dispatcher } from '../dispatcher/index.ts';
import { gapOf } from '../gap.ts';
import type { LogGap, LogRecord, TopicPartition } from '../port.ts';

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
}

export interface MemberOptions {
  readonly id: string;
  readonly group: string;
  readonly groupId: number;
  readonly begin: 'start' | 'present';
  readonly topics: ReadonlyMap<number, string>;
  readonly maxInFlight: number;
  readonly dispatcher: Dispatcher;
}

export class Member implements MemberOptions {
  readonly id: string;
  readonly group: string;
  readonly groupId: number;
  readonly begin: 'start' | 'present';
  readonly topics: ReadonlyMap<number, string>;
  readonly maxInFlight: number;
  readonly dispatcher: Dispatcher;
  readonly #owned = new Map<string, Owned>();

  constructor(options: MemberOptions) {
    this.id = options.id;
    this.group = options.group;
    this.groupId = options.groupId;
    this.begin = options.begin;
    this.topics = options.topics;
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
    this.#owned.set(`${topicId}/${partition}`, { topicId, epoch, assignment, position: from, committed: from, behind: true, gap });
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

  take(owned: Owned, records: readonly LogRecord[]): void {
    const last = records.at(-1);
    if (last === undefined || owned.assignment.halted.aborted) return;
    owned.position = last.offset + 1n;
    this.dispatcher.offer(owned.assignment, records);
  }
}
