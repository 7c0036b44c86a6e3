import type { Pool } from '@weir/postgres';
import { leafTime } from './tree.ts';
import { readLeaves, TreeHashError } from './tree-hashes.ts';
import { AuditIndexError, IndexCheck } from './index-check.ts';

/** Times are RFC 3339 in UTC with six digits of the second, as in the leaf. */
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
  /** Of the commitment, and the leaf's hash in the tree; null where the tree has none. */
  readonly salt: Buffer | null;
  readonly leaf_hash: Buffer | null;
}

/** The latest checkpoint, with the keys it verifies with, one a line. */
export interface ExportedCheckpoint {
  readonly checkpoint: string;
  readonly keys: string | null;
}

/** Undefined where none was signed. */
export async function exportCheckpoint(pool: Pool): Promise<ExportedCheckpoint | undefined> {
  const { rows } = await pool.query<{ checkpoint: string; keys: string | null }>('SELECT note AS checkpoint, keys FROM audit.checkpoint');
  return rows[0];
}

type Row = Omit<AuditEntry, 'salt' | 'leaf_hash'>;

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
      `SELECT index, event_id, conflicts_with, topic, key, value, headers, log_partition, log_offset, screening_id,
         ${leafTime('event_time')} AS event_time, ${leafTime('recorded_at')} AS recorded_at
       FROM audit.entries WHERE index >= $1 AND index < $2 ORDER BY index FETCH FIRST $3 ROWS WITH TIES`,
      [next, size, pageSize],
    );
    const [salts, hashes] = [await leavesOf(pool, 'salts', rows), await leavesOf(pool, 'hashes', rows)];
    for (const row of rows) {
      check.see(row.index);
      yield { ...row, salt: salts(row.index), leaf_hash: hashes(row.index) };
    }
    const last = rows.at(-1);
    if (last === undefined) break;
    next = last.index + 1n;
  }
  check.end(size);
  const problem = check.problem();
  if (problem !== undefined) throw new AuditIndexError(problem);
}

/** By index; null where the tree has none. */
async function leavesOf(pool: Pool, column: 'salts' | 'hashes', rows: readonly Row[]): Promise<(index: bigint) => Buffer | null> {
  const first = rows[0]?.index ?? 0n;
  const count = Number((rows.at(-1)?.index ?? first) - first) + 1;
  const known = new Map<bigint, Buffer | null>();
  // Where something is missing, one by one, so that only the missing ones are null.
  const whole = count <= pageSize ? await leavesFrom(pool, column, first, count) : undefined;
  for (const { index } of rows) {
    const own = whole?.[Number(index - first)] ?? (await leavesFrom(pool, column, index, 1))?.[0];
    known.set(index, own ?? null);
  }
  return (index) => known.get(index) ?? null;
}

async function leavesFrom(pool: Pool, column: 'salts' | 'hashes', first: bigint, count: number): Promise<Buffer[] | undefined> {
  try {
    return await readLeaves(pool, column, Number(first), count);
  } catch (error) {
    if (error instanceof TreeHashError) return undefined;
    throw error;
  }
}
