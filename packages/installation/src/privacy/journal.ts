import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import type { ErasureCause } from '@weir/audit-writer';

/** An approved erasure. It names no customer. */
export interface JournalLine {
  readonly erasure_id: string;
  readonly approved_at: string;
  readonly cause: ErasureCause;
  readonly screenings: readonly string[];
}

/** Appends to the journal, which is outside the database: a restored database lacks the erasures since its backup. */
export function appendErasure(path: string, line: JournalLine): void {
  const file = openSync(path, 'a', 0o600);
  try {
    writeSync(file, `${JSON.stringify(line)}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Empty where there is no journal. A torn last line is of an erasure that erased nothing. Throws for any other line that is none. */
export function readErasures(path: string): JournalLine[] {
  if (!existsSync(path)) return [];
  const text = readFileSync(path, 'utf8');
  return text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as JournalLine);
}
