import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Reader, SourceRecord } from '../rows.ts';

/** A folder for one test file. */
export function makeFolder(): { path: string; write(name: string, content: string | Uint8Array): string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'weir-facts-'));
  return {
    path,
    write: (name, content) => {
      writeFileSync(join(path, name), content);
      return join(path, name);
    },
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** Throws at a rejected record. */
export async function rowsOf<Row>(read: Reader<Row>): Promise<Row[]> {
  return (await collect(read(0))).flatMap((record) => {
    if ('rejected' in record) throw new Error(`record ${record.number} ${record.rejected}`);
    return record.rows;
  });
}

/** Counts records, rows, and records without rows by reason. */
export async function tally<Row>(read: Reader<Row>): Promise<Record<string, number>> {
  const counts: Record<string, number> = { records: 0, rows: 0 };
  const count = (what: string, by: number): void => void (counts[what] = (counts[what] ?? 0) + by);
  for await (const record of read(0)) {
    count('records', 1);
    if ('rejected' in record) count('rejected', 1);
    else count('rows', record.rows.length);
    if ('rows' in record && record.left !== undefined) count(record.left, 1);
  }
  return counts;
}

/** Record number and reason. */
export async function rejections<Row>(read: Reader<Row>): Promise<[number, string][]> {
  const isRejected = (record: SourceRecord<Row>): record is Extract<SourceRecord<Row>, { rejected: string }> => 'rejected' in record;
  return (await collect(read(0))).filter(isRejected).map(({ number, rejected }) => [number, rejected]);
}
