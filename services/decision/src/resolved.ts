import type { Action, Exposure, Outcome, ReviewResolved, RiskLevel, ScreeningDecided, Transfer } from '@weir/contracts';
import { PoisonRecord } from '@weir/event-log';
import type { Queryable } from '@weir/postgres';
import {
  findResolutions,
  namesSanctioned,
  type ReviewSettings,
  type ReviewState,
  reviewStateOf,
  type StoredResolution,
  whyNotApplicable,
  whyNotStored,
} from '@weir/reviews';

/** What was known when people decided: of the last decision of the policy. */
interface KnownResult {
  readonly outcome: Outcome;
  readonly score: number | null;
  readonly risk_level: RiskLevel | null;
}

const nothing: KnownResult = { outcome: 'UNAVAILABLE', score: null, risk_level: null };

/** All that the verification of resolutions reads. */
export interface ReviewRecords {
  /** As the console stored them, by id. */
  readonly resolutions: ReadonlyMap<string, StoredResolution>;
  readonly earlier: ReadonlyMap<string, readonly StoredDecision[]>;
}

/** A decision of a screening that people resolve. */
interface StoredDecision extends Record<string, unknown> {
  readonly screening_id: string;
  readonly revision: number;
  readonly action: Action;
  readonly by_person: boolean;
  readonly reason_codes: readonly string[] | null;
  /** Null for a decision by people. */
  readonly outcome: Outcome | null;
  readonly score: number | null;
  readonly risk_level: RiskLevel | null;
  readonly reasons: readonly string[] | null;
  readonly risk_detail: readonly Exposure[] | null;
}

/** To be read under the locks of the screenings' rows. */
export async function readReviews(tx: Queryable, events: readonly ReviewResolved[]): Promise<ReviewRecords> {
  if (events.length === 0) return { resolutions: new Map(), earlier: new Map() };
  const resolutions = await findResolutions(
    tx,
    events.map((event) => event.resolution_id),
  );
  const { rows } = await tx.query<StoredDecision>(
    `SELECT screening_id, revision, action, cause LIKE 'resolved/%' AS by_person, reason_codes, evidence->>'outcome' AS outcome, (evidence->>'score')::int AS score,
       evidence->>'risk_level' AS risk_level, evidence->'reasons' AS reasons, evidence->'risk_detail' AS risk_detail
     FROM decision.decisions WHERE screening_id = ANY($1::uuid[]) ORDER BY screening_id, revision`,
    [events.map((event) => event.screening_id)],
  );
  return { resolutions, earlier: Map.groupBy(rows, (row) => row.screening_id) };
}

/**
 * Anybody who can write to the topic can send a resolution, so it counts only when the console has stored it, word for word. Throws `PoisonRecord`
 * for any other: no repeat helps, and it must be seen.
 */
export function requireStored(event: ReviewResolved, { resolutions }: ReviewRecords): StoredResolution {
  const stored = resolutions.get(event.resolution_id);
  const problem = whyNotStored(event, stored);
  if (problem !== undefined || stored === undefined) throw new PoisonRecord(problem?.reason ?? 'UNKNOWN_RESOLUTION', problem?.detail ?? '');
  return stored;
}

/**
 * Whether a resolution is of the revision in force. One of an earlier revision is superseded, and changes nothing. Throws `PoisonRecord`
 * for one of a revision that does not exist.
 */
export function isOfLatest(resolution: ReviewResolved, revision: number | undefined): boolean {
  if (revision === undefined || resolution.revision > revision) {
    throw new PoisonRecord('UNKNOWN_REVISION', 'it resolves a revision that there is not');
  }
  return resolution.revision === revision;
}

/** The rules of reviews, applied to what decision itself has stored. Throws `PoisonRecord` where they do not allow it. */
export function requireApplicable(
  stored: StoredResolution,
  transfer: Transfer,
  { earlier }: ReviewRecords,
  settings: ReviewSettings,
): void {
  const problem = whyNotApplicable(stored, stateOf(transfer, earlier.get(stored.screening_id) ?? []), settings);
  if (problem !== undefined) throw new PoisonRecord(problem.reason, problem.detail);
}

function stateOf(transfer: Transfer, decisions: readonly StoredDecision[]): ReviewState {
  const earlier = decisions.map((decision) => ({
    revision: decision.revision,
    action: decision.action,
    byPeople: decision.by_person,
    reasonCodes: decision.reason_codes ?? [],
    namesSanctioned: namesSanctioned([...(decision.reason_codes ?? []), ...(decision.reasons ?? [])], decision.risk_detail ?? []),
  }));
  // That a late result is adverse is the console's word. To allow once more takes two people.
  return reviewStateOf(earlier, transfer.usd_value, { isAdverse: earlier.at(-1)?.byPeople === true, namesSanctioned: false });
}

/** The revision that follows from what people resolved. `policyHash` is in force meanwhile; it had no part in it. */
export function decidedByPeople(
  resolution: ReviewResolved,
  row: { readonly transfer: Transfer; readonly requested_at: number },
  { earlier }: ReviewRecords,
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
    ...knownResult(earlier.get(resolution.screening_id) ?? []),
    requested_at: row.requested_at,
    decided_at: decidedAt,
    transfer: row.transfer,
    history: [],
    resolution_id: resolution.resolution_id,
    names_sanctioned: false,
  };
}

function knownResult(decisions: readonly StoredDecision[]): KnownResult {
  for (const { outcome, score, risk_level } of decisions.toReversed()) {
    if (outcome !== null) return { outcome, score, risk_level };
  }
  return nothing;
}
