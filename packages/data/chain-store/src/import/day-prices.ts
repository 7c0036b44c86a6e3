import { allCoins } from '@weir/chains';
import type { Queryable } from '@weir/postgres';

/** Prices kept for a day; an odd number has a median among them. */
const quotesADay = 25;
/** By key, so that import order does not matter. */
const firstOf = (quotes: string): string =>
  `(SELECT jsonb_object_agg(key, value) FROM (SELECT key, value FROM jsonb_each(${quotes}) ORDER BY key COLLATE "C" LIMIT ${quotesADay}) q)`;

const keyOf = `left(md5(concat_ws(' ', g.txid, g.position, g.from_address, g.to_address)), 16)`;

/**
 * Only coins in the table of coins ($1, $2): anybody can create a token, and each would add a row a day. Exports round values below one
 * dollar too coarsely for a price. A repeated transfer replaces its earlier price.
 */
const quotesInto = (given: string): string => `
  WITH quotes AS (
    SELECT DISTINCT ON (coin, day, key) g.coin, (g.at AT TIME ZONE 'UTC')::date AS day, trim_scale(round(g.usd / g.amount, 18))::text AS usd,
      ${keyOf} AS key
    FROM ${given} g JOIN unnest($1::text[], $2::text[]) AS k(coin, chain) ON k.coin = g.coin AND k.chain = g.chain
    WHERE g.amount > 0 AND g.usd >= 1 ORDER BY coin, day, key, g.n DESC),
  days AS (
    SELECT coin, day, jsonb_object_agg(key, usd) AS quotes
    FROM (SELECT *, row_number() OVER (PARTITION BY coin, day ORDER BY key COLLATE "C") AS place FROM quotes) q WHERE place <= ${quotesADay} GROUP BY coin, day)
  INSERT INTO chain.prices AS p (coin, day, quotes) SELECT coin, day, quotes FROM days ORDER BY 1, 2
  ON CONFLICT (coin, day) DO UPDATE SET quotes = ${firstOf('p.quotes || excluded.quotes')}
  WHERE p.quotes IS DISTINCT FROM ${firstOf('p.quotes || excluded.quotes')}`;

/** Adds the prices of transfers in the form of `pg_temp.given_transfers`. */
export async function addToPrices(tx: Queryable, given: string): Promise<void> {
  const coins = allCoins();
  await tx.query(quotesInto(given), [coins.map(({ symbol }) => symbol), coins.map(({ chain }) => chain)]);
}

/** Removes the prices of transfers in the same form. A price beyond the kept ones does not take their place. */
export async function removeFromPrices(tx: Queryable, given: string): Promise<void> {
  const gone = `
    SELECT g.coin, (g.at AT TIME ZONE 'UTC')::date AS day, array_agg(${keyOf}) AS keys
    FROM ${given} g WHERE g.amount > 0 AND g.usd >= 1 GROUP BY 1, 2`;
  await tx.query(
    `UPDATE chain.prices p SET quotes = p.quotes - gone.keys FROM (${gone}) gone WHERE p.coin = gone.coin AND p.day = gone.day`,
  );
  await tx.query(`DELETE FROM chain.prices p USING (${gone}) gone WHERE p.coin = gone.coin AND p.day = gone.day AND p.quotes = '{}'`);
}
