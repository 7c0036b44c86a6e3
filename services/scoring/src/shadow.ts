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
