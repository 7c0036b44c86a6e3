import type { Queryable } from '@weir/postgres';

export interface DayPrice {
  readonly usd: string;
  /** UTC day, such as `2026-01-31`. */
  readonly day: string;
}

/**
 * The newest price of a coin up to and including that day; undefined when there is none. It is the median over imported transfers of that
 * day.
 */
export async function newestPrice(db: Queryable, coin: string, upTo: string): Promise<DayPrice | undefined> {
  const { rows } = await db.query<{ usd: string; day: string }>(
    `SELECT trim_scale((SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY value::numeric) FROM jsonb_each_text(newest.quotes)))::text AS usd, day::text AS day
     FROM (SELECT quotes, day FROM chain.prices WHERE coin = $1 AND day <= $2::date AND quotes <> '{}' ORDER BY prices.day DESC LIMIT 1) AS newest`,
    [coin, upTo],
  );
  return rows[0];
}
