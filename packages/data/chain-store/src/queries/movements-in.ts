import { type Chain, nobodiesOf } from '@weir/chains';
import type { Queryable } from '@weir/postgres';
import type { Movement } from '@weir/risk-engine';
import { counted, movement, movementOf, type MovementRow } from './history-rows.ts';

const maxTransactions = 2_000;
/** A transaction with more pays out to everybody. */
const maxMovements = 1_000;

const statement = `
  SELECT t.at, ${movement} FROM unnest($3::text[]) AS u (txid) CROSS JOIN LATERAL (
    SELECT * FROM chain.transfers t
    WHERE hashtextextended(t.txid, 0) = hashtextextended(u.txid COLLATE "C", 0) AND t.txid = u.txid AND t.chain = $1 AND ${counted}
    LIMIT ${maxMovements + 1}) t`;

export async function movementsIn(db: Queryable, chain: Chain, txids: readonly string[]): Promise<Map<string, Movement[]>> {
  if (txids.length > maxTransactions) throw new RangeError(`at most ${maxTransactions} transactions a call, not ${txids.length}`);
  if (txids.length === 0) return new Map();
  const { rows } = await db.query<MovementRow>(statement, [chain, nobodiesOf(chain), [...new Set(txids)]]);
  const found = Map.groupBy(rows.map(movementOf), ({ tx }) => tx);
  return new Map([...found].filter(([, movements]) => movements.length <= maxMovements));
}
