import { type Chain, hasInputs, nobodiesOf } from '@weir/chains';
import type { Queryable } from '@weir/postgres';
import type { Movement } from '@weir/risk-engine';

const maxTransactions = 2_000;
/** A transaction with more pays out to everybody. */
const maxMovements = 1_000;

interface Row extends Omit<Movement, 'at' | 'coin_join'> {
  readonly at: Date;
  readonly coin_join: boolean;
  readonly [column: string]: unknown;
}

/** The transfers of which sums consist. $4: whether the chain has CoinJoins. OFFSET 0: one by index, not all CoinJoins at once. */
const statement = `
  SELECT t.at, t.txid AS tx, t.position, t.from_address AS "from", t.to_address AS "to", t.usd::float8, t.coin, t.amount::text,
    $4 AND EXISTS (SELECT FROM chain.coin_joins j WHERE j.txid = t.txid AND j.chain = $1 OFFSET 0) AS coin_join
  FROM unnest($3::text[]) AS u (txid) CROSS JOIN LATERAL (
    SELECT * FROM chain.transfers t
    WHERE hashtextextended(t.txid, 0) = hashtextextended(u.txid COLLATE "C", 0) AND t.txid = u.txid AND t.chain = $1
      AND t.dealing AND t.from_address <> t.to_address AND t.from_address <> ALL ($2::text[]) AND t.to_address <> ALL ($2::text[])
    LIMIT ${maxMovements + 1}) t`;

export async function movementsIn(db: Queryable, chain: Chain, txids: readonly string[]): Promise<Map<string, Movement[]>> {
  if (txids.length > maxTransactions) throw new RangeError(`at most ${maxTransactions} transactions a call, not ${txids.length}`);
  if (txids.length === 0) return new Map();
  const { rows } = await db.query<Row>(statement, [chain, nobodiesOf(chain), [...new Set(txids)], hasInputs(chain)]);
  const found = Map.groupBy(rows.map(movementOf), ({ tx }) => tx);
  return new Map([...found].filter(([, movements]) => movements.length <= maxMovements));
}

function movementOf({ at, coin_join, ...rest }: Row): Movement {
  return { at: at.getTime(), ...rest, ...(coin_join ? { coin_join } : {}) };
}
