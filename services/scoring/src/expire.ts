import type { Lane, ReasonCode, ScreeningRequested } from '@weir/contracts';
import { prepared, type Queryable } from '@weir/postgres';
import type { Batch } from '@weir/service-kit';
import { type Result, withoutLevel } from './result.ts';
import { type ScoredDeps, type ScoredStep, scoredStep } from './scored-step.ts';
import { questionsOf } from './unknown-transaction.ts';

/** Holds up to `limit` screenings whose deadline has passed. `lastError`: the present error per lane. */
export async function expire(
  tx: Queryable,
  deps: ScoredDeps,
  options: { now: number; limit: number; batch: Batch; lastError(lane: Lane): ReasonCode | undefined },
): Promise<ScoredStep> {
  const { rows } = await tx.query<{
    request: ScreeningRequested;
    sequence: number;
    unknown_transaction: Result | null;
    lastError: ReasonCode | null;
  }>(
    prepared(`UPDATE scoring.screenings s SET state = 'held', sequence = sequence + 1
       WHERE (screening_id, attempt) IN (
         SELECT screening_id, attempt FROM scoring.screenings WHERE state = 'waiting' AND deadline_at <= now()
         ORDER BY deadline_at LIMIT $1 FOR UPDATE SKIP LOCKED)
       RETURNING request, sequence, unknown_transaction, (SELECT last_error FROM scoring.lookups l WHERE l.lookup_id = s.lookup_id) AS "lastError"`),
    [options.limit],
  );
  const late = rows.map(({ request, sequence, unknown_transaction, lastError }) => {
    const why = lastError ?? options.lastError(request.lane);
    const reasons: ReasonCode[] = why === undefined ? ['DEADLINE_PASSED'] : [why, 'DEADLINE_PASSED'];
    const result = withoutLevel('UNAVAILABLE', reasons, deps.provider);
    return { request, sequence, result, questions: questionsOf(request, unknown_transaction, result) };
  });
  return scoredStep(tx, deps, late, options.now, deps.prices.finderFor(options.batch));
}
