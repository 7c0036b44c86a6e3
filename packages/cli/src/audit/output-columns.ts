import type { EntryLine, LastLine } from './lines.ts';

/** Writes an export to stdout. */
export interface ExportOutput {
  write(line: EntryLine): Promise<void>;
  /** Call it last. */
  end(last: LastLine | undefined): Promise<void>;
  /** Frees what was opened, also after a failure. */
  close(): Promise<void>;
}

/** In this order. */
export const exportColumns = [
  'index',
  'event_id',
  'topic',
  'key',
  'event_time',
  'recorded_at',
  'screening_id',
  'headers',
  'value_base64',
  'data',
  'conflicts_with',
  'log_partition',
  'log_offset',
  'erased_by',
  'commitment',
  'salt',
  'leaf_hash',
] as const satisfies readonly (keyof EntryLine)[];

/** Objects as JSON; null for none. */
export function cellOf(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
