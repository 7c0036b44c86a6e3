import { type Codec, UndecodableRecord } from '@weir/contracts';
import type { LogRecord } from '@weir/event-log';
import { isTopic, placeText, sourceTopicOf } from './dead-letters.ts';

/** One dead letter in a list. Its `topic` and `offset` name it. */
export interface DeadLetterItem {
  readonly topic: string;
  readonly offset: string;
  readonly reason: string;
  readonly detail: string;
  readonly key: string;
  /** When it became a dead letter, RFC 3339. */
  readonly at: string;
  readonly bytes: number;
}

export interface DeadLetterDetail extends DeadLetterItem {
  readonly came_from: { readonly partition: number | null; readonly offset: number | null };
  /** Without those that say why it is a dead letter. */
  readonly headers: Readonly<Record<string, string>>;
  readonly value_base64: string;
  /** Null: the bytes cannot be read as a record of the topic. */
  readonly data: unknown;
}

export function deadLetterItem(record: LogRecord): DeadLetterItem {
  const { headers, key, value, timestamp } = record;
  return {
    topic: sourceTopicOf(record.topic),
    offset: placeText(record),
    reason: headers['weir_reason'] ?? '',
    detail: headers['weir_detail'] ?? '',
    key,
    at: new Date(timestamp).toISOString(),
    bytes: value.length,
  };
}

export async function deadLetterDetail(record: LogRecord, codec: Codec): Promise<DeadLetterDetail> {
  const { weir_partition, weir_offset } = record.headers;
  return {
    ...deadLetterItem(record),
    came_from: { partition: numberOrNull(weir_partition), offset: numberOrNull(weir_offset) },
    headers: Object.fromEntries(Object.entries(record.headers).filter(([name]) => !name.startsWith('weir_'))),
    value_base64: record.value.toString('base64'),
    data: await decodeRecord(record.topic, record.value, codec),
  };
}

/** Null when it cannot be decoded. A dead letter uses its source topic's schema. */
export async function decodeRecord(topic: string, value: Buffer, codec: Codec): Promise<unknown> {
  const original = sourceTopicOf(topic);
  if (!isTopic(original)) return null;
  try {
    return await codec.decode(original, value);
  } catch (error) {
    if (error instanceof UndecodableRecord) return null;
    throw error;
  }
}

function numberOrNull(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : null;
}
