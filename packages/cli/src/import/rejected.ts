import { closeSync, createReadStream, existsSync, fsyncSync, openSync, statSync, truncateSync, writeSync } from 'node:fs';
import { UsageError } from '../failure.ts';

interface Rejected {
  readonly number: number;
  readonly reason: string;
  readonly text: string;
}

/** The rejected rows of one import. */
export interface RejectedFile {
  /** Call before reading continues after record `after`. Later records already in the file are not written twice. */
  startAfter(after: number): Promise<void>;
  add(rejected: Rejected): void;
  close(): void;
}

/** Enough to find a record, which may have megabytes. */
const longestText = 2_000;

/** Creates the file at the first row, and only appends: other processes may append to the same file. Each line is one write. */
export function openRejected(file: string, importKey: string): RejectedFile {
  const id = importKey.slice(0, 16);
  let handle: number | undefined;
  let written = new Map<number, number>();
  return {
    startAfter: async (after) => {
      if (existsSync(file)) written = await writtenAfter(file, id, after);
    },
    add: ({ number, reason, text }) => {
      // A record yields the same rejections each time.
      const before = written.get(number) ?? 0;
      if (before > 0) return void written.set(number, before - 1);
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

/** The start of every line, truncated ones included. */
const beginning = '{"number":';

/**
 * Counts the rows of this import in the file, for each record after `after`. Removes a line that a kill truncated. A file with other lines
 * is not a file of rejected rows.
 */
async function writtenAfter(file: string, id: string, after: number): Promise<Map<number, number>> {
  const written = new Map<number, number>();
  let whole = 0;
  for await (const { text, ended } of linesOf(file)) {
    const line = parseLine(text);
    if (line === undefined && (ended || !text.startsWith(beginning)))
      throw new UsageError(`${file} already exists and holds no rejected rows; name another file with --rejected`);
    if (!ended) mendEnd(file, whole, text, line !== undefined);
    if (line?.import === id && line.number > after) written.set(line.number, (written.get(line.number) ?? 0) + 1);
    whole += Buffer.byteLength(text) + 1;
  }
  return written;
}

/** Only LF ends a line: a text may contain other separators. */
async function* linesOf(file: string): AsyncGenerator<{ text: string; ended: boolean }, void, void> {
  let rest = '';
  for await (const chunk of createReadStream(file, 'utf8') as AsyncIterable<string>) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const text of lines) yield { text, ended: true };
  }
  if (rest !== '') yield { text: rest, ended: false };
}

/** Does nothing when another process has appended: then the line was still being written. */
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
