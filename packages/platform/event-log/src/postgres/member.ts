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
  /** Records of this process from `position` on, by offset. They need no reading if they are committed. */
  readonly own: Map<bigint, OwnRecord>;
  /** Reading has stopped at a record whose transaction may yet commit. */
  isCut: boolean;
}

/** Of a transaction of this process. */
interface Outcome {
  isCommitted: boolean;
}

interface OwnRecord {
  readonly outcome: Outcome;
  /** Handed out after the commit. Undefined: its transaction has handled it. */
  readonly record: LogRecord | undefined;
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
  /** Room that a read under way may fill. */
  wanted = 0;
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
      own: new Map(),
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
    return owned !== undefined && isOpen(owned) && owned.own.size < settings.mostPassed;
  }

  /** Resolves once reading may go on after these places. */
  async passOver(places: readonly RecordPlace[], committed: Promise<boolean>): Promise<void> {
    const outcome: Outcome = { isCommitted: false };
    const changed = new Set<Owned>();
    for (const { topic, partition, offset } of places) {
      const owned = this.#findByName(topic, partition);
      if (owned === undefined || !isOpen(owned) || offset < owned.position) continue;
      owned.own.set(offset, { outcome, record: undefined });
      changed.add(owned);
    }
    outcome.isCommitted = await committed;
    for (const owned of changed) this.#settle(owned, outcome);
  }

  /**
   * Hands out records of this process after their commit, if the member has room for them and has handed out all before. Otherwise it reads
   * them. Resolves when that is known.
   */
  async handOver(records: readonly LogRecord[], committed: Promise<boolean>): Promise<void> {
    const outcome: Outcome = { isCommitted: false };
    const changed = new Set<Owned>();
    const unread = new Set<Owned>();
    for (const record of records) {
      const owned = this.#findByName(record.topic, record.partition);
      if (owned === undefined || !isOpen(owned)) continue;
      changed.add(owned);
      if (record.offset - owned.position >= this.dispatcher.room) unread.add(owned);
      else if (record.offset >= owned.position) owned.own.set(record.offset, { outcome, record });
    }
    outcome.isCommitted = await committed;
    for (const owned of changed) {
      this.#settle(owned, outcome);
      owned.behind ||= unread.has(owned);
    }
  }

  take(owned: Owned, records: readonly LogRecord[]): void {
    if (owned.assignment.halted.aborted) return;
    // The position may have moved during the read.
    const unread = records.filter(({ offset }) => offset >= owned.position);
    // The record may be that of a transaction that took the place of one rolled back, and those behind it may be of the same key.
    const cut = unread.findIndex(({ offset }) => owned.own.get(offset)?.outcome.isCommitted === false);
    if (cut !== -1) {
      owned.isCut = true;
      // Reading goes on once the outcome is known.
      owned.behind = false;
    }
    const taken = cut === -1 ? unread : unread.slice(0, cut);
    const last = taken.at(-1);
    if (last === undefined) return;
    owned.position = last.offset + 1n;
    const handled = new Set(taken.flatMap(({ offset }) => (isHandled(owned.own.get(offset)) ? [offset] : [])));
    for (const { offset } of taken) owned.own.delete(offset);
    this.dispatcher.offer(owned.assignment, taken, handled);
    this.#advance(owned);
  }

  /** Reads all partitions again. */
  readAgain(): void {
    for (const owned of this.#owned.values()) owned.behind = true;
  }

  #settle(owned: Owned, outcome: Outcome): void {
    if (!outcome.isCommitted) {
      // After a rollback another transaction may have taken the place. Where nobody knows, the records may be there, and nobody was notified.
      for (const [offset, own] of owned.own) if (own.outcome === outcome) owned.own.delete(offset);
      owned.behind = true;
    }
    owned.behind ||= owned.isCut;
    owned.isCut = false;
    this.#advance(owned);
  }

  #findByName(topic: string, partition: number): Owned | undefined {
    const topicId = this.#topicIds.get(topic);
    return topicId === undefined ? undefined : this.find(topicId, partition);
  }

  /** Goes on through records of this process that come next, as far as they are committed and there is room. */
  #advance(owned: Owned): void {
    const { dispatcher } = this;
    for (;;) {
      const from = owned.position;
      while (isHandled(owned.own.get(owned.position))) owned.own.delete(owned.position++);
      if (owned.position > from) dispatcher.pass(owned.assignment, from, owned.position);
      const handed: LogRecord[] = [];
      const room = dispatcher.room - this.wanted;
      for (let next = owned.own.get(owned.position); next?.outcome.isCommitted === true; next = owned.own.get(owned.position)) {
        if (next.record === undefined || handed.length >= room) break;
        handed.push(next.record);
        owned.own.delete(owned.position++);
      }
      if (handed.length > 0) dispatcher.offer(owned.assignment, handed);
      else if (owned.position === from) break;
    }
    // What comes next is of another process, or had no room.
    const next = owned.own.get(owned.position);
    if (owned.own.size > 0 && (next === undefined || next.outcome.isCommitted)) owned.behind = true;
  }
}

function isOpen({ assignment, gap }: Owned): boolean {
  return gap === undefined && !assignment.halted.aborted;
}

function isHandled(own: OwnRecord | undefined): boolean {
  return own !== undefined && own.outcome.isCommitted && own.record === undefined;
}
