import { type Topic, type TopicRecords, UndecodableRecord } from '@weir/contracts';
import { type LogRecord, PoisonRecord, type Subscription } from '@weir/event-log';
import type { Pipeline } from './pipeline.ts';

/** A decoded record of the log. */
export interface StageEvent<T extends Topic> {
  readonly topic: T;
  readonly data: TopicRecords[T];
  readonly record: LogRecord;
}

type AnyEvent<T extends Topic> = { [K in T]: StageEvent<K> }[T];

export interface StageOptions<T extends Topic> {
  /** The consumer group: the service's name. */
  readonly group: string;
  readonly topics: readonly T[];
  /** Where the group begins when it is new; at offset 0 unless told otherwise, so that what was trimmed before is a gap. */
  readonly begin?: 'start' | 'present';
  /** Records handed out at once; each is a few kilobytes. */
  readonly maxInFlight?: number;
  readonly maxBatch?: number;
  /** Batches under way at once; two unless told otherwise, so that one is read and decided on while the other is published. */
  readonly maxCalls?: number;
  /** How long an event may wait for others to go with it, in milliseconds; for a stage that nobody waits for. */
  readonly lingerMs?: number;
  /** Why a decoded event can never be dealt with; it goes to the dead letters like one that does not decode. */
  fault?(data: TopicRecords[T]): { readonly reason: string; readonly detail: string } | undefined;
  /** Deals with a batch, durably, before it resolves. May be given the same event again. */
  handle(events: readonly AnyEvent<T>[]): Promise<void>;
}

/**
 * Reads topics as one group. A record that does not decode goes to its dead letter topic with its bytes, as does one for which
 * `handle` throws `PoisonRecord`; every other failure is repeated.
 */
export async function subscribeStage<T extends Topic>(pipeline: Pipeline, options: StageOptions<T>): Promise<Subscription> {
  const { log, codec, logger, metrics } = pipeline;
  measureLag(pipeline, options.group);
  return log.subscribe({
    group: options.group,
    topics: options.topics,
    ...(options.begin === undefined ? {} : { begin: options.begin }),
    maxInFlight: options.maxInFlight ?? 1_000,
    maxBatch: options.maxBatch ?? 250,
    maxCalls: options.maxCalls ?? 2,
    ...(options.lingerMs === undefined ? {} : { lingerMs: options.lingerMs }),
    handle: async (records) => {
      const events = await Promise.all(records.map(async (record) => decode(record)));
      await options.handle(events);
    },
    onDeadLetter: (record, reason) => {
      metrics.deadLetters.inc({ topic: record.topic, reason });
      logger.warn(
        { topic: record.topic, partition: record.partition, offset: String(record.offset), reason },
        'record moved to the dead letters',
      );
    },
    onError: (error, records) =>
      logger.warn({ err: error, topic: records[0]?.topic, count: records.length }, 'records could not be processed; trying again'),
  });

  async function decode(record: LogRecord): Promise<AnyEvent<T>> {
    const topic = record.topic as T;
    const data = await codec.decode(topic, record.value).catch((error: unknown) => {
      throw error instanceof UndecodableRecord ? new PoisonRecord(error.code, error.message) : error;
    });
    const fault = options.fault?.(data);
    if (fault !== undefined) throw new PoisonRecord(fault.reason, fault.detail);
    return { topic, data, record } as AnyEvent<T>;
  }
}

/** Shows, whenever metrics are read, how many records of each topic the group has yet to deal with, and at how many partitions it has stopped. */
export function measureLag({ log, metrics }: Pick<Pipeline, 'log' | 'metrics'>, group: string): void {
  metrics.onScrape(async () => {
    for (const [topic, partitions] of Map.groupBy(await log.lag(group), (each) => each.topic)) {
      metrics.consumerLag.set({ topic, group }, Number(partitions.reduce((sum, { lag }) => sum + lag, 0n)));
      metrics.logGaps.set({ topic, group }, partitions.filter(({ gap }) => gap !== undefined).length);
    }
  });
}
