import type { Consumer, EachBatchPayload } from 'kafkajs';
import type { Dispatcher } from '../dispatcher/index.ts';
import { gapError } from '../gap.ts';
import type { LogGap, TopicPartition } from '../port.ts';
import type { Claims } from './assigner.ts';
import { AssignedPartition } from './assigned-partition.ts';

export interface AssignedPartitionsOptions {
  readonly dispatcher: Dispatcher;
  readonly consumer: () => Consumer | undefined;
  /** Called when the group must learn of released partitions. */
  readonly joinAgain: () => void;
  readonly joined: () => void;
  /** Called when a partition is drained or in doubt. */
  readonly changed: () => void;
  readonly arrived: () => void;
  readonly onError: (error: unknown) => void;
}

export class AssignedPartitions {
  readonly #options: AssignedPartitionsOptions;
  readonly #held = new Map<string, AssignedPartition>();
  /** Changes after the member was out of the group. */
  #memberId = '';
  /** The last assignment. Other partitions that it holds are being released. */
  #given: ReadonlySet<string> = new Set();

  constructor(options: AssignedPartitionsOptions) {
    this.#options = options;
  }

  get all(): readonly AssignedPartition[] {
    return [...this.#held.values()];
  }

  /** Whether records of the partition are handed out. */
  isOpen(place: TopicPartition): boolean {
    const held = this.#held.get(keyOf(place));
    return held !== undefined && !held.isLeaving && held.gap === undefined;
  }

  get claims(): Claims {
    return { memberId: this.#memberId, holds: this.all.map(({ topic, partition }) => ({ topic, partition })) };
  }

  joined(memberId: string, assignment: Readonly<Record<string, readonly number[]>>): void {
    // A new name means that it was out of the group, and others had its partitions.
    if (memberId !== this.#memberId) this.drop();
    this.#memberId = memberId;
    const given = Object.entries(assignment).flatMap(([topic, partitions]) => partitions.map((partition) => ({ topic, partition })));
    this.#given = new Set(given.map(keyOf));
    for (const assigned of this.all) if (!this.#given.has(keyOf(assigned)) && !assigned.isLeaving) void this.#drain(assigned);
    for (const each of given) {
      const held = this.#held.get(keyOf(each)) ?? this.#gain(each);
      held.rereads();
      // kafkajs ignores pause and resume during a rebalance. A partition that came back before its release resumes after it.
      this.setPaused(held, held.isPaused || held.isLeaving);
    }
    this.#options.joined();
  }

  /** Leaves records that it does not take unmarked, so kafkajs fetches them again. */
  take(payload: EachBatchPayload): void {
    const { batch } = payload;
    const key = keyOf(batch);
    let assigned = this.#held.get(key);
    if (assigned === undefined || assigned.isLeaving || assigned.gap !== undefined || !this.#given.has(key)) return;
    if (BigInt(batch.firstOffset() ?? batch.lastOffset()) < assigned.expected) {
      // The partition was truncated or recreated, and kafkajs restarted at its first record.
      const said = `${key} goes back to ${batch.firstOffset()}, and had been read up to ${assigned.position}; it is read again`;
      this.#options.onError(new Error(said));
      this.#options.dispatcher.drop(assigned.assignment);
      assigned = this.#gain(assigned);
    }
    assigned.take(batch.messages);
    payload.resolveOffset(batch.lastOffset());
    if (assigned.doubt !== undefined || assigned.start === undefined) this.#options.changed();
    this.#options.arrived();
  }

  /** Unread records are missing. A later assignment detects the gap itself. */
  stopAt(assigned: AssignedPartition, gap: LogGap): void {
    if (this.#held.get(keyOf(assigned)) !== assigned) return;
    assigned.stopAt(gap);
    this.setPaused(assigned, true);
    this.#options.onError(gapError(gap));
  }

  committed(topic: string, partition: number, offset: bigint): void {
    const assigned = this.#held.get(keyOf({ topic, partition }));
    if (assigned !== undefined) assigned.committed = offset;
  }

  /** Releases a committed partition, unless it was assigned again. */
  letGo(assigned: AssignedPartition): void {
    if (this.#held.get(keyOf(assigned)) !== assigned) return;
    this.#held.delete(keyOf(assigned));
    if (!this.#given.has(keyOf(assigned))) return this.#options.joinAgain();
    this.#gain(assigned).follow(assigned);
  }

  setPaused(assigned: AssignedPartition, isPaused: boolean): void {
    assigned.isPaused = isPaused;
    const place = [{ topic: assigned.topic, partitions: [assigned.partition] }];
    if (isPaused) this.#options.consumer()?.pause(place);
    else this.#options.consumer()?.resume(place);
  }

  /** Other members own them already, so later completions do not count. */
  drop(): void {
    for (const assigned of this.all) this.#options.dispatcher.drop(assigned.assignment);
    this.#held.clear();
    this.#given = new Set();
    this.#memberId = '';
  }

  #gain({ topic, partition }: TopicPartition): AssignedPartition {
    const assigned = new AssignedPartition(topic, partition, this.#options.dispatcher);
    this.#held.set(keyOf(assigned), assigned);
    // It may have been paused when released.
    this.setPaused(assigned, false);
    return assigned;
  }

  async #drain(assigned: AssignedPartition): Promise<void> {
    assigned.forgetWaiting();
    await this.#options.dispatcher.drain(assigned.assignment);
    assigned.isDrained = true;
    this.#options.changed();
  }
}

export function keyOf({ topic, partition }: TopicPartition): string {
  return `${topic}/${partition}`;
}
