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

/** The result known when people decided, from the policy's last decision. */
interface KnownResult {
  readonly outcome: Outcome;
  readonly score: number | null;
  readonly risk_level: RiskLevel | null;
}

const nothing: KnownResult = { outcome: 'UNAVAILABLE', score: null, risk_level: null };

/** All records that the check of resolutions reads. */
export interface ReviewRecords {
  /** By id, as the console stored them. */
  readonly resolutions: ReadonlyMap<string, StoredResolution>;
  readonly earlier: ReadonlyMap<string, readonly StoredDecision[]>;
}

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

/** Call it under the locks of the screenings' rows. */
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
 * Anybody who can write to the topic can send a resolution, so it counts only if the console stored exactly that. Throws `PoisonRecord` for
 * any other: a retry is useless, and an operator must see it.
 */
export function requireStored(event: ReviewResolved, { resolutions }: ReviewRecords): StoredResolution {
  const stored = resolutions.get(event.resolution_id);
  const problem = whyNotStored(event, stored);
  if (problem !== undefined || stored === undefined) throw new PoisonRecord(problem?.reason ?? 'UNKNOWN_RESOLUTION', problem?.detail ?? '');
  return stored;
}

/**
 * Whether a resolution is of the revision in force. One of an earlier revision is superseded. Throws `PoisonRecord` for a revision that
 * does not exist.
 */
export function isOfLatest(resolution: ReviewResolved, revision: number | undefined): boolean {
  if (revision === undefined || resolution.revision > revision) {
    throw new PoisonRecord('UNKNOWN_REVISION', 'it resolves a revision that there is not');
  }
  return resolution.revision === revision;
}

/** Applies the review rules to the decisions stored here. Throws `PoisonRecord` if they forbid the resolution. */
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
    ...decision,
    reason_codes: decision.reason_codes ?? [],
    names_sanctioned: namesSanctioned([...(decision.reason_codes ?? []), ...(decision.reasons ?? [])], decision.risk_detail ?? []),
  }));
  // Only the console knows of an adverse update. A second allow takes two people.
  return reviewStateOf(earlier, transfer.usd_value, { isAdverse: earlier.at(-1)?.by_person === true, namesSanctioned: false });
}

/** The revision that a resolution makes. `policyHash` is only in force meanwhile. */
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
