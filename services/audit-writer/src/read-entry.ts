import { commitment, type EntryMetadata, type EntryPayload, leafOf, missingLeaf } from '@weir/audit-log';
import type { Queryable } from '@weir/postgres';
import { leafTime } from './tree.ts';
import { readLeaves, TreeHashError } from './tree-hashes.ts';

const metadata = `index, event_id, conflicts_with, topic, log_partition, log_offset, ${leafTime('event_time')} AS event_time, ${leafTime('recorded_at')} AS recorded_at`;

/** An entry with what is stored of its leaf. */
export interface EntryWithLeaf extends EntryMetadata, EntryPayload {
  readonly index: bigint;
  readonly value: Buffer;
  readonly salt: Buffer;
  /** The event of the act that erased the payload and the salt, which are empty then; else null. */
  readonly erased_by: string | null;
  /** The bytes of the leaf. */
  readonly leaf: Buffer;
  /** As the tree has it. */
  readonly hash: Buffer;
}

/** `eventId` must be a UUID. */
export async function findEntry(db: Queryable, eventId: string): Promise<EntryWithLeaf | undefined> {
  const { rows } = await db.query<EntryMetadata & EntryPayload & { index: bigint; value: Buffer; erased_by: string | null }>(
    `SELECT ${metadata}, key, headers, screening_id, value, erased_by FROM audit.entries WHERE event_id = $1`,
    [eventId],
  );
  const [row] = rows;
  if (row === undefined) return undefined;
  const at = Number(row.index);
  const [[salt], [hash]] = [await readLeaves(db, 'salts', at, 1), await readLeaves(db, 'hashes', at, 1)];
  if (salt === undefined || hash === undefined) throw new TreeHashError(`the tree lacks leaf ${at}`);
  if (row.erased_by === null) return { ...row, salt, leaf: leafOf(row, commitment(salt, row)), hash };
  const [stored] = await readLeaves(db, 'commitments', at, 1);
  if (stored === undefined) throw new TreeHashError(`the tree lacks leaf ${at}`);
  return { ...row, salt: Buffer.alloc(0), leaf: leafOf(row, stored), hash };
}

/** The bytes of `count` leaves from index `first` on, without reading payloads. Rejects with `TreeHashError` where an entry is missing. */
export async function readLeafBytes(db: Queryable, first: number, count: number): Promise<Buffer[]> {
  const { rows } = await db.query<EntryMetadata & { index: bigint }>(
    `SELECT ${metadata} FROM audit.entries WHERE index >= $1::bigint AND index < $1::bigint + $2`,
    [first, count],
  );
  const found = new Map(rows.map((row) => [Number(row.index), row]));
  return (await readLeaves(db, 'commitments', first, count)).map((own, n) => {
    const entry = found.get(first + n);
    if (entry !== undefined) return leafOf(entry, own);
    if (own.some((byte) => byte !== 0)) throw new TreeHashError(`entry ${first + n} is missing`);
    return missingLeaf;
  });
}
