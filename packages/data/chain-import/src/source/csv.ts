import { parse } from 'csv-parse/sync';
import { isBlank, type Line } from './lines.ts';
import { excerpt, type RawRecord } from './records.ts';

/** A cell may contain line ends, but an unclosed quote must not swallow the rest of the file. */
const mostLines = 1_000;
const longestRecord = 16 << 20;

type TextLine = Extract<Line, { text: string; rejected?: never }>;

/**
 * Records of a CSV file (RFC 4180) with a header line, numbered by their first line. A broken record is rejected with
 * its first line only; reading continues after it. `checkHeader` gets the columns and may throw; errors begin with the file's `name`.
 */
export async function* readCsv(
  lines: AsyncIterable<Line>,
  checkHeader: (columns: readonly string[]) => void,
  name: string,
): AsyncGenerator<RawRecord, void, void> {
  const source = lines[Symbol.asyncIterator]();
  const waiting: Line[] = [];
  const next: Next = async () => {
    const line = waiting.shift();
    if (line !== undefined) return line;
    const { value, done } = await source.next();
    return done === true ? undefined : value;
  };
  try {
    const columns = checkedHeader(await nextFilled(next), checkHeader, name);
    for (let line = await next(); line !== undefined; line = await next()) {
      if ('rejected' in line) yield line;
      else if (isBlank(line)) continue;
      else if (!line.text.includes('"')) yield toRecord(columns, line, line.text.split(','));
      else yield await quoted(columns, line, next, waiting);
    }
  } finally {
    await source.return?.();
  }
}

type Next = () => Promise<Line | undefined>;

async function nextFilled(next: Next): Promise<Line | undefined> {
  for (;;) {
    const line = await next();
    if (line === undefined || !isBlank(line)) return line;
  }
}

function checkedHeader(line: Line | undefined, check: (columns: readonly string[]) => void, name: string): string[] {
  try {
    const columns = headerOf(line);
    check(columns);
    return columns;
  } catch (error) {
    throw new Error(`${name}: ${(error as Error).message}`, { cause: error });
  }
}

function headerOf(line: Line | undefined): string[] {
  if (line === undefined) throw new Error('the file is empty; its first line must name the columns');
  const columns = 'rejected' in line ? undefined : parseCells(line.text)?.map((cell) => cell.trim());
  // Otherwise the whole file would be one header line of an empty table.
  if (columns !== undefined && 'text' in line && line.text.includes('\r')) throw new Error('its lines end with CR alone; make that LF');
  if (columns === undefined) throw new Error('the first line must name the columns as CSV in UTF-8');
  const twice = columns.find((column, at) => column !== '' && columns.indexOf(column) !== at);
  if (twice !== undefined) throw new Error(`the column ${twice} is there twice`);
  return columns;
}

/** A quoted record may continue on the next lines. Lines that do not belong to it are put back. */
async function quoted(columns: readonly string[], first: TextLine, next: Next, waiting: Line[]): Promise<RawRecord> {
  const more: Line[] = [];
  let text = first.text;
  let open = isOpen(text);
  while (open && more.length < mostLines && text.length < longestRecord) {
    const line = await next();
    if (line === undefined) break;
    more.push(line);
    if ('rejected' in line) break;
    text += `\n${line.text}`;
    open = isOpen(line.text) ? !open : open;
  }
  const record = open ? undefined : toRecord(columns, { ...first, text }, parseCells(text));
  if (record !== undefined && ('fields' in record || more.length === 0)) return record;
  waiting.unshift(...more);
  const rejected = open ? 'a quote is not closed' : 'a quote stands where none may be';
  return { number: first.number, rejected, text: excerpt(first.text) };
}

function isOpen(text: string): boolean {
  let odd = false;
  for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', at + 1)) odd = !odd;
  return odd;
}

function parseCells(text: string): string[] | undefined {
  try {
    return parse(text, { relax_column_count: true })[0];
  } catch {
    return undefined;
  }
}

function toRecord(columns: readonly string[], { number, text }: TextLine, cells: readonly string[] | undefined): RawRecord {
  if (cells === undefined) return { number, rejected: 'a quote stands where none may be', text: excerpt(text) };
  if (cells.length !== columns.length)
    return { number, rejected: `${cells.length} cells where the header has ${columns.length}`, text: excerpt(text) };
  return { number, fields: Object.fromEntries(columns.map((column, at) => [column, cells[at]?.trim()])), text };
}
