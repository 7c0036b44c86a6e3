import { findTransferIds, findTransfersOf } from '@weir/intake';
import type { Pool } from '@weir/postgres';
import { type Erased, type Erasing, eraseScreenings } from './erase.ts';
import { readErasures } from './journal.ts';
import { findStray } from './stray.ts';

/** An erasure that two people made. */
export interface ApprovedErasure {
  readonly erasureId: string;
  readonly screenings: readonly string[];
}

/**
 * After a restore: approves again each erasure of the journal whose transfers came back, so that `finishErasures` erases them. Without `mend`
 * it only finds them. `torn`: numbers of lines that are none.
 */
export async function reopenErasures(
  pool: Pool,
  { journal, mend }: { readonly journal: string; readonly mend: boolean },
): Promise<{ readonly reopened: readonly ApprovedErasure[]; readonly torn: readonly number[] }> {
  const reopened: ApprovedErasure[] = [];
  const torn: number[] = [];
  const lines = await readErasures(journal, (number) => torn.push(number));
  // An approval that was repeated has several lines.
  const latest = new Map(lines.map((line) => [line.erasure_id, line]));
  for (const { erasure_id, approved_at, cause, screenings } of latest.values()) {
    const present = [...(await findTransferIds(pool, screenings)), ...(await findStray(pool, { among: screenings }))];
    if (present.length === 0) continue;
    reopened.push({ erasureId: erasure_id, screenings: present });
    if (!mend) continue;
    await pool.query(
      `INSERT INTO access.erasures AS e (erasure_id, reason, is_early, proposed_by, proposed_by_name, approved_by, approved_by_name, approved_at, screenings)
       VALUES ($1, $2, false, $3, $4, $5, $6, $7, $8)
       ON CONFLICT (erasure_id) DO UPDATE SET approved_by = excluded.approved_by, approved_by_name = excluded.approved_by_name,
         approved_at = excluded.approved_at, screenings = excluded.screenings, done_at = NULL`,
      [
        erasure_id,
        cause.reason,
        cause.proposedBy.id,
        cause.proposedBy.name,
        cause.approvedBy.id,
        cause.approvedBy.name,
        approved_at,
        screenings,
      ],
    );
  }
  return { reopened, torn };
}

/** Erases what two people approved, and an interruption or a restore has left. */
export async function finishErasures(of: Erasing): Promise<readonly (Erased & { readonly erasureId: string })[]> {
  const { rows } = await of.pool.query<{
    erasure_id: string;
    reason: string;
    proposed_by: string;
    proposed_by_name: string;
    approved_by: string;
    approved_by_name: string;
    screenings: string[];
  }>(
    `SELECT erasure_id, reason, proposed_by, proposed_by_name, approved_by, approved_by_name, screenings FROM access.erasures
     WHERE approved_at IS NOT NULL AND done_at IS NULL ORDER BY approved_at LIMIT 1000`,
  );
  const done: (Erased & { erasureId: string })[] = [];
  for (const row of rows) {
    const cause = {
      kind: 'request',
      reason: row.reason,
      proposedBy: { id: row.proposed_by, name: row.proposed_by_name },
      approvedBy: { id: row.approved_by, name: row.approved_by_name },
    } as const;
    done.push({
      erasureId: row.erasure_id,
      ...(await finishErasure(of, { erasureId: row.erasure_id, cause, screenings: row.screenings })),
    });
  }
  return done;
}

/** Erases, and then forgets the customer of the request, and of others for the same customer that wait. */
export async function finishErasure(of: Erasing, erasure: Parameters<typeof eraseScreenings>[1]): Promise<Erased> {
  const erased = await eraseScreenings(of, erasure);
  await of.pool.query(
    `UPDATE access.erasures SET user_id = NULL, done_at = now()
     WHERE erasure_id = $1 OR approved_at IS NULL AND user_id = (SELECT user_id FROM access.erasures WHERE erasure_id = $1)`,
    [erasure.erasureId],
  );
  return erased;
}

/** Ends requests that nobody has approved, once nothing of their customers is left to erase. */
export async function forgetRequests(pool: Pool): Promise<void> {
  const { rows } = await pool.query<{ user_id: string }>(
    'SELECT DISTINCT user_id FROM access.erasures WHERE approved_at IS NULL AND user_id IS NOT NULL',
  );
  for (const { user_id } of rows) {
    const left = [...(await findTransfersOf(pool, user_id)), ...(await findStray(pool, { userId: user_id }))];
    if (left.length === 0)
      await pool.query('UPDATE access.erasures SET user_id = NULL, done_at = now() WHERE approved_at IS NULL AND user_id = $1', [user_id]);
  }
}
