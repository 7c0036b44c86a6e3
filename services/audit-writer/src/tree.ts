import {
  appendLeaves,
  commitment,
  type EntryMetadata,
  type EntryPayload,
  type Frontier,
  leafHash,
  leafOf,
  missingLeaf,
  saltLength,
} from '@weir/audit-log';
import { advisoryLock, type Pool, prepared, type Queryable, transaction } from '@weir/postgres';

/** Bytes of randomness. */
export type Random = (bytes: number) => Buffer;

/** An entry with its times as the leaf has them. */
export type LeafEntry = EntryMetadata & EntryPayload;

/** A time as RFC 3339 in UTC, with six digits of the second: the form of the leaf. */
export const leafTime = (column: string): string => `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

export interface LockedTree {
  readonly frontier: Frontier;
  /** The database's time, in the form of the leaf. */
  readonly now: string;
}

/** Serialises writers until the transaction ends, and reads what an append needs to know of the tree. */
export async function lockTree(tx: Queryable): Promise<LockedTree> {
  // FOR UPDATE reads the latest row, also where the lock was waited for.
  const { rows } = await tx.query<{ size: bigint; frontier: Buffer[]; now: string }>(
    prepared(`SELECT tree.size, tree.frontier, ${leafTime('clock_timestamp()')} AS now
       FROM ${advisoryLock('audit-append')} AS taken, audit.tree FOR UPDATE OF tree`),
  );
  const [tree] = rows;
  if (tree === undefined) throw new Error('audit.tree has lost its row');
  return { frontier: { size: Number(tree.size), hashes: tree.frontier }, now: tree.now };
}

/** Hashes of leaves in their order, and what is stored of them. */
export interface Leaves {
  readonly salts: Buffer;
  readonly commitments: Buffer;
  readonly hashes: readonly Buffer[];
}

/** Undefined stands for an entry that was missing before the tree began. */
export function hashLeaves(entries: readonly (LeafEntry | undefined)[], random: Random): Leaves {
  const salts = random(entries.length * saltLength);
  const commitments = entries.map((entry, n) =>
    entry === undefined ? Buffer.alloc(32) : commitment(salts.subarray(n * saltLength, (n + 1) * saltLength), entry),
  );
  const hashes = entries.map((entry, n) => leafHash(entry === undefined ? missingLeaf : leafOf(entry, commitments[n] as Buffer)));
  return { salts, commitments: Buffer.concat(commitments), hashes };
}

/** Appends leaves to the tree. The caller holds the lock. */
export async function growTree(tx: Queryable, frontier: Frontier, { salts, commitments, hashes }: Leaves): Promise<void> {
  const grown = appendLeaves(frontier, hashes);
  await tx.query(
    prepared(`WITH leaves AS (INSERT INTO audit.leaves (first, salts, commitments, hashes) VALUES ($1, $2, $3, $4)),
       nodes AS (INSERT INTO audit.nodes (level, index, hash) SELECT * FROM unnest($5::smallint[], $6::bigint[], $7::bytea[]))
       UPDATE audit.tree SET size = $8, frontier = $9`),
    [
      frontier.size,
      salts,
      commitments,
      Buffer.concat(hashes),
      grown.nodes.map(({ level }) => level),
      grown.nodes.map(({ index }) => index),
      grown.nodes.map(({ hash }) => hash),
      grown.frontier.size,
      grown.frontier.hashes,
    ],
  );
}

export interface TakenIn {
  /** Leaves in the tree. */
  readonly size: number;
  /** False while more entries follow. */
  readonly isWhole: boolean;
  /** Indexes that had no entry. */
  readonly missing: readonly number[];
}

/** Appends the leaves of at most `most` indexes that an earlier version has written without leaves. */
export async function takeIn(pool: Pool, { random, most }: { random: Random; most: number }): Promise<TakenIn> {
  return transaction(pool, async (tx) => {
    const { frontier } = await lockTree(tx);
    const { rows: ends } = await tx.query<{ size: bigint }>('SELECT coalesce(max(index) + 1, 0) AS size FROM audit.entries');
    const behind = Math.max(Number(ends[0]?.size ?? 0n) - frontier.size, 0);
    const count = Math.min(behind, most);
    if (count === 0) return { size: frontier.size, isWhole: true, missing: [] };
    const { rows } = await tx.query<LeafEntry & { index: bigint }>(
      `SELECT index, event_id, conflicts_with, topic, key, value, headers, log_partition, log_offset, screening_id,
         ${leafTime('event_time')} AS event_time, ${leafTime('recorded_at')} AS recorded_at
       FROM audit.entries WHERE index >= $1 AND index < $2`,
      [frontier.size, frontier.size + count],
    );
    const found = new Map(rows.map((row) => [Number(row.index), row]));
    const indexes = Array.from({ length: count }, (_, n) => frontier.size + n);
    const leaves = hashLeaves(
      indexes.map((index) => found.get(index)),
      random,
    );
    await growTree(tx, frontier, leaves);
    return { size: frontier.size + count, isWhole: count === behind, missing: indexes.filter((index) => !found.has(index)) };
  });
}
