import type { Lane, ReasonCode, ScreeningRequested } from '@weir/contracts';
import { prepared, transaction } from '@weir/postgres';
import { type Result, withoutLevel } from './result.ts';
import { type ScoredDeps, storeScored, type StoredScorings } from './store-scored.ts';
import { questionsOf } from './unknown-transaction.ts';

/** Holds up to `limit` screenings whose deadline has passed. `lastError`: the present error per lane. */
export async function expire(
  deps: ScoredDeps,
  options: { now: number; limit: number; lastError(lane: Lane): ReasonCode | undefined },
): Promise<StoredScorings> {
  return deps.prices.provide((findPrices) =>
    transaction(deps.pool, async (tx) => {
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
      return storeScored(tx, deps, late, options.now, findPrices);
    }),
  );
}
