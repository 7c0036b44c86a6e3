import { eventId } from '@weir/contracts';
import type { Queryable } from '@weir/postgres';
import type { Person } from '@weir/reviews';
import type { Described } from '@weir/service-kit';
import type { reviewPlan } from './view.ts';

/** Notes, assignment and due time of a review. Every function returns undefined for an unknown screening. */

/** The same text by the same person is a repeat. */
export async function addNote(
  db: Queryable,
  note: { screeningId: string; text: string; by: Person; now: number },
): Promise<{ noteId: string; isNew: boolean } | undefined> {
  const { screeningId, text, by, now } = note;
  const noteId = eventId('note', screeningId, by.id, text);
  const { rows } = await db.query<{ added: number }>(
    `WITH found AS (SELECT screening_id FROM console.screenings WHERE screening_id = $2),
     added AS (
       INSERT INTO console.notes (note_id, screening_id, text, written_by, written_by_name, written_at)
       SELECT $1, screening_id, $3, $4, $5, $6 FROM found ON CONFLICT DO NOTHING RETURNING note_id)
     SELECT (SELECT count(*) FROM added)::int AS added FROM found`,
    [noteId, screeningId, text, by.id, by.name, new Date(now)],
  );
  return rows[0] === undefined ? undefined : { noteId, isNew: rows[0].added === 1 };
}

export type ReviewPlan = Described<typeof reviewPlan>;

/** Sets one of the two and leaves the other. */
export async function setReviewPlan(
  db: Queryable,
  screeningId: string,
  change: { readonly assignee: string | null } | { readonly dueAt: Date | null },
): Promise<ReviewPlan | undefined> {
  const [column, value] = 'assignee' in change ? (['assignee', change.assignee] as const) : (['due_at', change.dueAt] as const);
  const { rows } = await db.query<{ assignee: string | null; due_at: Date | null }>(
    `INSERT INTO console.reviews (screening_id, ${column}) SELECT screening_id, $2 FROM console.screenings WHERE screening_id = $1
     ON CONFLICT (screening_id) DO UPDATE SET ${column} = excluded.${column} RETURNING assignee, due_at`,
    [screeningId, value],
  );
  const [row] = rows;
  return row === undefined ? undefined : { assignee: row.assignee, due_at: row.due_at?.toISOString() ?? null };
}
