import type { Codec } from '@weir/contracts';
import type { LogRecord } from '@weir/event-log';
import { placeText } from './dead-letters.ts';
import { plain } from '../output.ts';
import { decode } from '../record.ts';

/** One dead letter in a list. `show` and `replay` accept `topic` and `offset`. */
export interface ListItem {
  readonly topic: string;
  readonly offset: string;
  readonly reason: string;
  readonly detail: string;
  readonly key: string;
  /** When it became a dead letter, RFC 3339. */
  readonly at: string;
  readonly bytes: number;
}

export function listItem(record: LogRecord): ListItem {
  const { headers, key, value, timestamp } = record;
  return {
    topic: record.topic.replace(/\.dlq$/, ''),
    offset: placeText(record),
    reason: headers['weir_reason'] ?? '',
    detail: headers['weir_detail'] ?? '',
    key,
    at: new Date(timestamp).toISOString(),
    bytes: value.length,
  };
}

export const listHead = ['TOPIC', 'OFFSET', 'TIME', 'REASON', 'KEY', 'BYTES', 'DETAIL'] as const;

export function rowOf({ topic, offset, at, reason, detail, key, bytes }: ListItem): string[] {
  return [topic, offset, at, plain(reason), plain(key).slice(0, 60), String(bytes), plain(detail).slice(0, 120)];
}

/** One dead letter in full, for programs and for people. */
export async function viewOf(record: LogRecord, codec: Codec): Promise<{ json: object; text: string }> {
  const { topic, offset, ...rest } = listItem(record);
  const { weir_partition, weir_offset } = record.headers;
  const headers = Object.fromEntries(Object.entries(record.headers).filter(([name]) => !name.startsWith('weir_')));
  const came = { partition: numberOrNull(weir_partition), offset: numberOrNull(weir_offset) };
  const data = await decode(record.topic, record.value, codec);
  const json = { topic, offset, ...rest, came_from: came, headers, value_base64: record.value.toString('base64'), data };
  const lines = [
    `${topic} ${offset}, since ${rest.at}`,
    `reason    ${plain(rest.reason)}`,
    `detail    ${plain(rest.detail)}`,
    `key       ${plain(rest.key)}`,
    `came from ${topic}, partition ${came.partition ?? '?'}, offset ${came.offset ?? '?'}`,
    'headers',
    ...Object.entries(headers).map(([name, value]) => `  ${plain(name)}: ${plain(value)}`),
    `bytes     ${record.value.length}`,
    ...hexLines(record.value),
    ...(data === null ? ['These bytes cannot be read as a record of the topic.'] : ['data', JSON.stringify(data, null, 2)]),
  ];
  return { json, text: `${lines.join('\n')}\n` };
}

/** Bytes shown; `--raw` prints all. */
const shownBytes = 512;

function hexLines(bytes: Buffer): string[] {
  const lines: string[] = [];
  for (let at = 0; at < Math.min(bytes.length, shownBytes); at += 16) {
    const row = bytes.subarray(at, at + 16);
    const hex = (row.toString('hex').match(/../g) ?? []).join(' ');
    const text = row.toString('latin1').replaceAll(/[^\x20-\x7e]/g, '.');
    lines.push(`  ${at.toString(16).padStart(4, '0')}  ${hex.padEnd(47)}  ${text}`);
  }
  if (bytes.length > shownBytes) lines.push(`  … ${bytes.length - shownBytes} more; --raw writes all of them`);
  return lines;
}

function numberOrNull(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : null;
}
