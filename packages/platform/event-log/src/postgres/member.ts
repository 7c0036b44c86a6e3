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
  /** Records from `position` on that need no reading, by offset. */
  readonly passes: Map<bigint, Pass>;
  /** Reading has stopped at a record whose transaction may yet commit. */
  isCut: boolean;
}

/** A record that is complete if its transaction commits. */
interface Pass {
  isCommitted: boolean;
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

export class Member implements Omit<MemberOptions, 'partitions'> {
  readonly id: string;
  readonly group: string;
  readonly groupId: number;
  readonly begin: 'start' | 'present';
  readonly topics: ReadonlyMap<number, string>;
  readonly maxInFlight: number;
  readonly dispatcher: Dispatcher;
  readonly #partitions: Map<string, number>;
  readonly #owned = new Map<string, Owned>();
  readonly #topicIds: ReadonlyMap<string, number>;

  constructor(options: MemberOptions) {
    this.id = options.id;
    this.group = options.group;
    this.groupId = options.groupId;
    this.begin = options.begin;
    this.topics = options.topics;
    this.#partitions = new Map(options.partitions);
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
      passes: new Map(),
      isCut: false,
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

  /** Partitions may have been added. */
  noteCount(topicId: number, partitions: number): void {
    const topic = this.topics.get(topicId);
    if (topic !== undefined) this.#partitions.set(topic, partitions);
  }

  isAssigned(topic: string, key: string): boolean {
    // While partitions are added the guess may be wrong: then the record is handled twice.
    const owned = this.#findByName(topic, keyHash(key) % (this.#partitions.get(topic) ?? 1));
    return owned !== undefined && isOpen(owned) && owned.passes.size < settings.mostPassed;
  }

  /** Resolves once reading may go on after these places. */
  async passOver(places: readonly RecordPlace[], committed: Promise<boolean>): Promise<void> {
    const pass: Pass = { isCommitted: false };
    const owned = new Map<Owned, bigint[]>();
    for (const { topic, partition, offset } of places) {
      const one = this.#findByName(topic, partition);
      if (one === undefined || !isOpen(one) || offset < one.position) continue;
      one.passes.set(offset, pass);
      const offsets = owned.get(one) ?? [];
      owned.set(one, offsets);
      offsets.push(offset);
    }
    pass.isCommitted = await committed;
    for (const [one, offsets] of owned) this.#settle(one, offsets, pass);
  }

  take(owned: Owned, records: readonly LogRecord[]): void {
    if (owned.assignment.halted.aborted) return;
    // The position may have moved during the read.
    const unread = records.filter(({ offset }) => offset >= owned.position);
    // The record may be that of a transaction that took the place of one rolled back, and those behind it may be of the same key.
    const cut = unread.findIndex(({ offset }) => owned.passes.get(offset)?.isCommitted === false);
    if (cut !== -1) {
      owned.isCut = true;
      // Reading goes on once the outcome is known.
      owned.behind = false;
    }
    const taken = cut === -1 ? unread : unread.slice(0, cut);
    const last = taken.at(-1);
    if (last === undefined) return;
    owned.position = last.offset + 1n;
    this.dispatcher.offer(owned.assignment, taken, owned.passes);
    for (const { offset } of taken) owned.passes.delete(offset);
    this.#advance(owned);
  }

  #settle(owned: Owned, offsets: readonly bigint[], pass: Pass): void {
    // After a rollback another transaction may have taken the place.
    if (!pass.isCommitted) for (const offset of offsets) if (owned.passes.get(offset) === pass) owned.passes.delete(offset);
    owned.behind ||= owned.isCut;
    owned.isCut = false;
    this.#advance(owned);
  }

  #findByName(topic: string, partition: number): Owned | undefined {
    const topicId = this.#topicIds.get(topic);
    return topicId === undefined ? undefined : this.find(topicId, partition);
  }

  #advance(owned: Owned): void {
    const from = owned.position;
    while (owned.passes.get(owned.position)?.isCommitted === true) {
      owned.passes.delete(owned.position);
      owned.position += 1n;
    }
    if (owned.position > from) this.dispatcher.pass(owned.assignment, from, owned.position);
  }
}

function isOpen({ assignment, gap }: Owned): boolean {
  return gap === undefined && !assignment.halted.aborted;
}
