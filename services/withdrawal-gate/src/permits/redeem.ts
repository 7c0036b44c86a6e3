import { screeningId } from '@weir/contracts';
import type { PermitClaims } from '@weir/permit';
import { prepared, type Queryable, transaction } from '@weir/postgres';
import type { StoredEvent } from '@weir/service-kit';
import { applyCommitted } from '../committed.ts';
import { nothingApplied } from '../standing.ts';
import type { Issuing } from './issue.ts';
import { type Redemption, redemptionOf } from './look.ts';
import { requestRenewal, revokeOpen } from './renewal.ts';

export type Redeeming =
  | { readonly result: 'redeemed'; readonly redemption: Redemption }
  /** This permit, or another of the same withdrawal. */
  | { readonly result: 'redeemed_before'; readonly redemption: Redemption }
  | { readonly result: 'expired' | 'revoked' | 'unknown' };

interface Row extends Record<string, unknown> {
  /** `behind`: a decision later than the permit's exists. `labelled`: a local list may name the receiver. */
  result: Redeeming['result'] | 'behind' | 'labelled';
  permit_id: string | null;
  redeemed_at: Date | null;
  redemption_id: string | null;
}

export interface RedeemOptions {
  readonly token: string;
  readonly claims: PermitClaims;
  readonly redemptionId: string | undefined;
}

/** Redeems one permit per withdrawal; see `gate.redeem`. After a rejection it is unknown whether the permit was redeemed. */
export async function redeemPermit(issuing: Issuing, options: RedeemOptions): Promise<Redeeming> {
  const { pool, lists, intake, onIssue, onApplied } = issuing;
  const { token, claims, redemptionId } = options;
  const receiver = { chain: claims.chain, address: claims.to_address };
  const keys = lists.keysOf(receiver);
  const given = [claims.jti, claims.sub, token, claims.exp, redemptionId ?? null];
  // One statement, because redemptions may arrive in bursts.
  const first = await redeem(pool, prepared('SELECT * FROM gate.redeem_current($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)'), [
    ...given,
    claims.revision,
    screeningId('withdrawal', claims.sub),
    keys.chains,
    keys.addresses,
    keys.categories,
    keys.isThere,
  ]);
  if (first.result !== 'behind' && first.result !== 'labelled') return outcomeOf(first);
  let events: readonly StoredEvent[] = [];
  let applied = nothingApplied;
  const second = await transaction(pool, async (tx) => {
    const { rows } = await tx.query<{ revision: number }>(
      prepared('SELECT revision FROM gate.withdrawals WHERE withdrawal_id = $1 FOR UPDATE'),
      [claims.sub],
    );
    applied = await applyCommitted(tx, claims.sub, rows[0]?.revision ?? claims.revision);
    const [listings = []] = await lists.find(tx, [receiver]);
    if (listings.length > 0) await revokeOpen(tx, claims.sub);
    const redeemed = await redeem(tx, prepared('SELECT * FROM gate.redeem($1, $2, $3, $4, $5)'), given);
    // Last: it appends to the log.
    if (listings.length > 0) events = await requestRenewal(tx, intake, claims.sub);
    return redeemed;
  });
  onApplied(applied);
  if (events.length > 0) onIssue('listed');
  void intake.publish(events);
  return outcomeOf(second);
}

async function redeem(db: Queryable, statement: string, values: readonly unknown[]): Promise<Row> {
  const { rows } = await db.query<Row>(statement, values);
  const [row] = rows;
  if (row === undefined) throw new TypeError('gate.redeem said nothing');
  return row;
}

function outcomeOf(row: Row): Redeeming {
  const { result } = row;
  if (result === 'behind' || result === 'labelled') throw new TypeError('gate.redeem looks at no decisions and no labels');
  if (result !== 'redeemed' && result !== 'redeemed_before') return { result };
  const redemption = redemptionOf(row);
  if (redemption === undefined) throw new TypeError('gate.redeem said redeemed, and not when');
  return { result, redemption };
}
