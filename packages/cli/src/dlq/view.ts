import type { Codec } from '@weir/contracts';
import type { LogRecord } from '@weir/event-log';
import { deadLetterDetail, type DeadLetterItem } from '@weir/service-kit';
import { plain } from '../output.ts';

export const listHead = ['TOPIC', 'OFFSET', 'TIME', 'REASON', 'KEY', 'BYTES', 'DETAIL'] as const;

export function rowOf({ topic, offset, at, reason, detail, key, bytes }: DeadLetterItem): string[] {
  return [topic, offset, at, plain(reason), plain(key).slice(0, 60), String(bytes), plain(detail).slice(0, 120)];
}

/** One dead letter in full, for programs and for people. */
export async function viewOf(record: LogRecord, codec: Codec): Promise<{ json: object; text: string }> {
  const json = await deadLetterDetail(record, codec);
  const { topic, offset, came_from: came, headers, data } = json;
  const lines = [
    `${topic} ${offset}, since ${json.at}`,
    `reason    ${plain(json.reason)}`,
    `detail    ${plain(json.detail)}`,
    `key       ${plain(json.key)}`,
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
