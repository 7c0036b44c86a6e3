import type { Topic, TopicRecords } from '@weir/contracts';
import type { Subscription } from '@weir/event-log';
import { type Queryable, transaction } from '@weir/postgres';
import { Carrier, type Joined } from './carrier.ts';
import { HandledEvents } from './handled-events.ts';
import type { Outbox } from './outbox.ts';
import type { NewEvent, StoredEvent } from './outbox-events.ts';
import { isAway } from './passing.ts';
import type { Pipeline } from './pipeline.ts';
import { recordSpans } from '@weir/tracing';
import { type StageEvent, type StageOptions, subscribeStage } from './stage.ts';
import { traceBatch } from './traced-records.ts';

/** An event for a step: read from the log, or said by an earlier step of the same transaction. */
export type StepEvent<T extends Topic> = { [K in T]: { readonly topic: K; readonly data: TopicRecords[K]; readonly at: number } }[T];

/** What a step did in its transaction. */
export interface Step {
  /** What it says: new events, or ones that it said before. */
  readonly events: readonly NewEvent[];
  /** Ids of `events` that leave a stage of this process nothing to do. */
  readonly settled?: ReadonlySet<string>;
  /** Stored events to publish again. None where the log appends. */
  readonly repeats?: readonly StoredEvent[];
  /** Called once the transaction is committed. */
  readonly committed?: () => void;
}

/** Identifies the attempts at one batch, so that a step may keep what it has fetched between them. */
export type Batch = object;

/** A step needs something that must not be waited for in a transaction: it is rolled back and tried again once `ready` has resolved. */
export class TryAgain extends Error {
  readonly ready: () => Promise<void>;

  constructor(ready: () => Promise<void>) {
    super('to be tried again');
    this.ready = ready;
  }
}

/** A process that is suspended in a transaction holds its rows for no longer. */
const idleTimeoutMs = 5_000;

/** A step would say too many bytes for one transaction: the batch is split. */
export class BatchTooLarge extends Error {
  constructor() {
    super('the batch says more than one transaction may hold');
  }
}

/** A part of the pipeline that turns events into state and further events, in a transaction that it may share with other stages. */
export interface Stage<T extends Topic> extends Omit<StageOptions<T>, 'handle' | 'isHandled'> {
  /** Topics of its events. */
  readonly says: readonly Topic[];
  readonly outbox: Outbox;
  /** Events may repeat. It must lock its rows in one order, and none of another stage's. */
  step(tx: Queryable, events: readonly StepEvent<T>[], batch: Batch): Promise<Step>;
}

export interface Ran<S extends Step> {
  readonly first: S;
  /** Resolves when the events are published, rejects when they cannot be now. They are stored already. */
  readonly published: Promise<void>;
}

type RunPipeline = Pick<Pipeline, 'pool' | 'log' | 'codec' | 'clock' | 'logger' | 'metrics'>;

/**
 * The stages of one process. A batch is carried through as many of them as it can in one transaction: an event that one says is handled by
 * the next at once, if this process reads it anyway. All events are published, so that other readers, and this process after a crash, find
 * them. If a later stage fails, the batch is carried through the first alone, and the others read its events
 * from the log, where a failing one is split, repeated or moved to the dead letters.
 */
export class Stages {
  #joined: readonly Joined[] = [];

  /** Reads the topics of a stage. */
  async join<T extends Topic>(pipeline: Pipeline, stage: Stage<T>): Promise<Subscription> {
    const handled = new HandledEvents();
    const subscription = await subscribeStage(pipeline, {
      ...stage,
      isHandled: (record) => handled.take(record),
      handle: (events) => this.#handle(pipeline, stage, events.map(toStepEvent)),
    });
    const joined: Joined = { stage, subscription, handled };
    this.#joined = inOrder([...this.#joined, joined]);
    return {
      get assigned() {
        return subscription.assigned;
      },
      isAssigned: (topic, key) => subscription.isAssigned(topic, key),
      stop: async () => {
        this.#joined = this.#joined.filter((each) => each !== joined);
        await subscription.stop();
      },
    };
  }

  async #handle<T extends Topic>(pipeline: Pipeline, stage: Stage<T>, events: readonly StepEvent<T>[]): Promise<void> {
    try {
      const { published } = await this.run(pipeline, stage.outbox, (tx, batch) => stage.step(tx, events, batch));
      await published;
    } catch (error) {
      if (!(error instanceof BatchTooLarge) || events.length === 1) throw error;
      const half = Math.ceil(events.length / 2);
      await this.#handle(pipeline, stage, events.slice(0, half));
      await this.#handle(pipeline, stage, events.slice(half));
    }
  }

  /** Runs `first` in a transaction and carries what it says through the stages. `outbox` stores what it says. */
  run<S extends Step>(
    pipeline: RunPipeline,
    outbox: Outbox,
    first: (tx: Queryable, batch: Batch) => Promise<S>,
    options: { lockTimeoutMs?: number } = {},
  ): Promise<Ran<S>> {
    const run = (): Promise<Ran<S>> => this.#run(pipeline, outbox, first, options);
    // A batch of records has its span already. Any other work may run in the name of the first of its callers.
    return recordSpans() === undefined ? traceBatch(outbox.service, [], 0, run) : run();
  }

  async #run<S extends Step>(
    pipeline: RunPipeline,
    outbox: Outbox,
    first: (tx: Queryable, batch: Batch) => Promise<S>,
    options: { lockTimeoutMs?: number },
  ): Promise<Ran<S>> {
    const batch: Batch = {};
    for (let stages = this.#joined; ; ) {
      /** The last part that was begun after the first stage. */
      let carriedTo: string | undefined;
      const committed = Promise.withResolvers<boolean>();
      const attempt = async (tx: Queryable): Promise<{ step: S; carrier: Carrier }> => {
        const carrier = new Carrier(pipeline, tx, batch);
        const step = await first(tx, batch);
        await carrier.take(outbox, step);
        for (const joined of stages) {
          carriedTo = joined.stage.group;
          await carrier.carry(joined);
        }
        if (carriedTo !== undefined) carriedTo = 'log';
        await carrier.append(committed.promise);
        return { step, carrier };
      };
      try {
        const { step, carrier } = await transaction(pipeline.pool, attempt, { ...options, idleTimeoutMs });
        committed.resolve(true);
        return { first: step, published: carrier.end() };
      } catch (error) {
        committed.resolve(false);
        if (error instanceof TryAgain) await error.ready();
        else if (carriedTo === undefined || isAway(error)) throw error;
        else {
          pipeline.metrics.stageFallbacks.inc({ stage: carriedTo });
          pipeline.logger.info(
            { err: error, stage: carriedTo },
            'a batch could not be carried through all stages; its first one goes on alone',
          );
          stages = [];
        }
      }
    }
  }
}

function toStepEvent<T extends Topic>({ topic, data, record }: StageEvent<T>): StepEvent<T> {
  return { topic, data, at: record.timestamp };
}

/** A stage comes after those that say what it reads. */
function inOrder(all: readonly Joined[]): Joined[] {
  const sorted: Joined[] = [];
  const left = new Set(all);
  for (let next: Joined | undefined; (next = [...left].find((one) => isNext(one, left)) ?? [...left][0]) !== undefined; left.delete(next))
    sorted.push(next);
  return sorted;
}

function isNext(one: Joined, left: ReadonlySet<Joined>): boolean {
  return ![...left].some((other) => other !== one && other.stage.says.some((topic) => one.stage.topics.includes(topic)));
}
