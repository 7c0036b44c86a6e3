import type { Queryable } from '@weir/postgres';
import type { Subject } from '../subject.ts';

/** A published score that a label or a transfer may have changed since. */
export interface Change {
  readonly subject: Subject;
  /** `transfer`: no label is among the causes since the reader's cursor. */
  readonly cause: 'label' | 'transfer';
  readonly changedAt: Date;
}

export interface ChangesPage {
  readonly changes: readonly Change[];
  readonly next: bigint;
  readonly more: boolean;
}

interface ChangeRow {
  readonly end: bigint;
  readonly number: bigint | null;
  readonly chain: Subject['chain'];
  readonly kind: Subject['kind'];
  readonly subject: string;
  readonly direction: Subject['direction'];
  readonly changed_at: Date;
  readonly by_label: boolean;
  readonly [column: string]: unknown;
}

/** One statement, so that the end and the changes are of one snapshot. */
const statement = `
  SELECT s.last_number AS end, w.changed_number AS number, w.chain, w.kind, w.subject, w.direction, w.changed_at,
    coalesce(w.label_number, w.changed_number) > $2 AS by_label
  FROM risk.label_state s LEFT JOIN LATERAL (
    SELECT * FROM risk.watches WHERE key_sha256 = $1 AND changed_number > $2 ORDER BY changed_number LIMIT $3) w ON true
  ORDER BY w.changed_number`;

/** The key's changes after that number; only the newest for each subject. Undefined for a number that was never issued. */
export async function changesAfter(db: Queryable, keyHash: Buffer, after: bigint, limit: number): Promise<ChangesPage | undefined> {
  const { rows } = await db.query<ChangeRow>(statement, [keyHash, after, limit + 1]);
  const end = rows[0]?.end ?? 0n;
  if (after > end) return undefined;
  const found = rows.filter((row) => row.number !== null);
  const shown = found.slice(0, limit);
  const more = found.length > shown.length;
  const changes = shown.map(({ chain, kind, subject: value, direction, changed_at: changedAt, by_label }) => ({
    subject: { chain, kind, value, direction },
    cause: by_label ? ('label' as const) : ('transfer' as const),
    changedAt,
  }));
  return { changes, next: more ? (shown.at(-1)?.number ?? end) : end, more };
}

export async function endOfChanges(db: Queryable): Promise<bigint> {
  const { rows } = await db.query<{ end: bigint }>('SELECT last_number AS end FROM risk.label_state');
  return rows[0]?.end ?? 0n;
}

/** The cursor of a number: eight bytes, base64url. */
export function cursorOf(number: bigint): string {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(number);
  return bytes.toString('base64url');
}

/** Null for an invalid cursor. */
export function numberOf(cursor: string): bigint | null {
  const bytes = Buffer.from(cursor, 'base64url');
  if (bytes.length !== 8 || bytes.toString('base64url') !== cursor) return null;
  const number = bytes.readBigInt64BE();
  return number < 0n ? null : number;
}
