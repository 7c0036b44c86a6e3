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

  /** Takes fetched records. */
  take(messages: readonly KafkaMessage[]): void {
    if (this.isLeaving) return;
    for (const message of messages) {
      const record = recordOf(this.topic, this.partition, message);
      if (this.position === undefined) this.#first = record.offset;
      this.#waiting.push(record);
      this.position = record.offset + 1n;
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
