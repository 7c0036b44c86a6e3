import { type Topic, type TopicRecords, UndecodableRecord } from '@weir/contracts';
import { type Gathering, type LogRecord, PoisonRecord, type Subscription } from '@weir/event-log';
import { LagAges } from './lag-ages.ts';
import type { Pipeline } from './pipeline.ts';
import { traceRecords } from './traced-records.ts';

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
  /** The start of a group without offsets; default offset 0, where trimmed records are a gap. `present` only for a group that never began. */
  readonly begin?: 'start' | 'present';
  /** In place of `lingerMs`, for stages that want the events of a transfer together. */
  readonly gather?: Gathering;
  /** Records in hand; each is a few kilobytes. */
  readonly maxInFlight?: number;
  readonly maxBatch?: number;
  /** Concurrent batches; default two, so that one is decided while the other is published. */
  readonly maxCalls?: number;
  /** How long an event may wait to fill a batch, in milliseconds; for stages that nobody waits for. */
  readonly lingerMs?: number;
  /** Why a decoded event can never be handled; it goes to the dead letters. */
  fault?(data: TopicRecords[T]): { readonly reason: string; readonly detail: string } | undefined;
  isHandled?(record: LogRecord): boolean;
  /** Handles a batch durably before it resolves. Events may repeat. */
  handle(events: readonly AnyEvent<T>[]): Promise<void>;
}

/**
 * A record that does not decode, or for which `handle` throws `PoisonRecord`, goes to its dead letter topic with its bytes. Every other
 * error is retried.
 */
export async function subscribeStage<T extends Topic>(pipeline: Pipeline, options: StageOptions<T>): Promise<Subscription> {
  const { log, codec, logger, metrics } = pipeline;
  measureLag(pipeline, options.group);
  return log.subscribe({
    group: options.group,
    topics: options.topics,
    ...(options.begin === undefined ? {} : { begin: options.begin }),
    ...(options.gather === undefined ? {} : { gather: options.gather }),
    maxInFlight: options.maxInFlight ?? 1_000,
    maxBatch: options.maxBatch ?? 250,
    maxCalls: options.maxCalls ?? 2,
    ...(options.lingerMs === undefined ? {} : { lingerMs: options.lingerMs }),
    isHandled: (record) => options.isHandled?.(record) === true,
    handle: (records) =>
      traceRecords(options.group, records, async () => {
        const events = await Promise.all(records.map(async (record) => decode(record)));
        await options.handle(events);
      }),
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

/** Updates the group's lag and number of gaps per topic at each scrape, and has its offsets stored. */
export function measureLag({ clock, log, metrics, groups }: Pick<Pipeline, 'clock' | 'log' | 'metrics' | 'groups'>, group: string): void {
  groups.add(group);
  const ages = new LagAges();
  metrics.onScrape(async () => {
    for (const [topic, partitions] of Map.groupBy(await log.lag(group), (each) => each.topic)) {
      metrics.consumerLag.set({ topic, group }, Number(partitions.reduce((sum, { lag }) => sum + lag, 0n)));
      const agesMs = partitions.map((one) => ages.ageMs(`${topic}/${one.partition}`, one, clock.monotonic()));
      metrics.consumerLagSeconds.set({ topic, group }, Math.max(...agesMs) / 1_000);
      metrics.logGaps.set({ topic, group }, partitions.filter(({ gap }) => gap !== undefined).length);
    }
  });
}
