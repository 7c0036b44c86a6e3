import { type Policy, toWindow } from '@weir/policy';
import type { Queryable } from '@weir/postgres';
import { mostTransfers } from './history.ts';

/** What a customer has done in one window of a policy until now. */
export interface Velocity {
  /** Its name in the policy. */
  readonly window: string;
  readonly of: 'user' | 'user_counterparty';
  /** Null: both. */
  readonly kind: 'deposit' | 'withdrawal' | null;
  readonly window_ms: number;
  /** Of `user_counterparty`: of the counterparty with the highest value. Null: more than 20,000 transfers, and the rules hold. */
  readonly count: number | null;
  readonly known_usd: string | null;
  readonly unknown_count: number | null;
  /** Rules that read the window. */
  readonly rules: readonly string[];
}

type Sums = Pick<Velocity, 'count' | 'known_usd' | 'unknown_count'>;
const uncounted: Sums = { count: null, known_usd: null, unknown_count: null };

/** Windows of the policy with what a customer has done in them. */
export async function velocityOf(db: Queryable, policy: Policy, userId: string, now: number): Promise<Velocity[]> {
  const found: Velocity[] = [];
  for (const [name, written] of Object.entries(policy.history ?? {})) {
    const window = toWindow(written);
    const { rows } = await db.query<Sums & { seen: number } & Record<string, unknown>>(
      `WITH near AS MATERIALIZED (
         SELECT counterparty_key, kind, usd_value FROM decision.transfers
         WHERE user_key = decision.history_key($1) AND occurred_at > to_timestamp($2::float8 / 1000) - $3 * interval '1 millisecond'
         ORDER BY occurred_at DESC LIMIT $4)
       SELECT s.seen, coalesce(g.count, 0) AS count, coalesce(g.known_usd, '0') AS known_usd, coalesce(g.unknown_count, 0) AS unknown_count
       FROM (SELECT count(*)::int AS seen FROM near) AS s LEFT JOIN LATERAL (
         SELECT count(*)::int AS count, trim_scale(coalesce(sum(usd_value), 0))::text AS known_usd,
           (count(*) FILTER (WHERE usd_value IS NULL))::int AS unknown_count
         FROM near WHERE ($5::text IS NULL OR kind = $5) AND NOT ($6 AND counterparty_key IS NULL)
         GROUP BY CASE WHEN $6 THEN counterparty_key END ORDER BY coalesce(sum(usd_value), 0) DESC, count(*) DESC LIMIT 1) AS g ON true`,
      [userId, now, window.window_ms, mostTransfers + 1, window.kind, window.of === 'user_counterparty'],
    );
    const { seen, ...sums } = rows[0] ?? { seen: 0, count: 0, known_usd: '0', unknown_count: 0 };
    const reads = new RegExp(`\\bhistory\\.${name}\\b`);
    const rules = (policy.rules ?? []).filter(({ when }) => reads.test(when)).map((rule) => rule.name);
    found.push({ window: name, ...window, ...(seen > mostTransfers ? uncounted : sums), rules });
  }
  return found;
}
