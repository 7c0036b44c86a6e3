import { createHash, hash } from 'node:crypto';
import { type Codec, deadLetterTopic, eventId, type Kind, screeningId, type Topic, topics, UndecodableRecord } from '@weir/contracts';
import type { LogRecord } from '@weir/event-log';

/** An entry before `append` gives it an index. */
export interface NewEntry {
  readonly eventId: string;
  /** The id that an earlier event with other content had. */
  readonly conflictsWith: string | null;
  readonly topic: string;
  readonly key: string;
  readonly value: Buffer;
  readonly headers: Readonly<Record<string, string>>;
  readonly partition: number;
  readonly offset: bigint;
  /** Unix milliseconds. */
  readonly time: number;
  readonly screeningId: string | null;
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const deadLetterTopics: ReadonlySet<string> = new Set(topics.map(deadLetterTopic));
const latestTime = Date.UTC(9999, 11, 31);

/** Never throws, so that every record has an entry. */
export function entryOf(record: LogRecord): NewEntry {
  const key = storable(record.key);
  const isDeadLetter = deadLetterTopics.has(record.topic);
  return {
    eventId: idOf(record, isDeadLetter),
    conflictsWith: null,
    topic: record.topic,
    key,
    value: record.value,
    headers: storableHeaders(record.headers),
    partition: record.partition,
    offset: record.offset,
    time: timeOf(record, isDeadLetter),
    screeningId: screeningOf(record),
  };
}

/** Of topic, key and value: events with one id and digest are repeats. Few ids come twice, so it is not kept. */
export function entryDigest({ topic, key, value }: NewEntry): string {
  return digestOf(topic, key, hash('sha256', value, 'buffer'));
}

/** `valueSha256` of the value's bytes. */
export function digestOf(topic: string, key: string, valueSha256: Buffer): string {
  return createHash('sha256')
    .update(JSON.stringify([topic, key]))
    .update(valueSha256)
    .digest('hex');
}

/** Derives a new id for an event whose id is taken. Deterministic, so that a repeat is recognised. */
export function asConflict(entry: NewEntry): NewEntry {
  return {
    ...entry,
    eventId: eventId(entry.topic, 'conflict', entry.eventId, entryDigest(entry)),
    conflictsWith: entry.conflictsWith ?? entry.eventId,
  };
}

/** A dead letter carries the id of the event in it, but is an event of its own. */
function idOf(record: LogRecord, isDeadLetter: boolean): string {
  const given = record.headers['ce_id'];
  if (given !== undefined && uuid.test(given) && !isDeadLetter) return given.toLowerCase();
  return eventId(record.topic, record.partition, String(record.offset));
}

function timeOf(record: LogRecord, isDeadLetter: boolean): number {
  const given = isDeadLetter ? Number.NaN : Date.parse(record.headers['ce_time'] ?? '');
  if (given >= 0 && given <= latestTime) return given;
  return Math.min(Math.max(record.timestamp, 0), latestTime);
}

/** The trace id of Weir's events is the screening id without dashes, a UUIDv5. The exchange's events have its own trace, and their key decides. */
function screeningOf(record: LogRecord): string | null {
  const told = kindOf(topicOf(record));
  if (told !== undefined) return screeningId(told, record.key);
  const trace = /^00-(\w{8})(\w{4})(5\w{3})([89ab]\w{3})(\w{12})-\w{16}-\w{2}$/.exec(record.headers['traceparent'] ?? '');
  const id = trace?.slice(1).join('-');
  if (id === undefined || !uuid.test(id)) return null;
  // Other traces are those of requests, and some of their ids look like a screening's.
  return actTopics.has(topicOf(record)) && record.key !== id ? null : id;
}

/** Their events need not concern a screening. If one does, its key is the screening's id. */
const actTopics: ReadonlySet<string> = new Set<Topic>(['labels.changed', 'activities.recorded']);

const topicOf = ({ topic }: LogRecord): string => topic.replace(/\.dlq$/, '');

function kindOf(topic: string): Kind | undefined {
  if (topic === 'deposits.detected') return 'deposit';
  return topic === 'withdrawals.requested' ? 'withdrawal' : undefined;
}

/**
 * The entry of a record, with the screening that its content names where headers and key of another producer do not: an erasure finds
 * entries by it. Rejects only if a schema cannot be looked up now.
 */
export async function readEntry(record: LogRecord, codec: Pick<Codec, 'decode'>): Promise<NewEntry> {
  const entry = entryOf(record);
  const isOwn = record.headers['ce_source']?.startsWith('/weir/') === true;
  if (isOwn && entry.screeningId !== null) return entry;
  return { ...entry, screeningId: (await namedScreening(record, codec)) ?? entry.screeningId };
}

async function namedScreening(record: LogRecord, codec: Pick<Codec, 'decode'>): Promise<string | undefined> {
  const data = await codec.decode(topicOf(record) as Topic, record.value).catch((error: unknown) => {
    if (!(error instanceof UndecodableRecord)) throw error;
  });
  if (data === undefined) return undefined;
  if ('deposit_id' in data) return screeningId('deposit', data.deposit_id);
  if ('withdrawal_id' in data) return screeningId('withdrawal', data.withdrawal_id);
  if ('transfer' in data) return screeningId(data.transfer.kind, data.transfer.source_id);
  return 'screening_id' in data && uuid.test(data.screening_id) ? data.screening_id.toLowerCase() : undefined;
}

/** PostgreSQL's text cannot store NUL or lone surrogates, and they must not keep an event out. */
function storable(text: string): string {
  return isStorable(text) ? text : text.toWellFormed().replaceAll('\0', '\ufffd');
}

function storableHeaders(headers: LogRecord['headers']): LogRecord['headers'] {
  if ([...Object.keys(headers), ...Object.values(headers)].every(isStorable)) return headers;
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [storable(name), storable(value)]));
}

function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}
