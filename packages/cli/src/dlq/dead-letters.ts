import { deadLetterTopic, topics } from '@weir/contracts';
import type { EventLog, LogRecord, OutgoingRecord } from '@weir/event-log';
import { UsageError } from '../failure.ts';
import { isTopic } from '../record.ts';

export interface Place {
  readonly partition: number;
  readonly offset: bigint;
}

const pageSize = 200;
/** Bytes published in one call; the log accepts up to 64 MB. */
const batchBytes = 8 * 1024 * 1024;

/** The dead letter topic, by its own name or by that of its source topic. */
export function deadLetterTopicOf(name: string): string {
  const original = name.replace(/\.dlq$/, '');
  if (!isTopic(original)) throw new UsageError(`there is no topic ${name}; there are ${topics.join(', ')}`);
  return deadLetterTopic(original);
}

/** `OFFSET`, or `PARTITION:OFFSET` where the topic has several partitions. */
export function parsePlace(text: string): Place {
  const [, partition, offset] = /^(?:(\d{1,5}):)?(\d{1,18})$/.exec(text) ?? [];
  if (offset === undefined) throw new UsageError(`${JSON.stringify(text)} is not an offset`);
  return { partition: Number(partition ?? 0), offset: BigInt(offset) };
}

export function placeText({ partition, offset }: Place): string {
  return partition === 0 ? String(offset) : `${partition}:${offset}`;
}

export async function* deadLetters(log: EventLog, topic: string): AsyncGenerator<LogRecord, void, void> {
  for (let partition = 0; partition < (await log.partitions(topic)); partition += 1) {
    for (let from = 0n; ; ) {
      const page = await log.read(topic, partition, from, pageSize);
      yield* page;
      const last = page.at(-1);
      if (last === undefined) break;
      from = last.offset + 1n;
    }
  }
}

export async function deadLetterAt(log: EventLog, topic: string, place: Place): Promise<LogRecord> {
  const [record] = await log.read(topic, place.partition, place.offset, 1);
  if (record?.offset !== place.offset) throw new Error(`${topic} has nothing at offset ${placeText(place)}`);
  return record;
}

/** Places of the dead letters with this reason, or of all. Later ones are excluded, because a replay may bring a record back. */
export async function findAll(log: EventLog, topic: string, reason: string | undefined): Promise<Place[]> {
  const found: Place[] = [];
  for await (const { partition, offset, headers } of deadLetters(log, topic)) {
    if (reason === undefined || headers['weir_reason'] === reason) found.push({ partition, offset });
  }
  return found;
}

/** The record before it became a dead letter: topic, key, bytes and headers. */
function originalOf(record: LogRecord): OutgoingRecord {
  const headers = Object.fromEntries(Object.entries(record.headers).filter(([name]) => !name.startsWith('weir_')));
  return { topic: record.topic.replace(/\.dlq$/, ''), key: record.key, value: record.value, headers };
}

/** Publishes dead letters to their source topic. The dead letter topic keeps its records. */
export async function replay(log: EventLog, topic: string, places: readonly Place[], done: (count: number) => void): Promise<void> {
  let batch: OutgoingRecord[] = [];
  let size = 0;
  let count = 0;
  for (const [at, place] of places.entries()) {
    const original = originalOf(await deadLetterAt(log, topic, place));
    batch.push(original);
    size += original.value.length;
    if (size < batchBytes && batch.length < pageSize && at < places.length - 1) continue;
    await log.publish(batch);
    count += batch.length;
    done(count);
    batch = [];
    size = 0;
  }
}
