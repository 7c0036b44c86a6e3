import type { Outcome, ReviewResolved, RiskLevel, ScreeningDecided, Transfer } from '@weir/contracts';
import { PoisonRecord } from '@weir/event-log';
import type { Queryable } from '@weir/postgres';

/** What was known when people decided: of the last decision of the policy. */
export interface KnownResult {
  readonly outcome: Outcome;
  readonly score: number | null;
  readonly risk_level: RiskLevel | null;
}

const nothing: KnownResult = { outcome: 'UNAVAILABLE', score: null, risk_level: null };

/** By screening. To be read under the rows' locks. */
export async function knownResults(tx: Queryable, screeningIds: readonly string[]): Promise<Map<string, KnownResult>> {
  if (screeningIds.length === 0) return new Map();
  const { rows } = await tx.query<KnownResult & { screening_id: string; [name: string]: unknown }>(
    `SELECT DISTINCT ON (screening_id) screening_id, evidence->>'outcome' AS outcome, (evidence->>'score')::int AS score, evidence->>'risk_level' AS risk_level
     FROM decision.decisions WHERE screening_id = ANY($1::uuid[]) AND evidence IS NOT NULL ORDER BY screening_id, revision DESC`,
    [screeningIds],
  );
  return new Map(rows.map(({ screening_id, outcome, score, risk_level }) => [screening_id, { outcome, score, risk_level }]));
}

/**
 * Whether a resolution is of the revision that is in force. One of an earlier revision was overtaken, and changes nothing. Throws `PoisonRecord`
 * for one of a revision that there has never been: no repeat helps, and it must be seen.
 */
export function isOfLatest(resolution: ReviewResolved, revision: number | undefined): boolean {
  if (revision === undefined || resolution.revision > revision) {
    throw new PoisonRecord('UNKNOWN_REVISION', 'it resolves a revision that there is not');
  }
  return resolution.revision === revision;
}

/** The revision that follows from what people resolved. `policyHash` is in force meanwhile; it had no part in it. */
export function decidedByPeople(
  resolution: ReviewResolved,
  row: { readonly transfer: Transfer; readonly requested_at: number },
  known: KnownResult = nothing,
  { policyHash, decidedAt }: { policyHash: string; decidedAt: number },
): ScreeningDecided {
  return {
    screening_id: resolution.screening_id,
    revision: resolution.revision + 1,
    kind: row.transfer.kind,
    action: resolution.action,
    reason_codes: ['REVIEWED'],
    rule: null,
    policy_hash: policyHash,
    shadow: null,
    shadow_policy_hash: null,
    supersedes: resolution.revision,
    ...known,
    requested_at: row.requested_at,
    decided_at: decidedAt,
    transfer: row.transfer,
    history: [],
    resolution_id: resolution.resolution_id,
  };
}
