import type { KafkaMessage } from 'kafkajs';
import type { Assignment, Dispatcher } from '../dispatcher/index.ts';
import type { LogGap, LogRecord, TopicPartition } from '../port.ts';
import { recordOf } from './records.ts';

/** An offset that was to come and has not. The object stands for this one doubt: a question that was sent for another one does not settle it. */
interface Doubt {
  readonly kind: 'doubtful';
  readonly start: bigint;
  readonly missing: bigint;
  /** The first offset skipped since; in doubt once this one is settled. */
  skip: bigint | undefined;
}

/** Whether records before the next one are gone. `start` is where the group's reading begins. */
type Continuity =
  | { readonly kind: 'unknown'; skip: bigint | undefined }
  | Doubt
  | { readonly kind: 'sound'; readonly start: bigint }
  | { readonly kind: 'stopped'; readonly start: bigint; readonly gap: LogGap };

/** A partition that this member has, from being given it until it is let go of or lost. */
export class AssignedPartition implements TopicPartition {
  readonly topic: string;
  readonly partition: number;
  readonly assignment: Assignment;
  /** The offset to read next; undefined until the first record has come. */
  position: bigint | undefined;
  /** Undefined while it is not known. */
  committed: bigint | undefined;
  /** Nothing of it is under way any more; once its watermark is committed, others may have it. */
  isDrained = false;
  isPaused = false;
  /** No later than where kafkajs has begun since the last join; undefined once it is past what was taken before. */
  #rereadsFrom: bigint | undefined;
  #waiting: LogRecord[] = [];
  #continuity: Continuity = { kind: 'unknown', skip: undefined };
  /** Of the first record that came. */
  #first = 0n;

  constructor(topic: string, partition: number, dispatcher: Dispatcher) {
    this.topic = topic;
    this.partition = partition;
    // Where it begins is known with the first record; until then there is nothing to commit.
    this.assignment = dispatcher.assign(topic, partition, 0n);
  }

  /** Records that can be handed to the dispatcher. */
  get waiting(): number {
    const limit = this.#limit;
    return limit === undefined ? this.#waiting.length : this.#waiting.filter(({ offset }) => offset < limit).length;
  }

  /** The same, and those that cannot yet. */
  get fetched(): number {
    return this.#waiting.length;
  }

  /** Where the group's reading begins; undefined while that is not known. Committed at once where nothing was, so that the group's lag counts it. */
  get start(): bigint | undefined {
    return this.#continuity.kind === 'unknown' ? undefined : this.#continuity.start;
  }

  get doubt(): Doubt | undefined {
    return this.#continuity.kind === 'doubtful' ? this.#continuity : undefined;
  }

  /** Records are gone that were yet to be read: what comes after them is not handed out. */
  get gap(): LogGap | undefined {
    return this.#continuity.kind === 'stopped' ? this.#continuity.gap : undefined;
  }

  get isLeaving(): boolean {
    return this.assignment.halted.aborted;
  }

  /** The lowest offset that can come next. What begins before it is another log. */
  get expected(): bigint {
    return this.position === undefined ? 0n : (this.#rereadsFrom ?? this.position);
  }

  /** What the group may be committed to; undefined when that changes nothing. */
  get due(): bigint | undefined {
    const { start } = this;
    if (start === undefined) return undefined;
    const done = this.position === undefined ? start : this.#watermark;
    const limit = this.#limit;
    const target = limit !== undefined && done > limit ? limit : done;
    return this.committed === undefined || target > this.committed ? target : undefined;
  }

  /** From this offset on nothing is handed out or committed. */
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

  /** The assignment's own is of no account before it was given a record. */
  get #watermark(): bigint {
    const { watermark } = this.assignment;
    return watermark > this.#first ? watermark : this.#first;
  }

  /**
   * The group was joined anew, and kafkajs begins at the committed offset: what was taken before comes once more, and is passed over. It could
   * be told to seek, but keeps that until it fetches: had the partition been elsewhere meanwhile, it would skip what was not done there.
   */
  rereads(): void {
    this.#rereadsFrom = this.committed ?? this.start ?? 0n;
  }

  /** It is known where the group's reading begins, and what it has committed. */
  begin(start: bigint, committed?: bigint): void {
    if (this.#continuity.kind !== 'unknown') return;
    this.committed = committed;
    const { skip } = this.#continuity;
    if (this.position === undefined || this.#first > start) this.#continuity = { kind: 'doubtful', start, missing: start, skip };
    else this.#goOn(start, skip);
  }

  /** The log still has what is in doubt. Nothing was gone when that was asked, so what was skipped later is asked for anew. */
  trust(doubt: Doubt): void {
    if (this.#continuity === doubt) this.#goOn(doubt.start, doubt.skip);
  }

  /** Keeps what came before the gap. The offset is committed again, for kafkajs commits another one of its own when it finds none of the records. */
  stopAt(gap: LogGap): void {
    this.#continuity = { kind: 'stopped', start: this.start ?? 0n, gap };
    this.#waiting = this.#waiting.filter(({ offset }) => offset < gap.missing);
    this.position = this.position === undefined || this.#first >= gap.missing ? undefined : gap.missing;
    this.committed = undefined;
  }

  /** Goes on where an earlier holding of the partition has ended, all of whose work is committed. */
  follow(ended: AssignedPartition): void {
    if (ended.committed === undefined || ended.#continuity.kind !== 'sound') return;
    this.#continuity = { kind: 'sound', start: ended.committed };
    this.committed = ended.committed;
    this.position = ended.committed;
    this.#first = ended.committed;
    this.#rereadsFrom = ended.#rereadsFrom;
  }

  /** Takes fetched records. */
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

  /** The next records to hand out. */
  next(count: number): LogRecord[] {
    return this.#waiting.splice(0, Math.min(count, this.waiting));
  }

  forgetWaiting(): void {
    this.#waiting = [];
  }

  /** Nothing can be missing before offset 0, so a new log is read without asking anybody. */
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

  /** Goes on reading, up to the offset that was skipped. */
  #goOn(start: bigint, skip?: bigint): void {
    this.#continuity = skip === undefined ? { kind: 'sound', start } : { kind: 'doubtful', start, missing: skip, skip: undefined };
  }
}
