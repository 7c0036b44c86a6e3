import { basename } from 'node:path';
import type { Reader } from '../rows.ts';
import { firstBytes, readBytes, startOf } from './bytes.ts';
import { readCsv } from './csv.ts';
import { readJsonDocument, readJsonLines } from './json.ts';
import { readLines } from './lines.ts';
import { readParquet } from './parquet.ts';
import { type FileKind, type Format, mapRecords, type RawRecord } from './records.ts';

/**
 * Reads CSV, JSON lines or a JSON array, each plain or gzipped, or Parquet; detects the type from the first bytes.
 * Numbers records by line, by array element or by Parquet row. Throws an error that names the file for any other type.
 */
export function readFile<Row>(path: string, format: Format<Row>): Reader<Row> {
  return (after) => mapRecords(() => readRecords(path, format, 'begin' in format ? 0 : after), format, after);
}

/** Unmapped records. May begin before `after` where they must be read in order. */
export async function readRecords(path: string, format: FileKind, after: number): Promise<AsyncIterable<RawRecord>> {
  if ((await firstBytes(path, 4)).toString('latin1') === 'PAR1') return readParquet(path, after);
  const first = (await startOf(path)).charAt(0);
  if (first === '[' || (first === '{' && format.document === true)) return readJsonDocument(path);
  const lines = readLines(readBytes(path));
  if (first === '{') return readJsonLines(lines, after);
  return readCsv(lines, (columns) => format.checkHeader?.(columns), basename(path));
}
