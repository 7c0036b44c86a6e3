import type { Queryable } from '@weir/postgres';
import type { WithdrawalStatus } from '../standing.ts';

export interface Redemption {
  readonly permit_id: string;
  /** RFC 3339. */
  readonly redeemed_at: string;
  /** From the redeeming caller, if given. */
  readonly redemption_id?: string;
}

/** Why a withdrawal has its status. */
interface Why {
  readonly reason_codes: readonly string[];
  /** The policy's rule that made the decision; null: its table. */
  readonly rule: string | null;
}

export interface Standing {
  /** `allowed` only if the decided transfer is the requested one, and the decision is young enough for a permit. */
  readonly status: WithdrawalStatus;
  /** The allowing decision is too old or renewed; the status is `pending` until the next one. */
  readonly isStale: boolean;
  /** Of the decision in force; 0 before there is one. */
  readonly revision: number;
  readonly redemption: Redemption | undefined;
  /** Of the decision in force; empty without one, and for a decision that an older version stored. */
  readonly why: Why;
}

interface Row extends Record<string, unknown> {
  status: WithdrawalStatus;
  revision: number;
  agrees: boolean | null;
  stale: boolean;
  permit_id: string | null;
  redeemed_at: Date | null;
  redemption_id: string | null;
  why: (Why & { revision: number }) | null;
}

const noReason: Why = { reason_codes: [], rule: null };

/** Undefined for an unknown withdrawal. With `lock`, decisions about it wait until the transaction ends. */
export async function lookAt(
  db: Queryable,
  withdrawalId: string,
  { allowMaxAgeMs, lock = '' }: { allowMaxAgeMs: number; lock?: 'FOR UPDATE OF w' | '' },
): Promise<Standing | undefined> {
  // No id contains NUL, and PostgreSQL would fail with it.
  if (withdrawalId.includes('\0')) return undefined;
  const { rows } = await db.query<Row>(
    `SELECT w.status, w.revision, w.decided = w.asked AS agrees, p.permit_id, p.redeemed_at, p.redemption_id, w.why,
       w.renewed_revision IS NOT DISTINCT FROM w.revision OR (w.decided_at > clock_timestamp() - $2 * interval '1 millisecond') IS NOT TRUE AS stale
     FROM gate.withdrawals w LEFT JOIN gate.permits p ON p.withdrawal_id = w.withdrawal_id AND p.state = 'redeemed'
     WHERE w.withdrawal_id = $1 AND w.asked IS NOT NULL ${lock}`,
    [withdrawalId, allowMaxAgeMs],
  );
  const [row] = rows;
  if (row === undefined) return undefined;
  const isOther = row.status === 'allowed' && row.agrees !== true;
  const decided = isOther ? 'held' : row.status;
  const redemption = redemptionOf(row);
  const isStale = decided === 'allowed' && redemption === undefined && row.stale;
  const why = isOther ? { reason_codes: ['DECISION_MISMATCH'], rule: null } : whyOf(row);
  return { status: isStale ? 'pending' : decided, isStale, revision: row.revision, redemption, why };
}

function whyOf({ why, revision }: Row): Why {
  return why?.revision === revision ? { reason_codes: why.reason_codes, rule: why.rule } : noReason;
}

export function redemptionOf(row: {
  permit_id: string | null;
  redeemed_at: Date | null;
  redemption_id: string | null;
}): Redemption | undefined {
  if (row.permit_id === null || row.redeemed_at === null) return undefined;
  return {
    permit_id: row.permit_id,
    redeemed_at: row.redeemed_at.toISOString(),
    ...(row.redemption_id === null ? {} : { redemption_id: row.redemption_id }),
  };
}
