import { eventId } from '@weir/contracts';
import { type Pool, type Queryable, transaction } from '@weir/postgres';
import type { Person } from '@weir/reviews';
import { recordActivity, weir } from '@weir/service-kit';
import { type Assigning, type Reassigned, reassigned } from '../reviews/assignment.ts';
import { findCaseView } from './query.ts';
import type { CaseView } from './view.ts';

/** A person and the case that he acts on. `now`: Unix milliseconds. */
export interface CaseAct {
  readonly caseId: string;
  readonly by: Person;
  readonly now: number;
}

/** The same text by the same person is a repeat. Undefined: there is no such case. */
export function addCaseNote(pool: Pool, act: CaseAct & { text: string }): Promise<{ noteId: string; isNew: boolean } | undefined> {
  const { caseId, by, now, text } = act;
  const noteId = eventId('case-note', caseId, by.id, text);
  return transaction(pool, async (tx) => {
    if ((await lockCase(tx, caseId)) === undefined) return undefined;
    const { rowCount } = await tx.query(
      `INSERT INTO console.case_notes (note_id, case_id, text, written_by, written_by_name, written_at) VALUES ($1, $2, $3, $4, $5, $6)
       ON CONFLICT DO NOTHING`,
      [noteId, caseId, text, by.id, by.name, new Date(now)],
    );
    const isNew = rowCount === 1;
    if (isNew) await recordActivity(tx, { action: 'note_added', ...subject(act), details: { note_id: noteId, text } });
    return { noteId, isNew };
  });
}

interface Plan extends Record<string, unknown> {
  readonly assignee: string | null;
  readonly due_at: Date | null;
  readonly outcome: CaseView['outcome'];
  readonly outcome_reason: string | null;
}

async function lockCase(tx: Queryable, caseId: string): Promise<Plan | undefined> {
  const { rows } = await tx.query<Plan>(
    'SELECT assignee, due_at, outcome, outcome_reason FROM console.cases WHERE case_id = $1 FOR UPDATE',
    [caseId],
  );
  return rows[0];
}

function subject({ caseId, by, now }: CaseAct) {
  return { subjectType: 'case', subject: caseId, by, at: now } as const;
}

/** The case after the change; undefined: there is none. */
export function assignCase(pool: Pool, act: CaseAct & Assigning): Promise<CaseView | Reassigned | undefined> {
  const { caseId, assignee } = act;
  return transaction(pool, async (tx) => {
    const before = await lockCase(tx, caseId);
    const taken = before && reassigned(before.assignee, act);
    if (taken !== undefined) return taken;
    if (before !== undefined && before.assignee !== assignee) {
      await tx.query('UPDATE console.cases SET assignee = $2 WHERE case_id = $1', [caseId, assignee]);
      await recordActivity(tx, { action: 'assigned', ...subject(act), details: { assignee } });
    }
    return findCaseView(tx, caseId);
  });
}

/** A later due time ends the escalation. */
export function setCaseDue(pool: Pool, act: CaseAct & { dueAt: Date | null }): Promise<CaseView | undefined> {
  const { caseId, dueAt, now } = act;
  return transaction(pool, async (tx) => {
    const before = await lockCase(tx, caseId);
    if (before !== undefined && before.due_at?.getTime() !== dueAt?.getTime()) {
      await tx.query(
        'UPDATE console.cases SET due_at = $2, escalated_at = CASE WHEN $2::timestamptz < $3 THEN escalated_at END WHERE case_id = $1',
        [caseId, dueAt, new Date(now)],
      );
      await recordActivity(tx, { action: 'due_set', ...subject(act), details: { due_at: dueAt?.toISOString() ?? null } });
    }
    return findCaseView(tx, caseId);
  });
}

/** An outcome closes the case, null opens it again. */
export function setCaseOutcome(pool: Pool, act: CaseAct & { outcome: CaseView['outcome']; reason: string }): Promise<CaseView | undefined> {
  const { caseId, by, now, outcome, reason } = act;
  return transaction(pool, async (tx) => {
    const before = await lockCase(tx, caseId);
    if (before === undefined) return undefined;
    if (before.outcome !== outcome || (outcome !== null && before.outcome_reason !== reason)) {
      await tx.query(
        `UPDATE console.cases SET outcome = $2, outcome_reason = $3, outcome_by = $4, outcome_by_name = $5, outcome_at = $6 WHERE case_id = $1`,
        outcome === null ? [caseId, null, null, null, null, null] : [caseId, outcome, reason, by.id, by.name, new Date(now)],
      );
      // A later hold of the same screening opens a case.
      await tx.query(
        `UPDATE console.case_screenings m SET revision = s.revision FROM console.screenings s
         WHERE m.case_id = $1 AND s.screening_id = m.screening_id AND m.revision <> s.revision`,
        [caseId],
      );
      await recordActivity(tx, { action: 'outcome_set', ...subject(act), details: { outcome, reason } });
    }
    return findCaseView(tx, caseId);
  });
}

/** Marks open cases past their due time, each once. Returns their number. */
export function escalateCases(pool: Pool, now: number): Promise<number> {
  return transaction(pool, async (tx) => {
    const { rows } = await tx.query<{ case_id: string; due_at: Date; assignee: string | null }>(
      `UPDATE console.cases SET escalated_at = $1 WHERE outcome IS NULL AND escalated_at IS NULL AND due_at < $1 RETURNING case_id, due_at, assignee`,
      [new Date(now)],
    );
    for (const { case_id: caseId, due_at: due, assignee } of rows) {
      const details = { due_at: due.toISOString(), assignee };
      await recordActivity(tx, { action: 'case_escalated', ...subject({ caseId, by: weir, now }), details });
    }
    return rows.length;
  });
}
