import { erasedSalt, saltLength } from '@weir/audit-log';
import type { Queryable } from '@weir/postgres';

/**
 * Erases the payloads and salts of entries in the transaction; their commitments stay. `eventId` is the act that names them, and must be in
 * the log. Entries that are erased already stay as they are. Only the owner of the tables may do it.
 */
export async function eraseEntries(tx: Queryable, { eventId, indexes }: { eventId: string; indexes: readonly number[] }): Promise<void> {
  const { rows } = await tx.query<{ index: bigint }>(
    `UPDATE audit.entries SET key = '', headers = '{}', value = '', screening_id = NULL, erased_by = $1
     WHERE index = ANY($2::bigint[]) AND erased_by IS NULL RETURNING index`,
    [eventId, indexes],
  );
  await eraseSalts(
    tx,
    rows.map(({ index }) => Number(index)),
  );
}

/** A row of leaves has the salts of a batch. */
async function eraseSalts(tx: Queryable, indexes: readonly number[]): Promise<void> {
  const { rows: places } = await tx.query<{ index: bigint; first: bigint }>(
    `SELECT i.index, l.first FROM unnest($1::bigint[]) AS i(index)
     CROSS JOIN LATERAL (SELECT first FROM audit.leaves WHERE first <= i.index ORDER BY first DESC LIMIT 1) AS l ORDER BY l.first`,
    [indexes],
  );
  for (const [first, own] of Map.groupBy(places, (place) => place.first)) {
    const { rows } = await tx.query<{ salts: Buffer }>('SELECT salts FROM audit.leaves WHERE first = $1 FOR UPDATE', [first]);
    const salts = Buffer.from(rows[0]?.salts ?? []);
    for (const { index } of own) erasedSalt.copy(salts, Number(index - first) * saltLength);
    await tx.query('UPDATE audit.leaves SET salts = $2 WHERE first = $1', [first, salts]);
  }
}

/** Indexes of entries with a payload: those of the screenings, and those with these event ids. Ascending. */
export async function findEntries(
  db: Queryable,
  { screenings, eventIds }: { readonly screenings: readonly string[]; readonly eventIds: readonly string[] },
): Promise<{ readonly index: number; readonly event_id: string }[]> {
  const { rows } = await db.query<{ index: bigint; event_id: string }>(
    `SELECT index, event_id FROM audit.entries WHERE screening_id = ANY($1::uuid[]) AND erased_by IS NULL
     UNION SELECT index, event_id FROM audit.entries WHERE event_id = ANY($2::uuid[]) AND erased_by IS NULL ORDER BY index`,
    [screenings, eventIds],
  );
  return rows.map(({ index, event_id }) => ({ index: Number(index), event_id }));
}
