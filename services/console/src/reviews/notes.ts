import { eventId } from '@weir/contracts';
import { type Pool, transaction } from '@weir/postgres';
import type { Person } from '@weir/reviews';
import { type Described, recordActivity } from '@weir/service-kit';
import { type Assigning, type Reassigned, reassigned } from './assignment.ts';
import type { reviewPlan } from './view.ts';

/** Notes, assignment and due time of a review. Every function returns undefined for an unknown screening. */

/** The same text by the same person is a repeat. */
export async function addNote(
  pool: Pool,
  note: { screeningId: string; text: string; by: Person; now: number },
): Promise<{ noteId: string; isNew: boolean } | undefined> {
  const { screeningId, text, by, now } = note;
  const noteId = eventId('note', screeningId, by.id, text);
  return transaction(pool, async (tx) => {
    const { rows } = await tx.query<{ added: number }>(
      `WITH found AS (SELECT screening_id FROM console.screenings WHERE screening_id = $2),
       added AS (
         INSERT INTO console.notes (note_id, screening_id, text, written_by, written_by_name, written_at)
         SELECT $1, screening_id, $3, $4, $5, $6 FROM found ON CONFLICT DO NOTHING RETURNING note_id)
       SELECT (SELECT count(*) FROM added)::int AS added FROM found`,
      [noteId, screeningId, text, by.id, by.name, new Date(now)],
    );
    if (rows[0] === undefined) return undefined;
    const isNew = rows[0].added === 1;
    if (isNew)
      await recordActivity(tx, {
        action: 'note_added',
        subjectType: 'screening',
        subject: screeningId,
        by,
        details: { note_id: noteId, text },
        at: now,
      });
    return { noteId, isNew };
  });
}

export type ReviewPlan = Described<typeof reviewPlan>;

/** Sets one of the two and leaves the other. */
export async function setReviewPlan(
  pool: Pool,
  change: { screeningId: string; by: Person; now: number } & (Assigning | { readonly dueAt: Date | null }),
): Promise<ReviewPlan | Reassigned | undefined> {
  const { screeningId, by, now } = change;
  return transaction(pool, async (tx) => {
    // The projection sets due times under the same lock.
    const locked = await tx.query('SELECT FROM console.screenings WHERE screening_id = $1 FOR UPDATE', [screeningId]);
    if (locked.rows.length === 0) return undefined;
    const { rows } = await tx.query<{ assignee: string | null; due_at: Date | null; due_by_people: boolean }>(
      'SELECT assignee, due_at, due_by_people FROM console.reviews WHERE screening_id = $1',
      [screeningId],
    );
    const before = rows[0] ?? { assignee: null, due_at: null, due_by_people: false };
    const plan = { assignee: before.assignee, due_at: before.due_at?.toISOString() ?? null };
    const taken = 'assignee' in change ? reassigned(plan.assignee, change) : undefined;
    if (taken !== undefined) return taken;
    const next = 'assignee' in change ? { ...plan, assignee: change.assignee } : { ...plan, due_at: change.dueAt?.toISOString() ?? null };
    // A person may choose the time that it has by itself: then it stays.
    const dueByPeople = before.due_by_people || 'dueAt' in change;
    if (next.assignee === plan.assignee && next.due_at === plan.due_at && dueByPeople === before.due_by_people) return plan;
    await tx.query(
      `INSERT INTO console.reviews (screening_id, assignee, due_at, due_by_people) VALUES ($1, $2, $3, $4)
       ON CONFLICT (screening_id) DO UPDATE SET assignee = excluded.assignee, due_at = excluded.due_at, due_by_people = excluded.due_by_people`,
      [screeningId, next.assignee, next.due_at, dueByPeople],
    );
    const set =
      'assignee' in change
        ? ({ action: 'assigned', details: { assignee: next.assignee } } as const)
        : ({ action: 'due_set', details: { due_at: next.due_at } } as const);
    await recordActivity(tx, { ...set, subjectType: 'screening', subject: screeningId, by, at: now });
    return next;
  });
}
