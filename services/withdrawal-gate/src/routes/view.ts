import { screeningId } from '@weir/contracts';
import { answerWithin } from '../availability.ts';
import { issuePermit } from '../permits/issue.ts';
import { lookAt, type Redemption } from '../permits/look.ts';
import type { WithdrawalStatus } from '../standing.ts';
import { answerLimitMs, type Gate } from './gate.ts';

export interface WithdrawalView {
  readonly withdrawal_id: string;
  readonly screening_id: string;
  readonly status: WithdrawalStatus;
  /** Of the decision in force. */
  readonly revision?: number;
  /** Why it has this status; empty while it is pending. */
  readonly reason_codes: readonly string[];
  /** The policy's rule that made the decision; null: its table, people, or no decision yet. */
  readonly rule: string | null;
  /** While it is allowed and none of its permits has been redeemed. */
  readonly permit?: string;
  /** RFC 3339. */
  readonly permit_expires_at?: string;
  /** Set once a permit was redeemed; no other will be issued. */
  readonly redeemed?: Redemption;
}

/**
 * The withdrawal's status; undefined for an unknown one. Before it reports `allowed` it checks that later decisions reach the gate,
 * and rejects otherwise. With `permit` it returns or issues the permit.
 */
export function view(gate: Gate, withdrawalId: string, options: { permit: boolean }): Promise<WithdrawalView | undefined> {
  return answerWithin(gate.clock, answerLimitMs, look(gate, withdrawalId, options));
}

async function look(gate: Gate, withdrawalId: string, options: { permit: boolean }): Promise<WithdrawalView | undefined> {
  const { issuing } = gate;
  let standing: Awaited<ReturnType<typeof issuePermit>> = await lookAt(gate.pool, withdrawalId, issuing);
  if (standing?.status === 'allowed' || standing?.isStale === true) {
    await gate.availability.require();
    standing = options.permit ? await issuePermit(issuing, withdrawalId) : await lookAt(gate.pool, withdrawalId, issuing);
  }
  if (standing === undefined) return undefined;
  const { status, revision, permit, redemption, why } = standing;
  return {
    withdrawal_id: withdrawalId,
    screening_id: screeningId('withdrawal', withdrawalId),
    status,
    ...(revision === 0 ? {} : { revision }),
    reason_codes: status === 'pending' ? [] : why.reason_codes,
    rule: status === 'pending' ? null : why.rule,
    ...(permit === undefined ? {} : { permit: permit.token, permit_expires_at: permit.expiresAt.toISOString() }),
    ...(redemption === undefined ? {} : { redeemed: redemption }),
  };
}
