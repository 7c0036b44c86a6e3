import type { Topic } from '@weir/contracts';
import type { OutgoingRecord, RecordPlace, Subscription } from '@weir/event-log';
import type { Queryable } from '@weir/postgres';
import { isTracing, recordSpans, writerOf } from '@weir/tracing';
import type { HandledEvents } from './handled-events.ts';
import type { Outbox } from './outbox.ts';
import type { StoredEvent } from './outbox-events.ts';
import type { Pipeline } from './pipeline.ts';
import type { Batch, Stage, Step, StepEvent } from './stages.ts';
import { traceCarried, traceWritten, type WrittenEvent } from './traced-records.ts';

export interface Joined {
  readonly stage: Stage<Topic>;
  readonly subscription: Subscription;
  /** Events that it has handled early, where the log appends elsewhere and has no place for them yet. */
  readonly handled: HandledEvents;
}

/** An event of the transaction. */
interface Said {
  readonly stored: StoredEvent;
  readonly isSettled: boolean;
  /** As a reader of the log would get it; undefined until a stage asks for it. */
  event?: StepEvent<Topic>;
  /** Stages that need not read it. */
  readonly handledBy: Joined[];
}

/** One transaction, which carries a batch through stages. */
export class Carrier {
  readonly #pipeline: Pick<Pipeline, 'log' | 'codec' | 'clock'>;
  readonly #tx: Queryable;
  readonly #batch: Batch;
  /** Events that this transaction stores; others are in the log already. */
  readonly #said: Said[] = [];
  readonly #steps: Step[] = [];
  readonly #written: { readonly service: string; readonly events: readonly WrittenEvent[]; readonly at: number }[] = [];
  readonly #toPublish: (readonly [Outbox, readonly StoredEvent[]])[] = [];

  constructor(pipeline: Pick<Pipeline, 'log' | 'codec' | 'clock'>, tx: Queryable, batch: Batch) {
    this.#pipeline = pipeline;
    this.#tx = tx;
    this.#batch = batch;
  }

  /** Stores what a step says. */
  async take(outbox: Outbox, step: Step): Promise<void> {
    this.#steps.push(step);
    const { stored, fresh } = await outbox.write(this.#tx, step.events);
    for (const event of fresh) this.#said.push({ stored: event, isSettled: step.settled?.has(event.id) === true, handledBy: [] });
    if (isTracing()) this.#written.push({ service: outbox.service, events: fresh.map(withCause), at: this.#pipeline.clock.now() });
    const isAppended = this.#pipeline.log.append !== undefined;
    this.#toPublish.push([outbox, [...(step.repeats ?? []), ...(isAppended ? [] : stored)]]);
  }

  /** Carries what was said so far through a stage. */
  async carry(joined: Joined): Promise<void> {
    const { stage, subscription } = joined;
    const input = this.#said.filter(({ stored: { record } }) => {
      return stage.topics.includes(record.topic as Topic) && subscription.isAssigned(record.topic, record.key);
    });
    const events: StepEvent<Topic>[] = [];
    const records: OutgoingRecord[] = [];
    for (const said of input) {
      const event = said.isSettled ? undefined : (said.event ??= await this.#eventOf(said.stored));
      // What the stage can never handle is read from the log, and moved to the dead letters.
      if (event !== undefined && stage.fault?.(event.data) !== undefined) continue;
      said.handledBy.push(joined);
      if (event === undefined) continue;
      events.push(event);
      records.push(said.stored.record);
    }
    if (events.length === 0) return;
    await traceCarried(stage.group, records, async () => this.take(stage.outbox, await stage.step(this.#tx, events, this.#batch)));
  }

  /** The last statement before the commit: it holds partitions of the log. `committed`: see `EventLog.append`. */
  async append(committed: Promise<boolean>): Promise<void> {
    const records = this.#said.map(({ stored }) => stored.record);
    const places = (await this.#pipeline.log.append?.(this.#tx, records, committed)) ?? [];
    const passed = new Map<Subscription, RecordPlace[]>();
    for (const [n, place] of places.entries()) {
      for (const { subscription } of this.#said[n]?.handledBy ?? []) {
        const handled = passed.get(subscription) ?? [];
        passed.set(subscription, handled);
        handled.push(place);
      }
    }
    for (const [subscription, handled] of passed) subscription.passOver?.(handled, committed);
  }

  /** After the commit. Resolves when the events are published. */
  async end(): Promise<void> {
    for (const step of this.#steps) step.committed?.();
    if (this.#pipeline.log.append === undefined)
      for (const { stored, handledBy } of this.#said) for (const { handled } of handledBy) handled.add(stored.record);
    // Called in one turn, so that the log writes them together.
    await Promise.all(this.#toPublish.map(([outbox, events]) => outbox.publish(events)));
    for (const { service, events, at } of this.#written) traceWritten(service, events, at);
  }

  async #eventOf({ record }: StoredEvent): Promise<StepEvent<Topic>> {
    const topic = record.topic as Topic;
    return { topic, data: await this.#pipeline.codec.decode(topic, record.value), at: this.#pipeline.clock.now() } as StepEvent<Topic>;
  }
}

/** With the span of the record that led to it. */
function withCause({ id, record }: StoredEvent): WrittenEvent {
  return { id, record, parent: recordSpans()?.get(writerOf(record.headers)?.traceId ?? '') };
}
