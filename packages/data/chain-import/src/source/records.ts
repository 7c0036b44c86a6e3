import type { LeftOut, Reader, SourceRecord } from '../rows.ts';
import { Unusable } from './fields.ts';

/** The cells of a record by column: texts, or what JSON may hold. */
export type Fields = Readonly<Record<string, unknown>>;

/** A record of a file before it is known what it means. `text`: as it stands in the file, where it stands there as text. */
export type RawRecord =
  | { readonly number: number; readonly fields: Fields; readonly text?: string }
  | { readonly number: number; readonly rejected: string; readonly text: string };

/** What a format makes of a record. */
export interface Format<Row> {
  /** JSON of this format is one document, not an object a line. */
  readonly document?: true;
  /** Throws an Error when a file with these columns cannot be of the format. Called for files that have a header. */
  checkHeader?(columns: readonly string[]): void;
  /** The rows of one record, or why there are none. Throws `Unusable` for a record that is wrong. */
  map(fields: Fields): readonly Row[] | LeftOut;
}

/** What of a rejected record is kept. */
const longestText = 2_000;

export function excerpt(text: string): string {
  return text.length > longestText ? `${text.slice(0, longestText).toWellFormed()}…` : text;
}

/** The rows of the records of a file. */
export async function* mapRecords<Row>(
  records: AsyncIterable<RawRecord>,
  format: Format<Row>,
): AsyncGenerator<SourceRecord<Row>, void, void> {
  for await (const record of records) yield 'fields' in record ? mapRecord(record, format) : record;
}

function mapRecord<Row>(record: RawRecord & { fields: Fields }, format: Format<Row>): SourceRecord<Row> {
  const { number, fields } = record;
  try {
    const rows = format.map(fields);
    return typeof rows === 'string' ? { number, rows: [], left: rows } : { number, rows };
  } catch (error) {
    if (!(error instanceof Unusable)) throw error;
    return { number, rejected: error.message, text: excerpt(record.text ?? JSON.stringify(fields)) };
  }
}

/** The same reader, each row changed. */
export function mapRows<Row>(read: Reader<Row>, change: (row: Row) => Row): Reader<Row> {
  return async function* changed(after) {
    for await (const record of read(after)) yield 'rows' in record ? { ...record, rows: record.rows.map(change) } : record;
  };
}
