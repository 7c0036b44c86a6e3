import { jsonArray, prepared, type Queryable } from '@weir/postgres';
import { EventLogError } from '../errors.ts';
import type { LogRecord, OutgoingRecord } from '../port.ts';
import type { Statement } from './database.ts';
import { settings } from './settings.ts';

export const appendStatement: Statement = {
  name: 'weir_log_append',
  text: 'SELECT unknown FROM log.append_at($1, $2, $3, $4, $5, $6, $7, $8, NULL)',
};

// A process that hangs before its commit loses the transaction, and with it the partitions.
const appendInStatement = prepared(`
  SELECT unknown, partitions, offsets, appended_at_ms, set_config('idle_in_transaction_session_timeout', '${settings.heldPartitionsMs}', true)
  FROM log.append_at($1, $2, $3, $4, $5, $6, $7, $8, $9)`);

interface AppendedRow {
  readonly unknown: string[] | null;
  readonly partitions: number[] | null;
  /** As text: pg does not read bigints in arrays. */
  readonly offsets: string[] | null;
  readonly appended_at_ms: bigint | null;
}

/**
 * Appends in the caller's transaction, which must be at its end. Returns the records as a reader finds them. `appender`: the session of a
 * process that hands them to its own members; null: none does.
 */
export async function appendIn(tx: Queryable, records: readonly OutgoingRecord[], appender: string | null): Promise<LogRecord[]> {
  if (records.length === 0) return [];
  for (const record of records) checkedSize(record);
  const { rows } = await tx.query<AppendedRow & Record<string, unknown>>(appendInStatement, [...appendArguments(records), appender]);
  const { unknown, partitions, offsets, appended_at_ms } = rows[0] ?? {
    unknown: null,
    partitions: null,
    offsets: null,
    appended_at_ms: null,
  };
  if (unknown?.[0] !== undefined) throw unknownTopic(unknown[0]);
  const timestamp = Number(appended_at_ms);
  return records.map((record, n) => ({ ...record, partition: partitions?.[n] ?? 0, offset: BigInt(offsets?.[n] ?? 0), timestamp }));
}

export function unknownTopic(topic: string): EventLogError {
  return new EventLogError('UNKNOWN_TOPIC', `there is no topic ${topic}`);
}

/** The arguments of `log.append`. Values travel as one byte string: pg would send an array as text, twice the size. */
export function appendArguments(records: readonly OutgoingRecord[]): unknown[] {
  const topics = new Map<string, number>();
  const index: number[] = [];
  const starts: number[] = [];
  const lengths: number[] = [];
  let size = 0;
  for (const { topic, value } of records) {
    if (!topics.has(topic)) topics.set(topic, topics.size + 1);
    index.push(topics.get(topic) ?? 0);
    starts.push(size);
    lengths.push(value.length);
    size += value.length;
  }
  const numbers = (list: readonly number[]): string => `{${list.join(',')}}`;
  return [
    [...topics.keys()],
    numbers(index),
    numbers(records.map((record) => keyHash(record.key))),
    records.map((record) => record.key),
    jsonArray(
      'jsonb',
      records.map((record) => JSON.stringify(record.headers)),
    ),
    numbers(starts),
    numbers(lengths),
    Buffer.concat(
      records.map((record) => record.value),
      size,
    ),
  ];
}

/**
 * Decides a key's partition (modulo the count), so it must never change: FNV-1a over UTF-16 units, finished as in MurmurHash3 because FNV's
 * lowest bits mix poorly. 31 bits.
 */
export function keyHash(key: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) & 0x7fffffff;
}

/** The record's approximate memory in bytes. Throws `INVALID_RECORD` for content that PostgreSQL cannot store. */
export function checkedSize(record: OutgoingRecord): number {
  let size = record.value.length;
  for (const text of [record.topic, record.key, ...Object.keys(record.headers), ...Object.values(record.headers)]) {
    if (text.includes('\0') || !text.isWellFormed()) {
      throw new EventLogError('INVALID_RECORD', `a key or header for ${record.topic.slice(0, 100)} holds a NUL or half a character`);
    }
    size += text.length;
  }
  return size;
}
