import type { PermitClaims } from '@weir/permit';
import type { Queryable } from '@weir/postgres';
import { type Redemption, redemptionOf } from './look.ts';

/** What came of redeeming a permit that the gate has signed. */
export type Redeeming =
  | { readonly result: 'redeemed'; readonly redemption: Redemption }
  /** This one, or another of the same withdrawal. */
  | { readonly result: 'redeemed_before'; readonly redemption: Redemption }
  | { readonly result: 'expired' | 'withdrawn' | 'unknown' };

interface Row extends Record<string, unknown> {
  result: Redeeming['result'];
  permit_id: string | null;
  redeemed_at: Date | null;
  redemption_id: string | null;
}

/** Redeems a permit, once for all permits of its withdrawal; see `gate.redeem`. When this rejects it is not known whether it was redeemed. */
export async function redeemPermit(
  db: Queryable,
  options: { token: string; claims: PermitClaims; redemptionId: string | undefined },
): Promise<Redeeming> {
  const { token, claims, redemptionId } = options;
  const { rows } = await db.query<Row>('SELECT * FROM gate.redeem($1, $2, $3, $4, $5)', [
    claims.jti,
    claims.sub,
    token,
    claims.exp,
    redemptionId ?? null,
  ]);
  const [row] = rows;
  if (row === undefined) throw new TypeError('gate.redeem said nothing');
  if (row.result !== 'redeemed' && row.result !== 'redeemed_before') return { result: row.result };
  const redemption = redemptionOf(row);
  if (redemption === undefined) throw new TypeError('gate.redeem said redeemed, and not when');
  return { result: row.result, redemption };
}
