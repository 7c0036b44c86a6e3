import type { Pool } from '@weir/postgres';
import { entryColumns, type StoredEntry } from './stored-rows.ts';
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
  /** The event of the act that erased key, headers, screening and value, which are empty then; else null. */
  readonly erased_by: string | null;
  /** Of the commitment; null where the tree has none, and of an erased entry. */
  readonly salt: Buffer | null;
  /** Only of an erased entry, which it stands for. */
  readonly commitment: Buffer | null;
  /** In the tree; null where the tree has none. */
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

/** A page is held in memory, and an entry may have a megabyte. */
const pageSize = 100;
/** Indexes that one statement looks through for entries of a time. */
const span = 10_000;

export interface ExportSelection {
  /** The first index. */
  readonly from?: bigint;
  /** By the time of the event. */
  readonly since?: Date | undefined;
  /** Exclusive. */
  readonly until?: Date | undefined;
  readonly screening?: string | undefined;
}

/** Entries at this moment, counted by index. */
export async function exportSize(pool: Pool): Promise<bigint> {
  const { rows } = await pool.query<{ size: bigint }>('SELECT coalesce(max(index) + 1, 0) AS size FROM audit.entries');
  return rows[0]?.size ?? 0n;
}

/**
 * Yields entries from index `from` in order, up to the last one at the start. Afterwards it rejects with
 * `AuditIndexError` if an index was missing or repeated; entries that the selection leaves out are not missed.
 */
export async function* exportEntries(pool: Pool, selection: ExportSelection = {}): AsyncGenerator<AuditEntry, void, void> {
  const size = await exportSize(pool);
  const { from = 0n, since, until, screening } = selection;
  const isPart = since !== undefined || until !== undefined || screening !== undefined;
  const check = new IndexCheck(from < 0n ? 0n : from);
  for (let next = check.next; next < size; ) {
    const end = isPart && screening === undefined && next + BigInt(span) < size ? next + BigInt(span) : size;
    const rows = await readPage(pool, { next, end, selection });
    const [salts, hashes] = [await leavesOf(pool, 'salts', rows), await leavesOf(pool, 'hashes', rows)];
    const erased = rows.filter(({ erased_by }) => erased_by !== null);
    const commitments = erased.length === 0 ? salts : await leavesOf(pool, 'commitments', erased);
    for (const row of rows) {
      if (!isPart) check.see(row.index);
      const isErased = row.erased_by !== null;
      yield {
        ...row,
        salt: isErased ? null : salts(row.index),
        commitment: isErased ? commitments(row.index) : null,
        leaf_hash: hashes(row.index),
      };
    }
    const last = rows.at(-1);
    next = last === undefined || rows.length < pageSize ? end : last.index + 1n;
  }
  if (!isPart) check.end(size);
  const problem = check.problem();
  if (problem !== undefined) throw new AuditIndexError(problem);
}

/** One entry. Undefined where there is none with this id. */
export async function exportEntry(pool: Pool, eventId: string): Promise<AuditEntry | undefined> {
  const { rows } = await pool.query<{ index: bigint }>('SELECT index FROM audit.entries WHERE event_id = $1', [eventId]);
  const [row] = rows;
  if (row === undefined) return undefined;
  for await (const entry of exportEntries(pool, { from: row.index })) return entry;
  return undefined;
}

async function readPage(
  pool: Pool,
  { next, end, selection }: { next: bigint; end: bigint; selection: ExportSelection },
): Promise<StoredEntry[]> {
  const { since = null, until = null, screening = null } = selection;
  const { rows } = await pool.query<StoredEntry>(
    `SELECT ${entryColumns} FROM audit.entries WHERE index >= $1 AND index < $2 AND ($4::timestamptz IS NULL OR event_time >= $4)
       AND ($5::timestamptz IS NULL OR event_time < $5) ${screening === null ? 'AND $6::uuid IS NULL' : 'AND screening_id = $6'}
     ORDER BY index FETCH FIRST $3 ROWS WITH TIES`,
    [next, end, pageSize, since, until, screening],
  );
  return rows;
}

type LeafColumn = 'salts' | 'commitments' | 'hashes';

/** By index; null where the tree has none. */
async function leavesOf(pool: Pool, column: LeafColumn, rows: readonly StoredEntry[]): Promise<(index: bigint) => Buffer | null> {
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

async function leavesFrom(pool: Pool, column: LeafColumn, first: bigint, count: number): Promise<Buffer[] | undefined> {
  try {
    return await readLeaves(pool, column, Number(first), count);
  } catch (error) {
    if (error instanceof TreeHashError) return undefined;
    throw error;
  }
}
