import { deadLetterTopic, type Topic, topics } from '@weir/contracts';
import type { EventLog, LogRecord, OutgoingRecord } from '@weir/event-log';
import type { Queryable } from '@weir/postgres';
import { recordActivity } from '../access/activities.ts';

export interface Place {
  readonly partition: number;
  readonly offset: bigint;
}

const pageSize = 200;
/** Bytes published in one call; the log accepts up to 64 MB. */
const batchBytes = 8 * 1024 * 1024;
/** An event is small: of many places, the first. */
const mostListed = 100;

export function isTopic(name: string): name is Topic {
  return (topics as readonly string[]).includes(name);
}

/** The dead letter topic, by its own name or by that of its source topic; undefined for another name. */
export function deadLetterTopicOf(name: string): string | undefined {
  const original = sourceTopicOf(name);
  return isTopic(original) ? deadLetterTopic(original) : undefined;
}

export function sourceTopicOf(topic: string): string {
  return topic.replace(/\.dlq$/, '');
}

/** `OFFSET`, or `PARTITION:OFFSET` where the topic has several partitions; undefined for another text. */
export function parsePlace(text: string): Place | undefined {
  const [, partition, offset] = /^(?:(\d{1,5}):)?(\d{1,18})$/.exec(text) ?? [];
  return offset === undefined ? undefined : { partition: Number(partition ?? 0), offset: BigInt(offset) };
}

export function placeText({ partition, offset }: Place): string {
  return partition === 0 ? String(offset) : `${partition}:${offset}`;
}

/** `from`: the first place to read; absent: all. `atOnce`: records in memory. */
export async function* deadLetters(
  log: EventLog,
  topic: string,
  { from, atOnce = pageSize }: { readonly from?: Place | undefined; readonly atOnce?: number } = {},
): AsyncGenerator<LogRecord, void, void> {
  for (let partition = from?.partition ?? 0; partition < (await log.partitions(topic)); partition += 1) {
    for (let next = partition === from?.partition ? from.offset : 0n; ; ) {
      const page = await log.read(topic, partition, next, atOnce);
      yield* page;
      const last = page.at(-1);
      if (last === undefined) break;
      next = last.offset + 1n;
    }
  }
}

/** Undefined if there is none at this place. */
export async function findDeadLetter(log: EventLog, topic: string, place: Place): Promise<LogRecord | undefined> {
  if (place.partition >= (await log.partitions(topic))) return undefined;
  const [record] = await log.read(topic, place.partition, place.offset, 1);
  return record?.offset === place.offset ? record : undefined;
}

/** Rejects if there is none at this place. */
export async function deadLetterAt(log: EventLog, topic: string, place: Place): Promise<LogRecord> {
  const record = await findDeadLetter(log, topic, place);
  if (record === undefined) throw new Error(`${topic} has nothing at offset ${placeText(place)}`);
  return record;
}

/** Places of the dead letters with this reason, or of all. Later ones are excluded, because a replay may bring a record back. */
export async function findDeadLetters(log: EventLog, topic: string, reason: string | undefined): Promise<Place[]> {
  const found: Place[] = [];
  for await (const { partition, offset, headers } of deadLetters(log, topic)) {
    if (reason === undefined || headers['weir_reason'] === reason) found.push({ partition, offset });
  }
  return found;
}

/** The record before it became a dead letter: topic, key, bytes and headers. */
function originalOf(record: LogRecord): OutgoingRecord {
  const headers = Object.fromEntries(Object.entries(record.headers).filter(([name]) => !name.startsWith('weir_')));
  return { topic: sourceTopicOf(record.topic), key: record.key, value: record.value, headers };
}

export interface Replay {
  readonly topic: string;
  readonly places: readonly Place[];
  /** Of those that were chosen by it. */
  readonly reason?: string | undefined;
  readonly by: { readonly id: string; readonly name: string };
  /** Unix milliseconds. */
  readonly at: number;
  /** After each call of the log, with the number published so far. */
  readonly onPublished?: (count: number) => void;
}

/** Publishes dead letters to their source topic, and records the act. The dead letter topic keeps its records. */
export async function replayDeadLetters({ db, log }: { readonly db: Queryable; readonly log: EventLog }, replay: Replay): Promise<void> {
  const { topic, places, reason = null, by, at, onPublished } = replay;
  const listed = places.slice(0, mostListed).map(placeText).join(', ') + (places.length > mostListed ? ', …' : '');
  // Before the first is published, so that none goes unseen.
  await recordActivity(db, {
    action: 'dead_letters_replayed',
    subjectType: 'topic',
    subject: sourceTopicOf(topic),
    by,
    details: { count: String(places.length), offsets: listed, reason },
    at,
  });
  await publish(log, topic, places, onPublished);
}

async function publish(log: EventLog, topic: string, places: readonly Place[], onPublished?: (count: number) => void): Promise<void> {
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
    onPublished?.(count);
    batch = [];
    size = 0;
  }
}
