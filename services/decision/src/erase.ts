import type { Queryable } from '@weir/postgres';
import { erasedTransfer } from '@weir/service-kit';

/** Erases transfer, history and evidence of these screenings in the transaction. Actions, reason codes, policies and times stay. For the owner. */
export async function eraseDecided(tx: Queryable, screenings: readonly string[]): Promise<void> {
  await tx.query('DELETE FROM decision.transfers WHERE screening_id = ANY($1::uuid[])', [screenings]);
  await tx.query(`UPDATE decision.screenings SET transfer = transfer || '${erasedTransfer}' WHERE screening_id = ANY($1::uuid[])`, [
    screenings,
  ]);
  await tx.query('UPDATE decision.decisions SET evidence = NULL WHERE screening_id = ANY($1::uuid[]) AND evidence IS NOT NULL', [
    screenings,
  ]);
}

/** Screenings that wait for a decision or for people. */
export async function findUndecided(db: Queryable, screenings: readonly string[]): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    `SELECT u.id FROM unnest($1::uuid[]) AS u(id) LEFT JOIN decision.screenings s ON s.screening_id = u.id
     WHERE s.action IS NULL OR s.action = 'review' ORDER BY 1`,
    [screenings],
  );
  return rows.map(({ id }) => id);
}

/** The time of the latest transfer or decision of these screenings. Undefined without any. */
export async function latestOf(db: Queryable, screenings: readonly string[]): Promise<Date | undefined> {
  const { rows } = await db.query<{ at: Date | null }>(
    `SELECT max(greatest(s.requested_at, d.decided_at)) AS at FROM decision.screenings s
     LEFT JOIN decision.decisions d ON d.screening_id = s.screening_id WHERE s.screening_id = ANY($1::uuid[])`,
    [screenings],
  );
  return rows[0]?.at ?? undefined;
}

/** Decided screenings that are not erased and whose transfer and decisions are all older than `before`, the oldest first. */
export async function findExpired(
  db: Queryable,
  { before, limit, after }: { before: Date; limit: number; after: string | null },
): Promise<string[]> {
  const { rows } = await db.query<{ screening_id: string }>(
    `SELECT s.screening_id FROM decision.screenings s
     WHERE ($3::uuid IS NULL OR s.screening_id > $3) AND s.requested_at < $1 AND s.action IS NOT NULL AND s.action <> 'review' AND NOT s.transfer ? 'erased'
       AND NOT EXISTS (SELECT FROM decision.decisions d WHERE d.screening_id = s.screening_id AND d.decided_at >= $1)
     ORDER BY s.screening_id LIMIT $2`,
    [before, limit, after],
  );
  return rows.map(({ screening_id }) => screening_id);
}
