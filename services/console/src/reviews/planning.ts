import { admission, type Operation, operation, personOf } from '@weir/service-kit';
import type { Context } from 'hono';
import { z } from 'zod';
import { screeningSegment } from '../parameters.ts';
import { idOf, keepers, notFound, type ReviewApiOptions, tag } from './api.ts';
import { type Assigning, reassignedProblem, refuseReassigned } from './assignment.ts';
import { bodies } from './body.ts';
import { addNote, setReviewPlan } from './notes.ts';
import { refuse } from './refuse.ts';
import { reviewPlan } from './view.ts';

const added = z.strictObject({ note_id: z.guid() });
const addedExample = { note_id: '3f2b6a0e-6a1d-5c7e-9b43-2d8e4f5a6b7c' };
const planExample = { assignee: 'Reviewer', due_at: '2026-02-01T09:00:00.000Z' };

/** Notes, assignees and due times: they decide nothing. */
export function planOperations({ db, access, clock }: ReviewApiOptions): readonly Operation[] {
  const note = operation({
    name: 'add_note',
    method: 'POST',
    path: '/v1/reviews/{screening_id}/notes',
    tag,
    summary: 'Adds a note.',
    admission: admission(access, keepers),
    segments: screeningSegment,
    problems: notFound,
    body: { schema: bodies.note, what: 'a note', example: { text: 'Asked the customer for a statement.' } },
    answers: [
      { status: 201, description: 'Added.', schema: added, example: addedExample },
      { status: 200, description: 'The same person has written the same before.', schema: added, example: addedExample },
    ],
    repeats: 'The same text of the same person is one note.',
    respond: async (c, { body: { text } }) => {
      const screeningId = idOf(c);
      const given = { text, by: personOf(c.get('caller')), now: clock.now() };
      const stored = screeningId === undefined ? undefined : await addNote(db, { screeningId, ...given });
      if (stored === undefined) return refuse(c, { code: 'NOT_FOUND' });
      return c.json({ note_id: stored.noteId }, stored.isNew ? 201 : 200);
    },
  });
  const answer = async (c: Context, change: Assigning | { dueAt: Date | null }): Promise<Response> => {
    const screeningId = idOf(c);
    const asked = { by: personOf(c.get('caller')), now: clock.now(), ...change };
    const plan = screeningId === undefined ? undefined : await setReviewPlan(db, { screeningId, ...asked });
    if (plan === undefined) return refuse(c, { code: 'NOT_FOUND' });
    return 'assignedTo' in plan ? refuseReassigned(c, plan) : c.json(plan);
  };
  const planned = {
    method: 'PUT',
    tag,
    admission: admission(access, keepers),
    segments: screeningSegment,
    problems: notFound,
    answers: [{ status: 200, description: 'The plan as it is now.', schema: reviewPlan, example: planExample }],
    repeats: 'Changes nothing.',
  } as const;
  const assign = operation({
    ...planned,
    name: 'set_assignee',
    path: '/v1/reviews/{screening_id}/assignee',
    summary: 'Assigns a review to a person, or to nobody.',
    problems: { ...notFound, ...reassignedProblem },
    body: { schema: bodies.assignee, what: 'an assignment', example: { assignee: 'Reviewer' } },
    respond: (c, { body: { assignee, expected_assignee: expected } }) => answer(c, { assignee, expected }),
  });
  const due = operation({
    ...planned,
    name: 'set_due',
    path: '/v1/reviews/{screening_id}/due',
    summary: 'Sets the time by which a review is due, or none.',
    body: { schema: bodies.due, what: 'a due time', example: { due_at: '2026-02-01T09:00:00Z' } },
    respond: (c, { body: { due_at: dueAt } }) => answer(c, { dueAt }),
  });
  return [note, assign, due];
}
