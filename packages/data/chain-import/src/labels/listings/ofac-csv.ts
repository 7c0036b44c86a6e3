import { basename } from 'node:path';
import { parse } from 'csv-parse/sync';
import { readBytes } from '../../source/bytes.ts';
import { isBlank, type Line, readLines } from '../../source/lines.ts';
import { digitalCurrency, partyListings } from './ofac-party.ts';
import type { Listing, UnusableListing } from './listing.ts';

/** ent_num, SDN_Name, SDN_Type, Program, Title, five columns of vessels, Vess_Owner, Remarks. The files have no header. */
const columnCount = 12;
/** Longer remarks are cut there, within a word, and continue in SDN_COMMENTS.CSV. */
const longestRemarks = 1_000;
const absent = /^-0-\s*$/;

/** Addresses in the remarks of SDN.CSV or CONS_PRIM.CSV. `comments`: the path of SDN_COMMENTS.CSV or CONS_COMMENTS.CSV. */
export async function* readOfacCsv(path: string, comments?: string): AsyncGenerator<Listing | UnusableListing, void, void> {
  const continued = comments === undefined ? undefined : await readComments(comments);
  for await (const line of records(path)) {
    if ('rejected' in line) {
      yield { unusable: line.rejected, text: line.text };
      continue;
    }
    const cells = cellsOf(line.text);
    if (cells?.length !== columnCount) {
      if (line.number === 1) throw new Error(`${basename(path)}: its first line has not the ${columnCount} cells of OFAC's SDN.CSV`);
      yield { unusable: `is no record of ${columnCount} cells`, text: line.text };
      continue;
    }
    yield* listingsOf(cells, line.text, continued);
  }
}

function* listingsOf(
  cells: readonly string[],
  text: string,
  continued: ReadonlyMap<string, string> | undefined,
): Generator<Listing | UnusableListing, void, void> {
  const [uid = '', name = '', , programme = ''] = cells;
  const remarks = cells[columnCount - 1] ?? '';
  const isCut = remarks.length >= longestRemarks && continued?.has(uid) !== true && !remarks.endsWith('.');
  const whole = `${remarks}${continued?.get(uid) ?? ''}`;
  const statements = whole.split(';');
  // A cut address would be another one.
  if (isCut) statements.pop();
  yield* partyListings({ uid, entity: name, addresses: statements.flatMap(addressIn), from: null, programmes: programmesOf(programme) });
  if (isCut) yield { unusable: 'its remarks continue in the file of comments: name that with --comments', text };
}

function addressIn(statement: string): { asset: string; address: string }[] {
  const [, type = '', address = ''] = /^\s*(?:alt\.\s+)?(Digital Currency Address - \S+)\s+(\S+?)\.?\s*$/i.exec(statement) ?? [];
  const asset = digitalCurrency(type);
  return asset === undefined ? [] : [{ asset, address }];
}

/** `SDGT] [IFSR` in the older files, `SDGT; IFSR` in others. */
function programmesOf(text: string): string[] {
  return text.split(/\]\s*\[|;/).flatMap((part) => (part.trim() === '' ? [] : [part.replace(/[[\]]/g, '').trim()]));
}

async function readComments(path: string): Promise<ReadonlyMap<string, string>> {
  const continued = new Map<string, string>();
  for await (const line of records(path)) {
    const [uid, text, ...rest] = ('rejected' in line ? undefined : cellsOf(line.text)) ?? [];
    if (uid === undefined || text === undefined || rest.length > 0)
      throw new Error(`${basename(path)}: line ${line.number} is no number of an entity and a comment`);
    continued.set(uid, `${continued.get(uid) ?? ''}${text}`);
  }
  return continued;
}

/** OFAC ends its files with the control character SUB. */
async function* records(path: string): AsyncGenerator<Line, void, void> {
  for await (const line of readLines(readBytes(path))) if (!isBlank(line) && line.text.trim() !== '\u001A') yield line;
}

function cellsOf(text: string): string[] | undefined {
  try {
    const [cells = []] = parse(text, { relax_column_count: true, relax_quotes: true, trim: true });
    return cells.map((cell) => (absent.test(cell) ? '' : cell));
  } catch {
    return undefined;
  }
}
