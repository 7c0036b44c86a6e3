import type { Pool } from '@weir/postgres';
import { AuditIndexError, IndexCheck } from './index-check.ts';

/** Times are RFC 3339, UTC. */
export interface AuditEntry {
  /** From 0, without gaps. */
  readonly index: bigint;
  readonly event_id: string;
  /** The id of an earlier event with this id and other content; else null. */
  readonly conflicts_with: string | null;
  readonly topic: string;
  readonly key: string;
  /** The record's bytes. */
  readonly value: Buffer;
  readonly headers: Readonly<Record<string, string>>;
  /** The record's position in the log. */
  readonly log_partition: number;
  readonly log_offset: bigint;
  readonly event_time: string;
  readonly screening_id: string | null;
  readonly recorded_at: string;
}

type Row = Omit<AuditEntry, 'event_time' | 'recorded_at'> & { readonly event_time: Date; readonly recorded_at: Date };

/** A page is held in memory, and an entry may have a megabyte. */
const pageSize = 100;

/**
 * Yields entries from index `from` in order, up to the last one at the start. Afterwards it rejects with
 * `AuditIndexError` if an index was missing or repeated.
 */
export async function* exportEntries(pool: Pool, options: { from?: bigint } = {}): AsyncGenerator<AuditEntry, void, void> {
  const { rows: head } = await pool.query<{ size: bigint }>('SELECT coalesce(max(index) + 1, 0) AS size FROM audit.entries');
  const size = head[0]?.size ?? 0n;
  let next = options.from === undefined || options.from < 0n ? 0n : options.from;
  const check = new IndexCheck(next);
  while (next < size) {
    const { rows } = await pool.query<Row>(
      `SELECT index, event_id, conflicts_with, topic, key, value, headers, log_partition, log_offset, event_time, screening_id, recorded_at
       FROM audit.entries WHERE index >= $1 AND index < $2 ORDER BY index FETCH FIRST $3 ROWS WITH TIES`,
      [next, size, pageSize],
    );
    for (const row of rows) {
      check.see(row.index);
      yield { ...row, event_time: row.event_time.toISOString(), recorded_at: row.recorded_at.toISOString() };
    }
    const last = rows.at(-1);
    if (last === undefined) break;
    next = last.index + 1n;
  }
  check.end(size);
  const problem = check.problem();
  if (problem !== undefined) throw new AuditIndexError(problem);
}
