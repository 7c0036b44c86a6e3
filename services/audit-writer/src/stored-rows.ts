import type { Queryable } from '@weir/postgres';
import { leafTime } from './tree.ts';
import type { AuditEntry } from './export.ts';

export type StoredEntry = Omit<AuditEntry, 'salt' | 'commitment' | 'leaf_hash'>;

export interface StoredLeaves {
  readonly first: number;
  readonly salts: Buffer;
  readonly commitments: Buffer;
  readonly hashes: Buffer;
}

export interface StoredLeaf {
  readonly salt: Buffer;
  readonly commitment: Buffer;
  readonly hash: Buffer;
}

/** Columns of an entry, with its times as the leaf has them. */
export const entryColumns = `index, event_id, conflicts_with, topic, key, value, headers, log_partition, log_offset, screening_id, erased_by,
  ${leafTime('event_time')} AS event_time, ${leafTime('recorded_at')} AS recorded_at`;

/** Pages are held in memory. An entry may have a megabyte, a row of leaves some hundred kilobytes. */
const [entryPage, leavesPage] = [200, 20];

/** Every row in the order of its index, also those that constraints would forbid. */
export async function* readStoredEntries(db: Queryable): AsyncGenerator<StoredEntry, void, void> {
  // Negative indexes exist only if somebody dropped the constraint.
  for (let after = -(2n ** 63n); ; ) {
    const { rows } = await db.query<StoredEntry>(
      `SELECT ${entryColumns} FROM audit.entries WHERE index > $1 ORDER BY index FETCH FIRST ${entryPage} ROWS WITH TIES`,
      [after],
    );
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < entryPage) return;
    after = last.index;
  }
}

/** An entry and its leaf as of one moment. Undefined where there is not one of each. */
export async function findStored(db: Queryable, index: bigint): Promise<readonly [StoredEntry, StoredLeaf] | undefined> {
  const part = (column: string, width: number): string =>
    `substring(l.${column} FROM (e.index - l.first)::int * ${width} + 1 FOR ${width})`;
  const { rows } = await db.query<StoredEntry & StoredLeaf>(
    `SELECT e.*, ${part('salts', 16)} AS salt, ${part('commitments', 32)} AS commitment, ${part('hashes', 32)} AS hash
     FROM (SELECT ${entryColumns} FROM audit.entries WHERE index = $1) AS e
     CROSS JOIN LATERAL (SELECT * FROM audit.leaves WHERE first <= e.index ORDER BY first DESC FETCH FIRST ROW WITH TIES) AS l`,
    [index],
  );
  const [row] = rows;
  if (row === undefined || rows.length > 1) return undefined;
  const { salt, commitment, hash, ...entry } = row;
  return [entry, { salt, commitment, hash }];
}

/** Rows that begin before leaf `end`, in order. */
export async function* readStoredLeaves(db: Queryable, end: number): AsyncGenerator<StoredLeaves, void, void> {
  for (let after = -(2n ** 63n); ; ) {
    const { rows } = await db.query<{ first: bigint; salts: Buffer; commitments: Buffer; hashes: Buffer }>(
      `SELECT first, salts, commitments, hashes FROM audit.leaves WHERE first > $1 AND first < $2 ORDER BY first FETCH FIRST ${leavesPage} ROWS WITH TIES`,
      [after, end],
    );
    for (const { first, ...bytes } of rows) yield { first: Number(first), ...bytes };
    const last = rows.at(-1);
    if (last === undefined || rows.length < leavesPage) return;
    after = last.first;
  }
}
