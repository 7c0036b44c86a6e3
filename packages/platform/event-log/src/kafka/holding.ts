import type { KafkaMessage } from 'kafkajs';
import type { Assignment, Dispatcher } from '../dispatcher/index.ts';
import type { LogGap, LogRecord, TopicPartition } from '../port.ts';
import { recordOf } from './records.ts';

/** A partition that this member has, from being given it until it is let go of or lost. */
export class Holding implements TopicPartition {
  readonly topic: string;
  readonly partition: number;
  readonly assignment: Assignment;
  /** The offset to read next; undefined until the first record has come. */
  position: bigint | undefined;
  /** Undefined while it is not known. */
  committed: bigint | undefined;
  /** Records are gone that were yet to be read: what comes after them is not handed out. */
  gap: LogGap | undefined;
  /** Nothing of it is under way any more; once its watermark is committed, others may have it. */
  isDrained = false;
  isPaused = false;
  /** No later than where kafkajs has begun since the last join; undefined once it is past what was taken before. */
  #rereadsFrom: bigint | undefined;
  #waiting: LogRecord[] = [];
  #start: bigint | undefined;
  /** From this offset on nothing is handed out: it is not known yet whether records before it are gone. */
  #doubt: bigint | undefined = 0n;
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
    const doubt = this.#doubt ?? this.gap?.missing;
    return doubt === undefined ? this.#waiting.length : this.#waiting.filter(({ offset }) => offset < doubt).length;
  }

  /** The same, and those that cannot yet. */
  get fetched(): number {
    return this.#waiting.length;
  }

  /** Where the group's reading begins; undefined while that is not known. Committed at once where nothing was, so that the group's lag counts it. */
  get start(): bigint | undefined {
    return this.#start;
  }

  /** The offset that is to come next, where it is in doubt that it will; undefined too while `start` is not known. */
  get doubt(): bigint | undefined {
    return this.#start === undefined || this.gap !== undefined ? undefined : this.#doubt;
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
    const done = this.position === undefined ? this.#start : this.#watermark;
    if (done === undefined) return undefined;
    const doubt = this.#doubt ?? this.gap?.missing;
    if (this.#start === undefined && doubt !== undefined) return undefined;
    const target = doubt !== undefined && done > doubt ? doubt : done;
    return this.committed === undefined || target > this.committed ? target : undefined;
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
    this.#rereadsFrom = this.committed ?? this.#start ?? 0n;
  }

  /** It is known where the group's reading begins. */
  begin(start: bigint): void {
    this.#start = start;
    if (this.position === undefined || this.#first > start) this.#doubt = start;
    else if (this.#doubt === 0n) this.#doubt = undefined;
  }

  /** Nothing is gone before what comes next. */
  trust(): void {
    this.#doubt = undefined;
  }

  /** Keeps what came before the gap. The offset is committed again, for kafkajs commits another one of its own when it finds none of the records. */
  stopAt(gap: LogGap): void {
    this.gap = gap;
    this.#doubt = undefined;
    this.#waiting = this.#waiting.filter(({ offset }) => offset < gap.missing);
    this.position = this.position === undefined || this.#first >= gap.missing ? undefined : gap.missing;
    this.committed = undefined;
  }

  /** Goes on where an earlier holding of the partition has ended, all of whose work is committed. */
  follow(ended: Holding): void {
    if (ended.committed === undefined || ended.gap !== undefined || ended.#doubt !== undefined) return;
    this.#start = ended.committed;
    this.#doubt = undefined;
    this.committed = ended.committed;
    this.position = ended.committed;
    this.#first = ended.committed;
    this.#rereadsFrom = ended.#rereadsFrom;
  }

  /** Takes fetched records. */
  take(messages: readonly KafkaMessage[]): void {
    if (this.isLeaving || this.gap !== undefined) return;
    for (const message of messages) {
      const offset = BigInt(message.offset);
      if (this.position === undefined) this.#takeFirst(offset);
      else if (offset > this.position) this.#doubt ??= this.position;
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
    if (offset <= (this.#start ?? 0n)) this.#doubt = undefined;
    else this.#doubt = this.#start ?? 0n;
  }
}
