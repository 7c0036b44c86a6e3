import type { ScreeningRequested } from '@weir/contracts';
import { type Pool, prepared, type Queryable, transaction } from '@weir/postgres';
import { type FactsOf, lookupDirection } from './facts.ts';
import { type Finished, laneNumber } from './lookups.ts';
import type { Result } from './result.ts';
import type { Scoring } from './scored-event.ts';

/** The part of a result that is compared. */
export interface Compared {
  readonly provider: string;
  readonly outcome: Result['outcome'];
  readonly score: number | null;
  readonly risk_level: Result['risk_level'];
  /** Risk types of all exposures, each once, sorted. */
  readonly categories: readonly string[];
}

function comparedOf({ provider, outcome, score, risk_level, risk_detail }: Result): Compared {
  return { provider, outcome, score, risk_level, categories: [...new Set(risk_detail.map(({ risk_type }) => risk_type))].toSorted() };
}

/** Asks the second provider the same questions, in the transaction that publishes the first one's answers. */
export async function askShadow(tx: Queryable, scorings: readonly Scoring[], factsOf: FactsOf): Promise<void> {
  const asked = scorings.filter(({ result }) => result.outcome === 'SCORED' || result.outcome === 'NO_DATA');
  if (asked.length === 0) return;
  const direction = (request: ScreeningRequested): string => lookupDirection(request.direction, factsOf(request), { isShadow: true });
  const rows = asked.map(({ request, sequence, result }) => ({ request, sequence, result, direction: direction(request) }));
  await tx.query(
    prepared(`WITH asked AS (
       SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::smallint[], $7::jsonb[], $8::uuid[], $9::int[], $10::int[], $11::jsonb[])
         AS u(chain, subject, direction, subject_type, coin, lane, facts, screening_id, attempt, sequence, first)),
     opened AS (
       INSERT INTO scoring.lookups AS l (chain, subject, direction, subject_type, coin, lane, facts, is_shadow, next_at)
       SELECT DISTINCT ON (chain, subject, direction) chain, subject, direction, subject_type, coin, lane, facts, true, now() FROM asked
       ORDER BY chain, subject, direction, lane
       ON CONFLICT (chain, subject, direction) DO UPDATE SET lane = least(l.lane, excluded.lane)
       RETURNING lookup_id, chain, subject, direction)
     INSERT INTO scoring.comparisons (screening_id, attempt, sequence, lookup_id, first)
     SELECT a.screening_id, a.attempt, a.sequence, o.lookup_id, a.first FROM asked a JOIN opened o USING (chain, subject, direction)
     ON CONFLICT DO NOTHING`),
    [
      rows.map(({ request }) => request.chain),
      rows.map(({ request }) => request.subject),
      rows.map((row) => row.direction),
      rows.map(({ request }) => request.subject_type),
      rows.map(({ request }) => request.coin),
      rows.map(({ request }) => laneNumber[request.lane]),
      rows.map(({ request }) => JSON.stringify(factsOf(request))),
      rows.map(({ request }) => request.screening_id),
      rows.map(({ request }) => request.attempt),
      rows.map(({ sequence }) => sequence),
      rows.map(({ result }) => JSON.stringify(comparedOf(result))),
    ],
  );
}

export interface Comparison {
  readonly first: Compared;
  readonly second: Compared;
}

/** Stores the second provider's answers beside the first one's, and closes their lookups. Returns the comparisons. */
export async function storeShadow(pool: Pool, finished: readonly Finished[]): Promise<Comparison[]> {
  return transaction(pool, async (tx) => {
    const ids = finished.map(({ lookup }) => String(lookup.id));
    const { rows: own } = await tx.query<{ lookup_id: bigint }>(
      prepared(`DELETE FROM scoring.lookups l USING unnest($1::int8[], $2::text[]) AS u(id, owner)
       WHERE l.lookup_id = u.id AND l.owner = u.owner AND l.is_shadow RETURNING l.lookup_id`),
      [ids, finished.map(({ lookup }) => lookup.owner)],
    );
    const mine = new Set(own.map(({ lookup_id }) => lookup_id));
    const ended = finished.filter(({ lookup }) => mine.has(lookup.id));
    const { rows } = await tx.query<{ first: Compared; second: Compared }>(
      prepared(`UPDATE scoring.comparisons c SET second = u.second FROM unnest($1::int8[], $2::jsonb[]) AS u(id, second)
       WHERE c.lookup_id = u.id AND c.second IS NULL RETURNING c.first, c.second`),
      [ended.map(({ lookup }) => String(lookup.id)), ended.map(({ result }) => JSON.stringify(comparedOf(result)))],
    );
    return rows;
  });
}

/** A second provider that does not answer must not leave questions behind for ever. */
const patience = "interval '1 hour'";
const kept = "interval '90 days'";

export async function trimShadow(pool: Pool): Promise<void> {
  await pool.query(
    prepared(`DELETE FROM scoring.lookups l WHERE l.is_shadow AND l.owner IS NULL
       AND NOT EXISTS (SELECT FROM scoring.comparisons c WHERE c.lookup_id = l.lookup_id AND c.second IS NULL AND c.asked_at > now() - ${patience})`),
  );
  await pool.query(prepared(`DELETE FROM scoring.comparisons WHERE asked_at < now() - ${kept}`));
}

/** The level, or the outcome where there is none. */
export function standingOf({ outcome, risk_level }: Compared): string {
  return risk_level ?? outcome;
}

export interface Agreement {
  readonly compared: number;
  /** Asked, and not answered by the second provider. */
  readonly unanswered: number;
  /** Same level, or the same outcome without one. */
  readonly same_level: number;
  readonly levels: readonly { readonly first: string; readonly second: string; readonly count: number }[];
  /** Of each risk type, how many results name it. */
  readonly categories: readonly {
    readonly category: string;
    readonly both: number;
    readonly first_only: number;
    readonly second_only: number;
  }[];
}

export interface Disagreement extends Comparison {
  readonly screening_id: string;
  readonly asked_at: Date;
}

/** How far the two providers agree since a time, by level and by category. */
export async function agreementSince(pool: Pool, since: Date): Promise<Agreement> {
  const standing = (of: string): string => `coalesce(${of} ->> 'risk_level', ${of} ->> 'outcome')`;
  const [counts, levels, categories] = await Promise.all([
    pool.query<{ compared: number; unanswered: number }>(
      `SELECT count(second)::int AS compared, (count(*) - count(second))::int AS unanswered FROM scoring.comparisons WHERE asked_at >= $1`,
      [since],
    ),
    pool.query<{ first: string; second: string; count: number }>(
      `SELECT ${standing('first')} AS first, ${standing('second')} AS second, count(*)::int AS count FROM scoring.comparisons
       WHERE asked_at >= $1 AND second IS NOT NULL GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2`,
      [since],
    ),
    pool.query<{ category: string; both: number; first_only: number; second_only: number }>(
      `SELECT n.category, (count(*) FILTER (WHERE a.f AND a.s))::int AS both, (count(*) FILTER (WHERE a.f AND NOT a.s))::int AS first_only,
         (count(*) FILTER (WHERE a.s AND NOT a.f))::int AS second_only
       FROM scoring.comparisons c
       CROSS JOIN LATERAL (SELECT DISTINCT jsonb_array_elements_text((c.first -> 'categories') || (c.second -> 'categories')) AS category) n
       CROSS JOIN LATERAL (SELECT c.first -> 'categories' ? n.category AS f, c.second -> 'categories' ? n.category AS s) a
       WHERE c.asked_at >= $1 AND c.second IS NOT NULL GROUP BY 1 ORDER BY 1`,
      [since],
    ),
  ]);
  const { compared, unanswered } = counts.rows[0] ?? { compared: 0, unanswered: 0 };
  const same_level = levels.rows.reduce((sum, row) => sum + (row.first === row.second ? row.count : 0), 0);
  return { compared, unanswered, same_level, levels: levels.rows, categories: categories.rows };
}

/** Results in which level or categories differ, newest first. */
export async function disagreementsSince(pool: Pool, since: Date, limit: number): Promise<Disagreement[]> {
  const { rows } = await pool.query<{ screening_id: string; asked_at: Date; first: Compared; second: Compared }>(
    `SELECT screening_id, asked_at, first, second FROM scoring.comparisons WHERE asked_at >= $1 AND second IS NOT NULL
       AND (coalesce(first ->> 'risk_level', first ->> 'outcome') <> coalesce(second ->> 'risk_level', second ->> 'outcome')
         OR first -> 'categories' <> second -> 'categories')
     ORDER BY asked_at DESC, screening_id LIMIT $2`,
    [since, limit],
  );
  return rows;
}
