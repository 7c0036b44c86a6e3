import type { ErasureCause } from '@weir/audit-writer';
import { AppendFile, readAppended } from '@weir/service-kit';

/** An approved erasure. It names no customer. Of several lines of one erasure the last counts. */
export interface JournalLine {
  readonly erasure_id: string;
  readonly approved_at: string;
  readonly cause: Extract<ErasureCause, { readonly kind: 'request' }>;
  readonly screenings: readonly string[];
}

/** Appends to the journal, which is outside the database: a restored database lacks the erasures since its backup. */
export async function appendErasure(path: string, erasure: JournalLine): Promise<void> {
  const file = AppendFile.open(path);
  try {
    await file.append([erasure]);
  } finally {
    await file.close();
  }
}

/** None where there is no journal. `onTorn` gets the number of each line that is none: the writer was killed before it erased. */
export function readErasures(path: string, onTorn?: (line: number) => void): Promise<JournalLine[]> {
  return Array.fromAsync(readAppended(path, { parse: erasureOf, ...(onTorn === undefined ? {} : { onTorn }) }));
}

function erasureOf(value: unknown): JournalLine | undefined {
  const { erasure_id, cause, screenings } = value as { erasure_id?: unknown; cause?: { kind?: unknown }; screenings?: unknown };
  const isErasure = typeof erasure_id === 'string' && cause?.kind === 'request' && Array.isArray(screenings);
  return isErasure ? (value as JournalLine) : undefined;
}
