import type { KafkaMessage } from 'kafkajs';
import type { Assignment, Dispatcher } from '../dispatcher/index.ts';
import type { LogGap, LogRecord, TopicPartition } from '../port.ts';
import { recordOf } from './records.ts';

/** An expected offset that did not come. Identity matters: an answer settles only the doubt that it was asked for. */
interface Doubt {
  readonly kind: 'doubtful';
  readonly start: bigint;
  readonly missing: bigint;
  /** The first offset skipped since then, which is the next doubt. */
  skip: bigint | undefined;
}

/** Whether unread records are missing. `start` is the group's first offset. */
type Continuity =
  | { readonly kind: 'unknown'; skip: bigint | undefined }
  | Doubt
  | { readonly kind: 'sound'; readonly start: bigint }
  | { readonly kind: 'stopped'; readonly start: bigint; readonly gap: LogGap };

/** From assignment until release or loss. */
export class AssignedPartition implements TopicPartition {
  readonly topic: string;
  readonly partition: number;
  readonly assignment: Assignment;
  /** The next offset to read; undefined before the first record. */
  position: bigint | undefined;
  committed: bigint | undefined;
  /** All work is done; once committed, others may have it. */
  isDrained = false;
  isPaused = false;
  /** Undefined once past the records taken before the last join. */
  #rereadsFrom: bigint | undefined;
  #waiting: LogRecord[] = [];
  #continuity: Continuity = { kind: 'unknown', skip: undefined };
  #first = 0n;

  constructor(topic: string, partition: number, dispatcher: Dispatcher) {
    this.topic = topic;
    this.partition = partition;
    // The first record tells the start; until then there is nothing to commit.
    this.assignment = dispatcher.assign(topic, partition, 0n);
  }

  get waiting(): number {
    const limit = this.#limit;
    return limit === undefined ? this.#waiting.length : this.#waiting.filter(({ offset }) => offset < limit).length;
  }

  /** Also those that may not be handed out yet. */
  get fetched(): number {
    return this.#waiting.length;
  }

  /** The group's first offset. A new group commits it at once, so that lag counts the partition. */
  get start(): bigint | undefined {
    return this.#continuity.kind === 'unknown' ? undefined : this.#continuity.start;
  }

  get doubt(): Doubt | undefined {
    return this.#continuity.kind === 'doubtful' ? this.#continuity : undefined;
  }

  /** Unread records are missing, and later ones are not handed out. */
  get gap(): LogGap | undefined {
    return this.#continuity.kind === 'stopped' ? this.#continuity.gap : undefined;
  }

  get isLeaving(): boolean {
    return this.assignment.halted.aborted;
  }

  /** The lowest offset that can come next. An earlier one belongs to another log. */
  get expected(): bigint {
    return this.position === undefined ? 0n : (this.#rereadsFrom ?? this.position);
  }

  /** The offset to commit; undefined if unchanged. */
  get due(): bigint | undefined {
    const { start } = this;
    if (start === undefined) return undefined;
    const done = this.position === undefined ? start : this.#watermark;
    const limit = this.#limit;
    const target = limit !== undefined && done > limit ? limit : done;
    return this.committed === undefined || target > this.committed ? target : undefined;
  }

  get #limit(): bigint | undefined {
    switch (this.#continuity.kind) {
      case 'unknown':
        return 0n;
      case 'doubtful':
        return this.#continuity.missing;
      case 'sound':
        return undefined;
      case 'stopped':
        return this.#continuity.gap.missing;
    }
  }

  /** The assignment's watermark is meaningless before its first record. */
  get #watermark(): bigint {
    const { watermark } = this.assignment;
    return watermark > this.#first ? watermark : this.#first;
  }

  /**
   * After a rejoin kafkajs restarts at the committed offset. No seek: kafkajs applies it to a later fetch, and would skip work of another
   * member.
   */
  rereads(): void {
    this.#rereadsFrom = this.committed ?? this.start ?? 0n;
  }

  begin(start: bigint, committed?: bigint): void {
    if (this.#continuity.kind !== 'unknown') return;
    this.committed = committed;
    const { skip } = this.#continuity;
    if (this.position === undefined || this.#first > start) this.#continuity = { kind: 'doubtful', start, missing: start, skip };
    else this.#goOn(start, skip);
  }

  /** The log still has the doubtful records. Later skips need another check. */
  trust(doubt: Doubt): void {
    if (this.#continuity === doubt) this.#goOn(doubt.start, doubt.skip);
  }

  /** Commits the gap's offset again, since kafkajs overwrites it when it finds no records. */
  stopAt(gap: LogGap): void {
    this.#continuity = { kind: 'stopped', start: this.start ?? 0n, gap };
    this.#waiting = this.#waiting.filter(({ offset }) => offset < gap.missing);
    this.position = this.position === undefined || this.#first >= gap.missing ? undefined : gap.missing;
    this.committed = undefined;
  }

  /** Continues an earlier assignment of the partition whose work is all committed. */
  follow(ended: AssignedPartition): void {
    if (ended.committed === undefined || ended.#continuity.kind !== 'sound') return;
    this.#continuity = { kind: 'sound', start: ended.committed };
    this.committed = ended.committed;
    this.position = ended.committed;
    this.#first = ended.committed;
    this.#rereadsFrom = ended.#rereadsFrom;
  }

  take(messages: readonly KafkaMessage[]): void {
    if (this.isLeaving || this.#continuity.kind === 'stopped') return;
    for (const message of messages) {
      const offset = BigInt(message.offset);
      if (this.position === undefined) this.#takeFirst(offset);
      else if (offset > this.position) this.#skipped(this.position);
      if (offset + 1n >= (this.position ?? 0n)) this.#rereadsFrom = undefined;
      if (offset < (this.position ?? 0n)) continue;
      this.#waiting.push(recordOf(this.topic, this.partition, message));
      this.position = offset + 1n;
    }
  }

  next(count: number): LogRecord[] {
    return this.#waiting.splice(0, Math.min(count, this.waiting));
  }

  forgetWaiting(): void {
    this.#waiting = [];
  }

  /** Nothing precedes offset 0, so a new log needs no check. */
  #takeFirst(offset: bigint): void {
    this.#first = offset;
    const { start } = this;
    if (offset === 0n) this.#goOn(start ?? 0n);
    else if (start !== undefined && offset <= start) this.#goOn(start);
    else if (start !== undefined) this.#continuity = { kind: 'doubtful', start, missing: start, skip: undefined };
  }

  #skipped(missing: bigint): void {
    if (this.#continuity.kind === 'sound') this.#goOn(this.#continuity.start, missing);
    else if (this.#continuity.kind !== 'stopped') this.#continuity.skip ??= missing;
  }

  #goOn(start: bigint, skip?: bigint): void {
    this.#continuity = skip === undefined ? { kind: 'sound', start } : { kind: 'doubtful', start, missing: skip, skip: undefined };
  }
}
