import { basename } from 'node:path';
import { readBytes } from '../../source/bytes.ts';
import { readCsv } from '../../source/csv.ts';
import { optional } from '../../source/fields.ts';
import { type Line, readLines } from '../../source/lines.ts';
import type { Fields, RawRecord } from '../../source/records.ts';
import type { Listing, UnusableListing } from './listing.ts';
import { isoOf, isPrimary, listingsIn } from './official-xml.ts';

const columns = ['Unique ID', 'Name 6', 'Name type', 'Regime Name', 'Date Designated', 'Other Information'] as const;

/** The UK Sanctions List as CSV: a line of its date, the header, and several rows for each entity, one after the other. */
export async function* readUkCsv(path: string): AsyncGenerator<Listing | UnusableListing, void, void> {
  let rows: Fields[] = [];
  for await (const record of records(path)) {
    if ('rejected' in record) {
      yield { unusable: record.rejected, text: record.text };
      continue;
    }
    if (rows[0] !== undefined && rows[0]['Unique ID'] !== record.fields['Unique ID']) {
      yield* listingsOf(rows);
      rows = [];
    }
    if (rows.length < mostRows) rows.push(record.fields);
  }
  yield* listingsOf(rows);
}

/** Rows of one entity that are kept; each repeats the texts. */
const mostRows = 10_000;

function* listingsOf(rows: readonly Fields[]): Generator<Listing | UnusableListing, void, void> {
  const row = rows.find((each) => isPrimary(optional(each, 'Name type'))) ?? rows[0];
  if (row === undefined) return;
  const entity = [1, 2, 3, 4, 5, 6].flatMap((n) => optional(row, `Name ${n}`) ?? []).join(' ');
  const texts = [...new Set(rows.map((each) => optional(each, 'Other Information')))];
  yield* listingsIn(texts, { entity, from: isoOf(optional(row, 'Date Designated')), programmes: [optional(row, 'Regime Name')] });
}

async function* records(path: string): AsyncGenerator<RawRecord, void, void> {
  const checkHeader = (found: readonly string[]): void => {
    const missing = columns.find((column) => !found.includes(column));
    if (missing !== undefined) throw new Error(`there is no column "${missing}"`);
  };
  yield* readCsv(withoutDate(readLines(readBytes(path))), checkHeader, basename(path));
}

async function* withoutDate(lines: AsyncIterable<Line>): AsyncGenerator<Line, void, void> {
  for await (const line of lines) if (line.number > 1 || !/^"?Report Date/i.test(line.text)) yield line;
}
