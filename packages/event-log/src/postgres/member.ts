import type { Assignment, Dispatcher } from '../dispatcher/index.ts';
import type { LogRecord, TopicPartition } from '../port.ts';

/** A partition that a member has: where it reads on, and under which epoch it may commit. */
export interface Owned {
  readonly topicId: number;
  readonly epoch: number;
  readonly assignment: Assignment;
  /** The offset to read next. */
  position: bigint;
  committed: bigint;
  /** There may be records that were not read yet. */
  behind: boolean;
}

export interface MemberOptions {
  readonly id: string;
  readonly groupId: number;
  /** Topic names by number. */
  readonly topics: ReadonlyMap<number, string>;
  readonly maxInFlight: number;
  readonly dispatcher: Dispatcher;
}

/** One subscription's place in its group. */
export class Member implements MemberOptions {
  readonly id: string;
  readonly groupId: number;
  readonly topics: ReadonlyMap<number, string>;
  readonly maxInFlight: number;
  readonly dispatcher: Dispatcher;
  readonly #owned = new Map<string, Owned>();

  constructor(options: MemberOptions) {
    this.id = options.id;
    this.groupId = options.groupId;
    this.topics = options.topics;
    this.maxInFlight = options.maxInFlight;
    this.dispatcher = options.dispatcher;
  }

  /** A copy, so that partitions may come and go while it is gone through. */
  get owned(): readonly Owned[] {
    return [...this.#owned.values()];
  }

  /** The partitions whose records are handed out; those being given up are not among them. */
  get assigned(): TopicPartition[] {
    const open = [...this.#owned.values()].filter((owned) => !owned.assignment.halted.aborted);
    return open.map(({ assignment }) => ({ topic: assignment.topic, partition: assignment.partition }));
  }

  find(topicId: number, partition: number): Owned | undefined {
    return this.#owned.get(`${topicId}/${partition}`);
  }

  gain(topicId: number, partition: number, epoch: number, from: bigint): void {
    const before = this.find(topicId, partition);
    if (before !== undefined) this.lose(before);
    const assignment = this.dispatcher.assign(this.topics.get(topicId) ?? '', partition, from);
    this.#owned.set(`${topicId}/${partition}`, { topicId, epoch, assignment, position: from, committed: from, behind: true });
  }

  /** The group has given the partition to somebody else, or is about to. */
  lose(owned: Owned): void {
    this.dispatcher.drop(owned.assignment);
    this.forget(owned);
  }

  forget(owned: Owned): void {
    const key = `${owned.topicId}/${owned.assignment.partition}`;
    if (this.#owned.get(key) === owned) this.#owned.delete(key);
  }

  /** Takes over records read from `owned.position` on. */
  take(owned: Owned, records: readonly LogRecord[]): void {
    const last = records.at(-1);
    if (last === undefined || owned.assignment.halted.aborted) return;
    owned.position = last.offset + 1n;
    this.dispatcher.offer(owned.assignment, records);
  }
}
