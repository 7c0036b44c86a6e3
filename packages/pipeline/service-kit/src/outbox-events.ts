import type { Codec, Topic, TopicRecords } from '@weir/contracts';
import type { OutgoingRecord } from '@weir/event-log';
import { eventTraceparent, eventTraceparentIn } from '@weir/tracing';

/** An event to publish. `id` derives from the content (see `eventId`), so a repeat is the same event. */
export interface NewEvent<T extends Topic = Topic> {
  readonly topic: T;
  readonly id: string;
  /** The transfer's id, or the topic's own, so that one transfer stays in order. */
  readonly key: string;
  /** Absent: it concerns no screening. */
  readonly screeningId?: string;
  /** The traceparent of what led to it, where it concerns no screening. */
  readonly cause?: string | undefined;
  /** Unix milliseconds. */
  readonly time: number;
  readonly data: TopicRecords[T];
}

export interface StoredEvent {
  readonly id: string;
  /** The batch that was stored with it, which is deleted once all of its events are published. */
  readonly batch?: bigint;
  readonly record: OutgoingRecord;
}

/** The service has stored another event under the id, or the row is unreadable. The transaction must not commit. */
export class OutboxConflict extends Error {
  constructor(id: string, problem: string) {
    super(`the outbox cannot store event ${id}: ${problem}`);
    this.name = 'OutboxConflict';
  }
}

export interface Identity extends Record<string, unknown> {
  event_id: string;
  topic: string;
  key: string;
}

export interface Row extends Identity {
  value: Buffer;
  headers: Record<string, string>;
}

/** Bytes per publish and per read of the sweep: evidence makes events large, and the log limits a call. */
export const pieceBytes = 8 * 1024 * 1024;

export function toRow({ topic, id, key, screeningId, cause, time, data }: NewEvent, service: string, codec: Codec): Row {
  // One screening is one trace; each event is a span.
  const traceparent = screeningId === undefined ? eventTraceparentIn(cause, id) : eventTraceparent(screeningId, id);
  const headers = {
    ce_specversion: '1.0',
    ce_id: id,
    ce_source: `/weir/${service}`,
    ce_type: `weir.${topic}`,
    ce_time: new Date(time).toISOString(),
    'content-type': 'application/avro',
    ...(traceparent === undefined ? {} : { traceparent }),
  };
  return { event_id: id, topic, key, value: codec.encode(topic, data), headers };
}

/** Each of `wanted` must be in `stored` with the same topic and key. */
export function requireSame(wanted: readonly Identity[], stored: readonly Identity[]): void {
  const byId = new Map(stored.map((row) => [row.event_id, row]));
  for (const { event_id, topic, key } of wanted) {
    const row = byId.get(event_id);
    if (row === undefined) throw new OutboxConflict(event_id, 'its row was there and cannot be read');
    if (row.topic !== topic || row.key !== key)
      throw new OutboxConflict(event_id, `the id is that of an event of ${row.topic} with another key or topic`);
  }
}

export function identityOf({ id, record }: StoredEvent): Identity {
  return { event_id: id, topic: record.topic, key: record.key };
}

/** Each piece ends with the event that fills it, so every event fits. */
export function pieces(events: readonly StoredEvent[]): StoredEvent[][] {
  const all: StoredEvent[][] = [];
  let size = pieceBytes;
  for (const event of events) {
    if (size >= pieceBytes) {
      all.push([]);
      size = 0;
    }
    all.at(-1)?.push(event);
    size += event.record.value.length;
  }
  return all;
}

export function toStored(row: Row): StoredEvent {
  return { id: row.event_id, record: { topic: row.topic, key: row.key, value: row.value, headers: row.headers } };
}
