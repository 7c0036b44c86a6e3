import { basename } from 'node:path';
import { parseDocument } from 'yaml';
import type { LabelRow, Reader } from '../rows.ts';
import { readWhole } from '../source/bytes.ts';
import { excerpt, type Fields, type Format, mapRecords, type RawRecord } from '../source/records.ts';

/** The YAML parser needs many times the file's size; the largest public pack has 30 MB. */
const largestPack = 64 << 20;

/** Reads a GraphSense TagPack (YAML). Tags count from 1 and inherit the header's fields. */
export function readTagPack(path: string, format: Format<LabelRow>): Reader<LabelRow> {
  const records = async (): Promise<AsyncIterable<RawRecord>> =>
    tagsOf(parsePack(await readWhole(path, largestPack), basename(path)), basename(path));
  return (after) => mapRecords(records, format, after);
}

function parsePack(text: string, name: string): unknown {
  // Reads all scalars as text: an address such as 0x12… is no number, and a date no time.
  const document = parseDocument(text, { schema: 'failsafe', prettyErrors: true });
  const [error] = document.errors;
  if (error !== undefined) throw new Error(`${name} is not YAML: ${error.message.split('\n')[0]}`);
  try {
    return document.toJS({ maxAliasCount: 1_000 });
  } catch (cause) {
    throw new Error(`${name} repeats itself without end`, { cause });
  }
}

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);

async function* tagsOf(pack: unknown, name: string): AsyncGenerator<RawRecord, void, void> {
  const { tags, ...header } = isObject(pack) ? pack : {};
  if (!Array.isArray(tags)) throw new Error(`${name} is no TagPack: it has no list named tags`);
  for (const [at, tag] of (tags as unknown[]).entries()) {
    const number = at + 1;
    if (isObject(tag)) yield { number, fields: { ...header, ...tag }, text: JSON.stringify(tag) };
    else yield { number, rejected: 'is no tag', text: excerpt(JSON.stringify(tag)) };
  }
}
