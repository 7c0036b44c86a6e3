import type { Queryable } from '@weir/postgres';

/** A price of one whole coin. */
export interface DayPrice {
  /** Decimal string. */
  readonly usd: string;
  /** UTC day, such as `2026-01-31`. */
  readonly day: string;
}

/** The newest price of a coin up to and including that day, undefined when there is none. It comes from imported transfers of known value. */
export async function newestPrice(db: Queryable, coin: string, upTo: string): Promise<DayPrice | undefined> {
  const { rows } = await db.query<{ usd: string; day: string }>(
    `SELECT trim_scale(round(usd / amount, 18))::text AS usd, day::text AS day FROM chain.prices
     WHERE coin = $1 AND day <= $2::date AND amount > 0 AND usd > 0 ORDER BY prices.day DESC LIMIT 1`,
    [coin, upTo],
  );
  return rows[0];
}
