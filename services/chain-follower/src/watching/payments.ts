import type { Chain } from '@weir/chains';
import type { Queryable } from '@weir/postgres';
import type { Sighting } from './sightings.ts';

/**
 * Stores each payment with the withdrawal that allows it: one of the same chain, coin, receiver and amount, whose permit is redeemed and
 * which no other payment has. Returns those without one. One by one, because equal payments need a withdrawal each.
 */
export async function storePayments(tx: Queryable, chain: Chain, payments: readonly Sighting[]): Promise<readonly Sighting[]> {
  const unmatched: Sighting[] = [];
  for (const payment of payments) {
    const { txid, position, from, to, coin, amount, time } = payment;
    const { rows } = await tx.query<{ withdrawal: string | null }>(
      `INSERT INTO chain.watched_payments (chain, txid, position, from_address, to_address, coin, amount, at, withdrawal_id)
       VALUES ($1, $2, $3, $4, $5, $6, $7::numeric, $8, (
         SELECT withdrawal_id FROM gate.redeemed_terms t
         WHERE t.to_address = $5 AND t.chain = $1 AND t.coin = $6 AND t.amount = $7::numeric
           AND NOT EXISTS (SELECT FROM chain.watched_payments p WHERE p.withdrawal_id = t.withdrawal_id)
         ORDER BY redeemed_at LIMIT 1))
       ON CONFLICT (chain, txid, position, to_address) DO NOTHING RETURNING withdrawal_id AS withdrawal`,
      [chain, txid, position, [...from].toSorted().join(' '), to, coin, amount, time],
    );
    if (rows[0]?.withdrawal === null) unmatched.push(payment);
  }
  return unmatched;
}
