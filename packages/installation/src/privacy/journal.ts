import { closeSync, existsSync, fsyncSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import type { ErasureCause } from '@weir/audit-writer';

/** An approved erasure. It names no customer. */
export interface JournalLine {
  readonly erasure_id: string;
  readonly approved_at: string;
  readonly cause: ErasureCause;
  readonly screenings: readonly string[];
}

/**
 * Appends to the journal, which is outside the database: a restored database lacks the erasures since its backup. A line that a killed process
 * left unfinished is cut off, because the erasure had not begun.
 */
export function appendErasure(path: string, line: JournalLine): void {
  const file = openSync(path, 'a', 0o600);
  try {
    ftruncateSync(file, wholeLines(readFileSync(path)).length);
    writeSync(file, `${JSON.stringify(line)}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Empty where there is no journal. A torn last line is of an erasure that erased nothing. Throws for any other line that is none. */
export function readErasures(path: string): JournalLine[] {
  if (!existsSync(path)) return [];
  return wholeLines(readFileSync(path))
    .toString()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as JournalLine);
}

function wholeLines(bytes: Buffer): Buffer {
  return bytes.subarray(0, bytes.lastIndexOf('\n') + 1);
}
