import { closeSync, createReadStream, existsSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { UsageError } from '../failure.ts';

interface Rejected {
  readonly number: number;
  readonly reason: string;
  readonly text: string;
}

/** The file of the rows of one import that could not be used. */
export interface RejectedFile {
  /** To be called before reading begins behind the record `after`: what was rejected from there on will be rejected again. */
  startAfter(after: number): Promise<void>;
  add(rejected: Rejected): void;
  close(): void;
}

/** A record may have megabytes; this much is enough to find it again. */
const longestText = 2_000;

/** Begins the file when there is something to write. What is there already, of other imports or of this one before it was interrupted, stays. */
export function openRejected(file: string, importKey: string): RejectedFile {
  const id = importKey.slice(0, 16);
  let handle: number | undefined;
  return {
    startAfter: async (after) => {
      if (existsSync(file)) await keepLines(file, (line) => line.import !== id || line.number <= after);
    },
    add: ({ number, reason, text }) => {
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

/** Keeps the lines of which this holds. The last may be cut off, and is dropped; a file with other lines is somebody else's. */
async function keepLines(file: string, keep: (line: StoredLine) => boolean): Promise<void> {
  const kept = openSync(`${file}.new`, 'w');
  try {
    let cutOff = false;
    for await (const text of createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })) {
      const line = parseLine(text);
      if (cutOff || (line === undefined && !text.startsWith(beginning)))
        throw new UsageError(`${file} is there already and holds no rejected rows; name another with --rejected`);
      if (line === undefined) cutOff = true;
      else if (keep(line)) writeSync(kept, `${text}\n`);
    }
    fsyncSync(kept);
    renameSync(`${file}.new`, file);
  } finally {
    closeSync(kept);
    rmSync(`${file}.new`, { force: true });
  }
}

function parseLine(text: string): StoredLine | undefined {
  try {
    const line = JSON.parse(text) as StoredLine | null;
    return typeof line?.number === 'number' && typeof line.import === 'string' ? line : undefined;
  } catch {
    return undefined;
  }
}
