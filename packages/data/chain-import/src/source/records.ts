import type { CoSpend, LeftOut, Reader, SourceRecord } from '../rows.ts';
import { Unusable } from './fields.ts';

/** Cells by column: texts or JSON values. */
export type Fields = Readonly<Record<string, unknown>>;

/** A record before mapping. `text` is its source text, where the file is text. */
export type RawRecord =
  | { readonly number: number; readonly fields: Fields; readonly text?: string }
  | { readonly number: number; readonly rejected: string; readonly text: string };

type Rows<Row> = readonly Row[] | LeftOut;

/** Rows, beside the addresses that signed their transaction. */
export interface SignedRows<Row> {
  readonly rows: Rows<Row>;
  readonly co_spend: CoSpend;
}

/** The rows of one record, or the reason for none. Throws `Unusable` for a wrong record. */
export type MapRecord<Row> = (fields: Fields) => Rows<Row> | SignedRows<Row>;

export interface FileKind {
  /** JSON of this format is one document, not an object per line. */
  readonly document?: true;
  /** Throws when a header does not match the format. */
  checkHeader?(columns: readonly string[]): void;
}

/** `begin`: rows depend on the records before them, so each reading begins with the first record. */
export type Format<Row> = FileKind & ({ readonly map: MapRecord<Row> } | { readonly begin: () => MapRecord<Row> });

/** Characters kept of a rejected record. */
const longestText = 2_000;

export function excerpt(text: string): string {
  return text.length > longestText ? `${text.slice(0, longestText).toWellFormed()}…` : text;
}

/** The rows of the records above `after`. All of them are mapped, because rows may depend on the records before. */
export async function* mapRecords<Row>(
  open: () => Promise<AsyncIterable<RawRecord>>,
  format: Format<Row>,
  after: number,
): AsyncGenerator<SourceRecord<Row>, void, void> {
  const map = 'begin' in format ? format.begin() : format.map;
  for await (const record of await open()) {
    const mapped = 'fields' in record ? mapRecord(record, map) : record;
    if (record.number > after) yield mapped;
  }
}

function mapRecord<Row>(record: RawRecord & { fields: Fields }, map: MapRecord<Row>): SourceRecord<Row> {
  const { number, fields } = record;
  try {
    const mapped = map(fields);
    const { rows, ...signed } = typeof mapped === 'object' && 'co_spend' in mapped ? mapped : { rows: mapped };
    return typeof rows === 'string' ? { number, rows: [], left: rows, ...signed } : { number, rows, ...signed };
  } catch (error) {
    if (!(error instanceof Unusable)) throw error;
    return { number, rejected: error.message, text: excerpt(record.text ?? JSON.stringify(fields)) };
  }
}

export function mapRows<Row>(read: Reader<Row>, change: (row: Row) => Row): Reader<Row> {
  return async function* changed(after) {
    for await (const record of read(after)) yield 'rows' in record ? { ...record, rows: record.rows.map(change) } : record;
  };
}
