import type { Action, Transfer } from '@weir/contracts';
import type { Queryable } from '@weir/postgres';

export interface Disagreement extends Record<string, unknown> {
  readonly screening_id: string;
  readonly revision: number;
  readonly action: Action;
  readonly rule: string | null;
  readonly shadow: Action;
  readonly shadow_policy_hash: string;
  readonly decided_at: Date;
  readonly transfer: Transfer;
}

/** How often the shadow policy decided otherwise, by both actions. */
export async function countDisagreements(
  db: Queryable,
  shadowHash: string,
  since: Date,
): Promise<{ action: Action; shadow: Action; count: number }[]> {
  const { rows } = await db.query<{ action: Action; shadow: Action; count: number }>(
    `SELECT action, shadow, count(*)::int AS count FROM decision.decisions
     WHERE shadow <> action AND shadow_policy_hash = $1 AND decided_at >= $2 GROUP BY action, shadow ORDER BY count DESC, action, shadow`,
    [shadowHash, since],
  );
  return rows;
}

/** The latest disagreements. */
export async function listDisagreements(db: Queryable, shadowHash: string, since: Date, limit: number): Promise<Disagreement[]> {
  const { rows } = await db.query<Disagreement>(
    `SELECT d.screening_id, d.revision, d.action, d.rule, d.shadow, d.shadow_policy_hash, d.decided_at, s.transfer
     FROM decision.decisions d JOIN decision.screenings s ON s.screening_id = d.screening_id
     WHERE d.shadow <> d.action AND d.shadow_policy_hash = $1 AND d.decided_at >= $2
     ORDER BY d.decided_at DESC, d.screening_id DESC LIMIT $3`,
    [shadowHash, since, limit],
  );
  return rows;
}
