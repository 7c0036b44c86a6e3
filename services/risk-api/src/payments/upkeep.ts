import type { Queryable } from '@weir/postgres';
import type { Subject } from '../subject.ts';

/** Retention of an abandoned claim, for a client that sends it again. Nothing was charged for it. */
const claimKeptMs = 600_000;
const sweepLimit = 1_000;

/** Longest waiting first. */
export async function duePayments(db: Queryable, options: { all: boolean; limit: number }): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    `SELECT id FROM risk.payments WHERE state IN ('settling', 'unknown') AND lease_until <= now() AND (next_try_at <= now() OR $1) ORDER BY next_try_at LIMIT $2`,
    [options.all, options.limit],
  );
  return rows.map(({ id }) => id);
}

export async function countUnknown(db: Queryable): Promise<number> {
  const { rows } = await db.query<{ count: number }>(`SELECT count(*)::int AS count FROM risk.payments WHERE state = 'unknown'`);
  return rows[0]?.count ?? 0;
}

/** Drops abandoned claims and expired answers. Rows of charged payments stay. */
export async function sweepPayments(db: Queryable, answerTtlMs: number): Promise<void> {
  await db.query(
    `DELETE FROM risk.payments WHERE id IN (SELECT id FROM risk.payments WHERE state = 'claimed' AND lease_until <= now() - $1 * interval '1 millisecond' LIMIT $2)
       AND state = 'claimed' AND lease_until <= now()`,
    [claimKeptMs, sweepLimit],
  );
  await db.query(
    `UPDATE risk.payments SET answer = NULL, payment_identifier = NULL
     WHERE id IN (SELECT id FROM risk.payments WHERE state = 'settled' AND answer IS NOT NULL AND settled_at <= now() - $1 * interval '1 millisecond' LIMIT $2)`,
    [answerTtlMs, sweepLimit],
  );
}

/** `isRecent`: settled less than `recentMs` ago. */
export async function findTask(
  db: Queryable,
  taskId: string,
  recentMs: number,
): Promise<{ subject: Subject; isRecent: boolean } | undefined> {
  const { rows } = await db.query<{ subject: Subject; isRecent: boolean }>(
    `SELECT task AS subject, settled_at > now() - $2 * interval '1 millisecond' AS "isRecent" FROM risk.payments WHERE task_id = $1 AND state = 'settled'`,
    [taskId, recentMs],
  );
  return rows[0];
}
