import { screeningId } from '@weir/contracts';
import type { Described } from '@weir/service-kit';
import { z } from 'zod';
import { answerWithin } from '../availability.ts';
import { issuePermit } from '../permits/issue.ts';
import { lookAt } from '../permits/look.ts';
import { answerLimitMs, type Gate } from './gate.ts';

const time = z.iso.datetime();

export const redemptionFields = {
  permit_id: z.guid(),
  redeemed_at: time,
  redemption_id: z.string().exactOptional().describe('From the redeeming caller, if given.'),
};

export const withdrawalView = z
  .strictObject({
    withdrawal_id: z.string(),
    screening_id: z.guid(),
    status: z.enum(['pending', 'allowed', 'held', 'blocked']).describe('Only allowed lets it leave.'),
    revision: z.int().exactOptional().describe('Of the decision in force.'),
    reason_codes: z.array(z.string()).describe('Why it has this status; empty while it is pending.'),
    rule: z.string().nullable().describe("The policy's rule that made the decision; null: its table, people, or no decision yet."),
    permit: z
      .string()
      .exactOptional()
      .describe('While it is allowed and none of its permits has been redeemed. A bearer secret, for machines alone.'),
    permit_expires_at: time.exactOptional(),
    redeemed: z.strictObject(redemptionFields).exactOptional().describe('Set once a permit was redeemed; no other will be issued.'),
  })
  .meta({ id: 'Withdrawal' });
export type WithdrawalView = Described<typeof withdrawalView>;

export const exampleWithdrawal: WithdrawalView = {
  withdrawal_id: 'w-1',
  screening_id: '9b2f7c1e-3d4a-5e6f-8a7b-1c2d3e4f5a6b',
  status: 'held',
  revision: 1,
  reason_codes: ['LEVEL_HIGH'],
  rule: null,
};

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
  if (redemption !== undefined) await gate.journal?.record({ withdrawal_id: withdrawalId, ...redemption });
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
