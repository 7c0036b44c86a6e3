import type { Clock } from '@weir/clock';
import type { Message, Producer, RecordMetadata, TopicMessages } from 'kafkajs';
import { EventLogError } from '../errors.ts';
import type { OutgoingRecord } from '../port.ts';
import { type PublishCall, PublishQueue } from '../publish-queue.ts';
import type { KafkaClient } from './client.ts';
import type { Directory } from './directory.ts';
import { logError, askKafka } from './errors.ts';
import { partitionOf } from './partition.ts';
import { settings } from './settings.ts';

interface Placed {
  readonly record: OutgoingRecord;
  readonly partition: number;
}

export interface SenderOptions {
  readonly open: () => KafkaClient;
  readonly directory: Directory;
  readonly clock: Clock;
}

/**
 * Appends with an idempotent producer, replaced after any failure. kafkajs reuses the sequence numbers of records that may be written, and
 * the broker would drop new records as duplicates.
 */
export class Sender {
  readonly #options: SenderOptions;
  readonly #queue: PublishQueue;
  #current: { client: KafkaClient; producer: Promise<Producer> } | undefined;

  constructor(options: SenderOptions) {
    this.#options = options;
    this.#queue = new PublishQueue({ sizeOf: checkedSize, append: (calls) => this.#append(calls) });
  }

  async publish(records: readonly OutgoingRecord[]): Promise<void> {
    await this.#queue.publish(records);
  }

  /** Accepts no more; resolves when accepted records are written or have failed. */
  async close(): Promise<void> {
    await this.#queue.close();
    this.#giveUp();
  }

  async #append(calls: readonly PublishCall[]): Promise<void> {
    const known = new Map<PublishCall, Placed[]>();
    for (const call of calls) {
      await this.#place(call.records).then(
        (placed) => known.set(call, placed),
        (error: unknown) => call.failed(error),
      );
    }
    if (known.size > 0) await this.#write(known);
  }

  async #write(calls: ReadonlyMap<PublishCall, readonly Placed[]>): Promise<void> {
    try {
      for (const request of requestsOf([...calls.values()].flat())) await this.#send(request);
      for (const call of calls.keys()) call.written();
    } catch (error) {
      const isShared = calls.size > 1 && error instanceof EventLogError && !error.retriable;
      // Repeats each call alone, so one call's error affects no other.
      if (isShared) for (const [call, placed] of calls) await this.#write(new Map([[call, placed]]));
      else for (const call of calls.keys()) call.failed(error);
    }
  }

  /** Rejects with UNKNOWN_TOPIC before any write. */
  async #place(records: readonly OutgoingRecord[]): Promise<Placed[]> {
    const counts = new Map<string, number>();
    for (const topic of new Set(records.map((record) => record.topic))) counts.set(topic, await this.#options.directory.partitions(topic));
    return records.map((record) => ({ record, partition: partitionOf(record.key, counts.get(record.topic) ?? 1) }));
  }

  async #send(request: readonly TopicMessages[]): Promise<void> {
    const current = (this.#current ??= this.#connect());
    const sending = current.producer.then((producer) => producer.sendBatch({ topicMessages: [...request], acks: -1 }));
    try {
      checkAnswer(request, await askKafka(this.#options.clock, settings.appendTimeoutMs, sending));
    } catch (error) {
      this.#giveUp();
      throw logError(error);
    }
  }

  #connect(): { client: KafkaClient; producer: Promise<Producer> } {
    const client = this.#options.open();
    const producer = client.kafka.producer({
      idempotent: true,
      allowAutoTopicCreation: false,
      retry: settings.retry,
      metadataMaxAge: settings.metadataMaxAgeMs,
    });
    return { client, producer: producer.connect().then(() => producer) };
  }

  #giveUp(): void {
    this.#current?.client.cut();
    this.#current = undefined;
  }
}

/** If a leader moves during a retry, kafkajs omits records and reports success. */
function checkAnswer(request: readonly TopicMessages[], answer: readonly RecordMetadata[]): void {
  const acknowledged = new Set(answer.map(({ topicName, partition }) => `${topicName}/${partition}`));
  const isWhole = request.every(({ topic, messages }) => messages.every(({ partition }) => acknowledged.has(`${topic}/${partition}`)));
  if (!isWhole) throw new EventLogError('LOG_UNAVAILABLE', 'Kafka has not acknowledged all of the records');
}

function requestsOf(placed: readonly Placed[]): TopicMessages[][] {
  const requests: Map<string, Message[]>[] = [];
  const filled = new Map<string, { request: number; bytes: number }>();
  for (const { record, partition } of placed) {
    const bytes = checkedSize(record);
    const place = `${record.topic}/${partition}`;
    const at = filled.get(place) ?? { request: 0, bytes: 0 };
    const next =
      at.bytes > 0 && at.bytes + bytes > settings.batchBytes ? { request: at.request + 1, bytes } : { ...at, bytes: at.bytes + bytes };
    filled.set(place, next);
    const topics = (requests[next.request] ??= new Map());
    const messages = topics.get(record.topic) ?? [];
    messages.push({ key: record.key, value: record.value, headers: { ...record.headers }, partition });
    topics.set(record.topic, messages);
  }
  return requests.map((topics) => [...topics].map(([topic, messages]) => ({ topic, messages })));
}

/** An upper bound of the bytes on the wire. Lone surrogates become equal in UTF-8, which would move a key. */
function checkedSize(record: OutgoingRecord): number {
  let size = record.value.length + 64;
  for (const text of [record.key, ...Object.keys(record.headers), ...Object.values(record.headers)]) {
    if (!text.isWellFormed()) {
      throw new EventLogError('INVALID_RECORD', `a key or header for ${record.topic.slice(0, 100)} holds half a character`);
    }
    size += Buffer.byteLength(text) + 8;
  }
  return size;
}
