import { basename } from 'node:path';
import { readWhole } from './bytes.ts';
import { isBlank, type Line } from './lines.ts';
import { excerpt, type Fields, type RawRecord } from './records.ts';

type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown;
/** ECMAScript's "JSON.parse source text access"; TypeScript's library lacks the third parameter. */
const parseWith = JSON.parse as (text: string, reviver: Reviver) => unknown;

/** More digits outside a string than a float can hold. */
const longNumber = /(?<![\w.\\"])-?[\d.]{16,}/;

/** Keeps numbers that do not fit a float as text, so that no digits are lost. */
export function parseExact(text: string): unknown {
  if (!longNumber.test(text)) return JSON.parse(text);
  return parseWith(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && source.replace(/[-.]/g, '').length > 15 ? source : value,
  );
}

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);

/** One JSON object per line, from after line `after`. */
export async function* readJsonLines(lines: AsyncIterable<Line>, after: number): AsyncGenerator<RawRecord, void, void> {
  for await (const line of lines) {
    if (line.number <= after || isBlank(line)) continue;
    yield 'rejected' in line ? line : toRecord(line.number, line.text);
  }
}

function toRecord(number: number, text: string): RawRecord {
  try {
    const fields = parseExact(text);
    if (isObject(fields)) return { number, fields, text };
  } catch {
    // The return below covers this too.
  }
  return { number, rejected: 'is no JSON object', text: excerpt(text) };
}

/** The parser needs several times the document's size. */
const largestDocument = 256 << 20;

/** Elements, from 1, of a JSON array or of a block explorer's `result`. Throws when the document is an error message. */
export async function* readJsonDocument(path: string): AsyncGenerator<RawRecord, void, void> {
  const document = parseDocument(await readWhole(path, largestDocument), basename(path));
  for (const [at, element] of elementsOf(document, basename(path)).entries()) {
    if (isObject(element)) yield { number: at + 1, fields: element };
    else yield { number: at + 1, rejected: 'is no JSON object', text: excerpt(JSON.stringify(element)) };
  }
}

function parseDocument(text: string, name: string): unknown {
  try {
    return parseExact(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new Error(`${name} is not JSON`, { cause: error });
  }
}

function elementsOf(document: unknown, name: string): readonly unknown[] {
  if (Array.isArray(document)) return document as unknown[];
  const { result, message } = isObject(document) ? document : {};
  if (Array.isArray(result)) return result as unknown[];
  const said = [message, result].filter((part) => typeof part === 'string').join(': ');
  throw new Error(`${name} holds no list of results${said === '' ? '' : `; it says ${JSON.stringify(excerpt(said))}`}`);
}
