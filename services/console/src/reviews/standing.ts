import type { Queryable } from '@weir/postgres';
import { namesSanctioned, reviewStateOf as judge, type ReviewState, type StoredResolution } from '@weir/reviews';
import type { Decision, Request } from '../screening-update.ts';
import type { ResultView } from '../view.ts';

/** A screening's row in the projection. */
export interface Standing extends Record<string, unknown> {
  readonly screening_id: string;
  /** 0 before the first decision. */
  readonly revision: number;
  readonly action: 'allow' | 'block' | 'review' | null;
  readonly request: Request;
  readonly result: ResultView | null;
  readonly decisions: Readonly<Record<string, Decision>>;
  /** Was allowed, but a later result is worse: a person must review it even if it is not held. */
  readonly adverse_update: boolean;
}

/** SQL for a screening `s`. Must equal the expression of the index `screenings_adverse`. */
export const adverseUpdate = 'console.adverse_update(s.action, s.revision, s.decisions, s.result)';
/** Reviews for people, resolved or not. */
export const isForPeople = `(s.action = 'review' OR ${adverseUpdate})`;
/** Of those, the ones that are not held. Must equal the condition of the index `screenings_adverse`. */
export const isAdverse = `s.action <> 'review' AND ${adverseUpdate}`;

/** A resolution with all fields for display. */
export interface Resolution extends StoredResolution {
  readonly answer_reason: string | null;
}

/** `approved`: decision has not applied it yet; `applied`: it became the next revision; `superseded`: superseded by another revision. */
export type ResolutionState = 'pending_approval' | 'approved' | 'rejected' | 'applied' | 'superseded';

/** The next revision, of which there is only one, determines the state. */
export function stateOf(resolution: Resolution, { decisions, revision }: Pick<Standing, 'decisions' | 'revision'>): ResolutionState {
  if (resolution.answer === 'rejected') return 'rejected';
  const next = decisions[String(resolution.revision + 1)];
  if (next !== undefined) return next.resolution_id === resolution.resolution_id ? 'applied' : 'superseded';
  // The projection may have a later revision before the next one. An unapproved resolution cannot have become it.
  if (resolution.answer === null && revision > resolution.revision) return 'superseded';
  return resolution.answer ?? 'pending_approval';
}

/** Input of the rules for reviews. Undefined before the first decision. */
export function reviewStateOf({ action, request, result, decisions, adverse_update }: Standing): ReviewState | undefined {
  if (action === null) return undefined;
  const earlier = Object.values(decisions).map((decision) => ({
    ...decision,
    by_person: decision.resolution_id != null,
    names_sanctioned: namesSanctioned(decision.reason_codes, []) ? true : (decision.names_sanctioned ?? null),
  }));
  return judge(earlier, request.transfer.usd_value, {
    isAdverse: adverse_update,
    namesSanctioned: namesSanctioned(result?.reasons ?? [], result?.risk_detail ?? []),
  });
}

/** Locks the screening's row until the transaction ends. Serialises resolutions, approvals and the projection. */
export async function lockStanding(tx: Queryable, screeningId: string): Promise<Standing | undefined> {
  const { rows } = await tx.query<Standing>(
    `SELECT s.screening_id, s.revision, s.action, s.request, s.result, s.decisions, ${adverseUpdate} AS adverse_update
     FROM console.screenings s WHERE s.screening_id = $1 FOR UPDATE`,
    [screeningId],
  );
  return rows[0];
}

const columns = `resolution_id, screening_id, revision, action, reason, resolved_by, resolved_by_name, resolved_at, needs_approval,
  answer, answered_by, answered_by_name, answer_reason, answered_at`;

export async function findResolution(db: Queryable, screeningId: string, resolutionId: string): Promise<Resolution | undefined> {
  const { rows } = await db.query<Resolution>(`SELECT ${columns} FROM console.resolutions WHERE screening_id = $1 AND resolution_id = $2`, [
    screeningId,
    resolutionId,
  ]);
  return rows[0];
}

/** Up to `limit` of one screening, latest first. */
export async function listResolutions(db: Queryable, screeningId: string, limit: number): Promise<Resolution[]> {
  const { rows } = await db.query<Resolution>(
    `SELECT ${columns} FROM console.resolutions WHERE screening_id = $1 ORDER BY number DESC LIMIT $2`,
    [screeningId, limit],
  );
  return rows;
}

/** The latest of each screening. */
export async function latestResolutions(db: Queryable, screeningIds: readonly string[]): Promise<Map<string, Resolution>> {
  const { rows } = await db.query<Resolution>(
    `SELECT r.* FROM unnest($1::uuid[]) AS id CROSS JOIN LATERAL (
       SELECT ${columns} FROM console.resolutions WHERE screening_id = id ORDER BY number DESC LIMIT 1) AS r`,
    [screeningIds],
  );
  return new Map(rows.map((row) => [row.screening_id, row]));
}
