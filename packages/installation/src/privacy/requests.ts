import { randomUUID } from 'node:crypto';
import { findAttachments, findCases } from '@weir/console';
import { findUndecided, latestOf } from '@weir/decision';
import { findTransfersOf } from '@weir/intake';
import { type Pool, transaction } from '@weir/postgres';
import { isSamePerson, type Person } from '@weir/reviews';
import { recordActivity } from '@weir/service-kit';
import { findPermitted } from '@weir/withdrawal-gate';
import type { Erased, Erasing } from './erase.ts';
import { appendErasure } from './journal.ts';
import { findStray } from './stray.ts';
import { finishErasure } from './unfinished.ts';

/** Why nothing is erased; the message is one line for a person. */
class ErasureRefused extends Error {
  readonly code:
    | 'NOTHING_TO_ERASE'
    | 'NOT_PROPOSED'
    | 'SAME_PERSON'
    | 'UNDECIDED'
    | 'PERMIT_OPEN'
    | 'CASE_OPEN'
    | 'MUST_BE_KEPT'
    | 'EARLY_NOT_ALLOWED';
  readonly retriable = false;

  constructor(code: ErasureRefused['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/** The rules of keeping. */
export interface KeepingRules {
  /** Days that laws against money laundering demand; 0: none. */
  readonly days: number;
  /** Whether people may erase before. */
  readonly allowsEarly: boolean;
}

/** A request to erase. */
export interface ErasureRow extends Record<string, unknown> {
  readonly erasure_id: string;
  readonly user_id: string | null;
  readonly reason: string;
  readonly is_early: boolean;
  readonly proposed_by: string;
  readonly proposed_by_name: string;
  readonly proposed_at: Date;
  readonly approved_by: string | null;
  readonly approved_by_name: string | null;
  readonly done_at: Date | null;
}

const columns = 'erasure_id, user_id, reason, is_early, proposed_by, proposed_by_name, proposed_at, approved_by, approved_by_name, done_at';
const dayMs = 86_400_000;

/** All requests, the latest first. */
export async function listErasures(pool: Pool): Promise<ErasureRow[]> {
  return (await pool.query<ErasureRow>(`SELECT ${columns} FROM access.erasures ORDER BY proposed_at DESC LIMIT 1000`)).rows;
}

export interface Proposal {
  readonly userId: string;
  readonly reason: string;
  readonly isEarly: boolean;
  readonly by: Person;
}

/** Stores the request for a second person, if it could be approved now. Rejects with `ErasureRefused`. */
export async function proposeErasure(
  pool: Pool,
  { userId, reason, isEarly, by }: Proposal,
  { rules, now }: { readonly rules: KeepingRules; readonly now: number },
): Promise<{ readonly erasureId: string; readonly screenings: number }> {
  const screenings = await requireErasable(pool, userId, { isEarly, rules, now });
  const erasureId = randomUUID();
  await transaction(pool, async (tx) => {
    await tx.query(
      'INSERT INTO access.erasures (erasure_id, user_id, reason, is_early, proposed_by, proposed_by_name) VALUES ($1, $2, $3, $4, $5, $6)',
      [erasureId, userId, reason, isEarly, by.id, by.name],
    );
    // The log keeps activities, so it must not have the customer.
    const details = { reason, before_retention_ends: String(isEarly) };
    await recordActivity(tx, { action: 'erasure_proposed', subjectType: 'erasure', subject: erasureId, by, details, at: now });
  });
  return { erasureId, screenings: screenings.length };
}

/**
 * Erases as the second person. The same person may repeat it after an interruption. Rejects with `ErasureRefused`. If the journal cannot be
 * written it rejects with the error of the file system, and nothing is approved.
 */
export async function approveErasure(
  of: Erasing,
  { start, by }: { readonly start: string; readonly by: Person },
  { rules, journal }: { readonly rules: KeepingRules; readonly journal: string },
): Promise<Erased & { readonly erasureId: string; readonly attachments: readonly string[] }> {
  const { pool, clock } = of;
  const { rows } = await pool.query<ErasureRow>(
    `SELECT ${columns} FROM access.erasures WHERE erasure_id::text LIKE $1 || '%' AND done_at IS NULL ORDER BY proposed_at`,
    [start],
  );
  const [found] = rows;
  if (found === undefined || found.user_id === null || rows.length > 1)
    throw new ErasureRefused('NOT_PROPOSED', `${start} is not one erasure that waits; "weir privacy list" shows them`);
  const first = { id: found.proposed_by, name: found.proposed_by_name };
  if (isSamePerson(by, first)) throw new ErasureRefused('SAME_PERSON', 'another person must approve: whoever proposed it cannot');
  const erasureId = found.erasure_id;
  const screenings = await requireErasable(pool, found.user_id, { isEarly: found.is_early, rules, now: clock.now() });
  const attachments = await findAttachments(pool, (await findCases(pool, screenings)).shared);
  const cause = { kind: 'request', reason: found.reason, proposedBy: first, approvedBy: by } as const;
  await transaction(pool, async (tx) => {
    await tx.query(
      'UPDATE access.erasures SET approved_by = $2, approved_by_name = $3, approved_at = now(), screenings = $4 WHERE erasure_id = $1',
      [erasureId, by.id, by.name, screenings],
    );
    // Before the commit: whoever finds the approval erases, and a restore must erase the same again. A repeat writes another line.
    await appendErasure(journal, { erasure_id: erasureId, approved_at: new Date(clock.now()).toISOString(), cause, screenings });
  });
  return { ...(await finishErasure(of, { erasureId, cause, screenings })), erasureId, attachments };
}

/** All screenings of the customer. */
async function requireErasable(
  pool: Pool,
  userId: string,
  { isEarly, rules, now }: { readonly isEarly: boolean; readonly rules: KeepingRules; readonly now: number },
): Promise<readonly string[]> {
  const screenings = await findTransfersOf(pool, userId);
  // Nothing was decided on these, so nothing demands to keep them.
  const stray = await findStray(pool, { userId });
  if (screenings.length + stray.length === 0)
    throw new ErasureRefused('NOTHING_TO_ERASE', 'there are no transfers of this customer, or they are erased');
  const [undecided] = await findUndecided(pool, screenings);
  if (undecided !== undefined)
    throw new ErasureRefused('UNDECIDED', `screening ${undecided} of this customer waits for a decision or for people: decide it first`);
  const [permitted] = await findPermitted(pool, screenings);
  if (permitted !== undefined)
    throw new ErasureRefused('PERMIT_OPEN', `the permit of screening ${permitted} can still be redeemed: try again once it has expired`);
  const [open] = (await findCases(pool, screenings)).open;
  if (open !== undefined) throw new ErasureRefused('CASE_OPEN', `case ${open} has transfers of this customer and is open: close it first`);
  if (isEarly && !rules.allowsEarly)
    throw new ErasureRefused(
      'EARLY_NOT_ALLOWED',
      'WEIR_PRIVACY_EARLY_ERASURE does not allow to erase before the time of keeping has ended',
    );
  const latest = await latestOf(pool, screenings);
  const until = (latest?.getTime() ?? 0) + rules.days * dayMs;
  if (until > now && !isEarly)
    throw new ErasureRefused(
      'MUST_BE_KEPT',
      `records of this customer must be kept until ${new Date(until).toISOString().slice(0, 10)} (WEIR_RETENTION_DECISIONS_DAYS after the last transfer or decision; AMLR article 77, GDPR article 17(3)(b)); see docs/privacy.md`,
    );
  return [...screenings, ...stray];
}
