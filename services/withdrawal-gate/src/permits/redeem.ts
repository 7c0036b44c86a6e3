import type { PermitClaims } from '@weir/permit';
import { type Pool, prepared, type Queryable, transaction } from '@weir/postgres';
import { applyCommitted, type Committed, decisionEvent } from '../committed.ts';
import { type Redemption, redemptionOf } from './look.ts';

/** What came of redeeming a permit that the gate has signed. */
export type Redeeming =
  | { readonly result: 'redeemed'; readonly redemption: Redemption }
  /** This one, or another of the same withdrawal. */
  | { readonly result: 'redeemed_before'; readonly redemption: Redemption }
  | { readonly result: 'expired' | 'withdrawn' | 'unknown' };

interface Row extends Record<string, unknown> {
  /** `behind`: there is a later decision than that of the permit. */
  result: Redeeming['result'] | 'behind';
  permit_id: string | null;
  redeemed_at: Date | null;
  redemption_id: string | null;
}

export interface RedeemOptions {
  readonly token: string;
  readonly claims: PermitClaims;
  readonly redemptionId: string | undefined;
  readonly committed: Committed;
}

/** Redeems a permit, once for all permits of its withdrawal; see `gate.redeem`. When this rejects it is not known whether it was redeemed. */
export async function redeemPermit(pool: Pool, options: RedeemOptions): Promise<Redeeming> {
  const { token, claims, redemptionId, committed } = options;
  const given = [claims.jti, claims.sub, token, claims.exp, redemptionId ?? null];
  // One statement, for many may come at once.
  const first = await redeem(pool, prepared('SELECT * FROM gate.redeem_latest($1, $2, $3, $4, $5, $6, $7)'), [
    ...given,
    claims.revision,
    decisionEvent(claims.sub, claims.revision + 1),
  ]);
  if (first.result !== 'behind') return outcomeOf(first);
  const second = await transaction(pool, async (tx) => {
    const { rows } = await tx.query<{ revision: number }>(
      prepared('SELECT revision FROM gate.withdrawals WHERE withdrawal_id = $1 FOR UPDATE'),
      [claims.sub],
    );
    await applyCommitted(tx, committed, claims.sub, rows[0]?.revision ?? claims.revision);
    return redeem(tx, prepared('SELECT * FROM gate.redeem($1, $2, $3, $4, $5)'), given);
  });
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
  if (result === 'behind') throw new TypeError('gate.redeem looks at no decisions');
  if (result !== 'redeemed' && result !== 'redeemed_before') return { result };
  const redemption = redemptionOf(row);
  if (redemption === undefined) throw new TypeError('gate.redeem said redeemed, and not when');
  return { result, redemption };
}
