import { type HistoryWindow, isSameQuestion, type ReviewResolved, type ScreeningRequested, type ScreeningScored } from '@weir/contracts';
import { PoisonRecord } from '@weir/event-log';
import type { ReviewSettings } from '@weir/reviews';
import { type Cause, causeName, isMachine, type MachineCause, type RequestCause } from './causes.ts';
import { decidedEvent } from './decided-event.ts';
import { evidenceOf, type Policies, toDecision } from './evidence.ts';
import { decidedByPeople, isOfLatest, requireApplicable, requireStored, type ReviewRecords } from './resolved.ts';
import type { Made, ScreeningRow } from './screening-store.ts';

/** Decides in order: each decision changes the row for the next cause of its screening. */
export function decideCauses(
  causes: readonly Exclude<Cause, RequestCause>[],
  of: {
    rows: ReadonlyMap<string, ScreeningRow>;
    /** Names of causes that have a decision; gains those that get one. */
    done: Set<string>;
    policies: Policies;
    history: ReadonlyMap<string, readonly HistoryWindow[]>;
    reviewed: ReviewRecords;
    reviews: ReviewSettings;
    now: number;
  },
): { made: Made[]; superseded: ReviewResolved[] } {
  const { rows, done, policies, history, reviewed, reviews, now } = of;
  const made: Made[] = [];
  const superseded: ReviewResolved[] = [];
  for (const cause of causes) {
    const id = cause.event.screening_id;
    const name = `${id}/${causeName(cause)}`;
    // A repeated resolution too: another content may come under its id.
    const resolution = cause.kind === 'resolved' ? requireStored(cause.event, reviewed) : undefined;
    const row = rows.get(id);
    if (cause.kind === 'scored' && row !== undefined) requireSameQuestion(cause.event, row);
    if (done.has(name)) continue;
    done.add(name);
    if (cause.kind === 'resolved' && (!isOfLatest(cause.event, row?.revision) || row === undefined)) {
      superseded.push(cause.event);
      continue;
    }
    if (resolution !== undefined && row !== undefined) requireApplicable(resolution, row.transfer, reviewed, reviews);
    if (row === undefined || (isMachine(cause) && !supersedes(cause, row))) continue;
    made.push(decideOne({ cause, row, policies, history: history.get(id) ?? [], reviewed, now }));
    row.revision += 1;
    row.action = made.at(-1)?.decided.action ?? null;
    row.by_person = cause.kind === 'resolved';
    if (cause.kind === 'scored') Object.assign(row, { attempt: cause.event.attempt, sequence: cause.event.sequence });
  }
  return { made, superseded };
}

function decideOne(of: {
  cause: Cause;
  row: ScreeningRow;
  policies: Policies;
  history: readonly HistoryWindow[];
  reviewed: ReviewRecords;
  now: number;
}): Made {
  const { cause, row, policies, now } = of;
  if (cause.kind === 'resolved') {
    const decided = decidedByPeople(cause.event, row, of.reviewed, { policyHash: policies.active.hash, decidedAt: now });
    return { decided, cause: causeName(cause), event: decidedEvent(decided), evidence: null };
  }
  const evidence = evidenceOf(cause.kind === 'scored' ? cause.event : undefined, row.transfer, of.history);
  const decided = toDecision(policies, {
    screening_id: row.screening_id,
    revision: row.revision + 1,
    transfer: row.transfer,
    evidence,
    requested_at: row.requested_at,
    decided_at: now,
  });
  return { decided, cause: causeName(cause), event: decidedEvent(decided), evidence };
}

/** A later request may carry another transfer under the same id; its result says nothing about this transfer. */
function requireSameQuestion({ transfer }: ScreeningScored, row: ScreeningRow): void {
  if (!isSameQuestion(transfer, row.transfer))
    throw new PoisonRecord('CONFLICTING_TRANSFER', 'the result is about another chain or subject than the transfer of this screening');
}

function supersedes(cause: MachineCause, row: ScreeningRow): boolean {
  if (cause.kind !== 'scored') return row.revision === 0 || renews(cause.event, row);
  const { attempt, sequence } = cause.event;
  const isNewer = attempt > row.attempt || (attempt === row.attempt && sequence > row.sequence);
  if (isNewer && (renews(cause.event, row) || isTakenBack(cause.event))) return true;
  return isNewer && !row.by_person && (row.revision === 0 || addsSomething(cause.event));
}

/** Whether it replaces an expired allow: one by people too, and by a result without a level too, which holds. */
function renews({ renews_revision }: ScreeningScored | ScreeningRequested, { revision, action }: ScreeningRow): boolean {
  return action === 'allow' && renews_revision === revision;
}

/** The money is gone from the chain, whoever allowed it. */
function isTakenBack({ reasons }: ScreeningScored): boolean {
  return reasons.includes('TAKEN_BACK');
}

/**
 * Whether a result may change an existing decision. A failed lookup may not, nor a re-screening without a level or `NO_DATA`: a decision
 * on a level is not held because the API fails now. A local sanctions match always counts.
 */
function addsSomething({ attempt, outcome, risk_level, reasons }: ScreeningScored): boolean {
  if (reasons.includes('LOCAL_SANCTIONS_MATCH')) return true;
  if (attempt === 1) return outcome !== 'UNAVAILABLE';
  return outcome === 'NO_DATA' || (outcome === 'SCORED' && risk_level !== null);
}
