import type { KafkaMessage } from 'kafkajs';
import type { Assignment, Dispatcher } from '../dispatcher/index.ts';
import type { LogRecord, TopicPartition } from '../port.ts';
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
  /** Where to begin when the group has committed nothing: committed at once, so that the group's lag counts this partition. */
  beginning: bigint | undefined;
  /** Nothing of it is under way any more; once its watermark is committed, others may have it. */
  isDrained = false;
  isPaused = false;
  /** No later than where kafkajs has begun since the last join; undefined once it is past what was taken before. */
  #rereadsFrom: bigint | undefined;
  #waiting: LogRecord[] = [];
  /** Of the first record that came. */
  #first = 0n;

  constructor(topic: string, partition: number, dispatcher: Dispatcher) {
    this.topic = topic;
    this.partition = partition;
    // Where it begins is known with the first record; until then there is nothing to commit.
    this.assignment = dispatcher.assign(topic, partition, 0n);
  }

  /** Records that were fetched and are not handed to the dispatcher yet. */
  get waiting(): number {
    return this.#waiting.length;
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
    const target = this.position === undefined ? this.beginning : this.#watermark;
    return target !== undefined && (this.committed === undefined || target > this.committed) ? target : undefined;
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
    this.#rereadsFrom = this.committed ?? this.beginning ?? 0n;
  }

  /** Goes on where an earlier holding of the partition has ended, all of whose work is committed. */
  follow(ended: Holding): void {
    if (ended.committed === undefined) return;
    this.committed = ended.committed;
    this.position = ended.committed;
    this.#first = ended.committed;
    this.#rereadsFrom = ended.#rereadsFrom;
  }

  /** Takes fetched records. */
  take(messages: readonly KafkaMessage[]): void {
    if (this.isLeaving) return;
    for (const message of messages) {
      const offset = BigInt(message.offset);
      if (this.position === undefined) this.#first = offset;
      if (offset + 1n >= (this.position ?? 0n)) this.#rereadsFrom = undefined;
      if (offset < (this.position ?? 0n)) continue;
      this.#waiting.push(recordOf(this.topic, this.partition, message));
      this.position = offset + 1n;
    }
  }

  /** The next records to hand out. */
  next(count: number): LogRecord[] {
    return this.#waiting.splice(0, count);
  }

  forgetWaiting(): void {
    this.#waiting = [];
  }
}
