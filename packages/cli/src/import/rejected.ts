import { closeSync, createReadStream, existsSync, fsyncSync, openSync, statSync, truncateSync, writeSync } from 'node:fs';
import { UsageError } from '../failure.ts';

interface Rejected {
  readonly number: number;
  readonly reason: string;
  readonly text: string;
}

/** The file of the rows of one import that could not be used. */
export interface RejectedFile {
  /** To be called before reading begins behind the record `after`: what was told of later records will come again, and is not told twice. */
  startAfter(after: number): Promise<void>;
  add(rejected: Rejected): void;
  close(): void;
}

/** A record may have megabytes; this much is enough to find it again. */
const longestText = 2_000;

/**
 * Begins the file when there is something to write, and only ever adds to it: other imports, of other processes too, may write to the same file meanwhile. Each
 * line is one write.
 */
export function openRejected(file: string, importKey: string): RejectedFile {
  const id = importKey.slice(0, 16);
  let handle: number | undefined;
  let told = new Map<number, number>();
  return {
    startAfter: async (after) => {
      if (existsSync(file)) told = await toldAfter(file, id, after);
    },
    add: ({ number, reason, text }) => {
      // A record gives the same each time it is read.
      const before = told.get(number) ?? 0;
      if (before > 0) return void told.set(number, before - 1);
      handle ??= openSync(file, 'a');
      writeSync(handle, `${JSON.stringify({ number, reason, text: text.slice(0, longestText).toWellFormed(), import: id })}\n`);
    },
    close: () => {
      if (handle === undefined) return;
      fsyncSync(handle);
      closeSync(handle);
      handle = undefined;
    },
  };
}

interface StoredLine {
  readonly number: number;
  readonly import: string;
}

/** How every line begins, also one that a kill has cut off. */
const beginning = '{"number":';

/** How many rows of each record behind `after` the file has of this import. A line that a kill has cut off is taken away; a file with other lines is somebody else's. */
async function toldAfter(file: string, id: string, after: number): Promise<Map<number, number>> {
  const told = new Map<number, number>();
  let whole = 0;
  for await (const { text, ended } of linesOf(file)) {
    const line = parseLine(text);
    if (line === undefined && (ended || !text.startsWith(beginning)))
      throw new UsageError(`${file} is there already and holds no rejected rows; name another with --rejected`);
    if (!ended) mendEnd(file, whole, text, line !== undefined);
    if (line?.import === id && line.number > after) told.set(line.number, (told.get(line.number) ?? 0) + 1);
    whole += Buffer.byteLength(text) + 1;
  }
  return told;
}

/** Lines end with LF alone: other separators may stand in a text. */
async function* linesOf(file: string): AsyncGenerator<{ text: string; ended: boolean }, void, void> {
  let rest = '';
  for await (const chunk of createReadStream(file, 'utf8') as AsyncIterable<string>) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const text of lines) yield { text, ended: true };
  }
  if (rest !== '') yield { text: rest, ended: false };
}

/** Unless somebody has written on meanwhile, and the line was not cut off but under way. */
function mendEnd(file: string, whole: number, text: string, complete: boolean): void {
  if (statSync(file).size !== whole + Buffer.byteLength(text)) return;
  if (!complete) return truncateSync(file, whole);
  const handle = openSync(file, 'a');
  writeSync(handle, '\n');
  closeSync(handle);
}

function parseLine(text: string): StoredLine | undefined {
  try {
    const line = JSON.parse(text) as StoredLine | null;
    return typeof line?.number === 'number' && typeof line.import === 'string' ? line : undefined;
  } catch {
    return undefined;
  }
}
