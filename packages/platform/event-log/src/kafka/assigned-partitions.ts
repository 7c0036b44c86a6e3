import type { Consumer, EachBatchPayload } from 'kafkajs';
import type { Dispatcher } from '../dispatcher/index.ts';
import { gapError } from '../gap.ts';
import type { LogGap, TopicPartition } from '../port.ts';
import type { Claims } from './assigner.ts';
import { AssignedPartition } from './assigned-partition.ts';

export interface AssignedPartitionsOptions {
  readonly dispatcher: Dispatcher;
  /** The consumer that is in the group now. */
  readonly consumer: () => Consumer | undefined;
  /** Told when the group should hear that partitions were let go of. */
  readonly joinAgain: () => void;
  /** Told when the group has given partitions. */
  readonly joined: () => void;
  /** Told when a partition was drained, or is in doubt. */
  readonly changed: () => void;
  /** Told when records came. */
  readonly arrived: () => void;
  readonly onError: (error: unknown) => void;
}

/** The partitions that a member has, and how they come and go as the group changes. */
export class AssignedPartitions {
  readonly #options: AssignedPartitionsOptions;
  readonly #held = new Map<string, AssignedPartition>();
  /** The member's name in the group; another one after it was out of it. */
  #memberId = '';
  /** What the group gave it last. What it holds besides is being let go of. */
  #given: ReadonlySet<string> = new Set();

  constructor(options: AssignedPartitionsOptions) {
    this.#options = options;
  }

  get all(): readonly AssignedPartition[] {
    return [...this.#held.values()];
  }

  /** For the group's leader. */
  get claims(): Claims {
    return { memberId: this.#memberId, holds: this.all.map(({ topic, partition }) => ({ topic, partition })) };
  }

  /** The group has changed: what it gave this member from now on. */
  joined(memberId: string, assignment: Readonly<Record<string, readonly number[]>>): void {
    // Under another name it has been out of the group, and others have had its partitions since.
    if (memberId !== this.#memberId) this.drop();
    this.#memberId = memberId;
    const given = Object.entries(assignment).flatMap(([topic, partitions]) => partitions.map((partition) => ({ topic, partition })));
    this.#given = new Set(given.map(keyOf));
    for (const holding of this.all) if (!this.#given.has(keyOf(holding)) && !holding.isLeaving) void this.#drain(holding);
    for (const each of given) {
      const held = this.#held.get(keyOf(each)) ?? this.#gain(each);
      held.rereads();
      // kafkajs has not heard what was paused or resumed while the group changed. What came back before it was let go of is read on after that.
      this.setPaused(held, held.isPaused || held.isLeaving);
    }
    this.#options.joined();
  }

  /** Takes what was fetched. What is not taken is not marked as read, so it is fetched again. */
  take(payload: EachBatchPayload): void {
    const { batch } = payload;
    const key = keyOf(batch);
    let holding = this.#held.get(key);
    if (holding === undefined || holding.isLeaving || holding.gap !== undefined || !this.#given.has(key)) return;
    if (BigInt(batch.firstOffset() ?? batch.lastOffset()) < holding.expected) {
      // The partition was cut or made anew, and kafkajs has begun with what there is.
      const said = `${key} goes back to ${batch.firstOffset()}, and had been read up to ${holding.position}; it is read again`;
      this.#options.onError(new Error(said));
      this.#options.dispatcher.drop(holding.assignment);
      holding = this.#gain(holding);
    }
    holding.take(batch.messages);
    payload.resolveOffset(batch.lastOffset());
    if (holding.doubt !== undefined || holding.start === undefined) this.#options.changed();
    this.#options.arrived();
  }

  /** Records that were yet to be read are gone. A later holding of the partition finds that out by itself. */
  stopAt(holding: AssignedPartition, gap: LogGap): void {
    if (this.#held.get(keyOf(holding)) !== holding) return;
    holding.stopAt(gap);
    this.setPaused(holding, true);
    this.#options.onError(gapError(gap));
  }

  /** The broker has stored an offset. */
  committed(topic: string, partition: number, offset: bigint): void {
    const holding = this.#held.get(keyOf({ topic, partition }));
    if (holding !== undefined) holding.committed = offset;
  }

  /** Its work is done and committed: others may have it, unless it has come back meanwhile. */
  letGo(holding: AssignedPartition): void {
    if (this.#held.get(keyOf(holding)) !== holding) return;
    this.#held.delete(keyOf(holding));
    if (!this.#given.has(keyOf(holding))) return this.#options.joinAgain();
    this.#gain(holding).follow(holding);
  }

  setPaused(holding: AssignedPartition, isPaused: boolean): void {
    holding.isPaused = isPaused;
    const place = [{ topic: holding.topic, partitions: [holding.partition] }];
    if (isPaused) this.#options.consumer()?.pause(place);
    else this.#options.consumer()?.resume(place);
  }

  /** They are others' already: what completes later is not counted. */
  drop(): void {
    for (const holding of this.all) this.#options.dispatcher.drop(holding.assignment);
    this.#held.clear();
    this.#given = new Set();
    this.#memberId = '';
  }

  #gain({ topic, partition }: TopicPartition): AssignedPartition {
    const holding = new AssignedPartition(topic, partition, this.#options.dispatcher);
    this.#held.set(keyOf(holding), holding);
    // It may have been paused when it was let go of.
    this.setPaused(holding, false);
    return holding;
  }

  async #drain(holding: AssignedPartition): Promise<void> {
    holding.forgetWaiting();
    await this.#options.dispatcher.drain(holding.assignment);
    holding.isDrained = true;
    this.#options.changed();
  }
}

export function keyOf({ topic, partition }: TopicPartition): string {
  return `${topic}/${partition}`;
}
