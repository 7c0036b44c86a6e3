import type { Clock } from '@weir/clock';
import type { Queryable } from '@weir/postgres';
import { type Access, admission, type Operation, operation, readers, type Role } from '@weir/service-kit';
import type { Context } from 'hono';
import { z } from 'zod';
import { encodeCursor } from '../cursor.ts';
import { definedOnly, maxLimit, pageParameters, uuid } from '../parameters.ts';
import { bodies, maxNameLength, time } from './body.ts';
import type { ReviewService, Outcome } from './review-service.ts';
import { addNote, setReviewPlan } from './notes.ts';
import { personOf } from './person.ts';
import { refuse } from './refuse.ts';
import { findReview, listReviews } from './query.ts';

const resolvers: readonly Role[] = ['reviewer', 'approver'];
const approvers: readonly Role[] = ['approver'];
/** Roles for actions that allow nothing: hold again, note, assign. */
const keepers: readonly Role[] = ['reviewer', 'approver', 'admin'];

const notName = `must be a name of at most ${maxNameLength} characters, or none`;

const parameters = z.object({
  state: z.enum(['open', 'pending_approval', 'approved', 'resolved']).optional(),
  kind: z.enum(['deposit', 'withdrawal']).optional(),
  assignee: z
    .string()
    .max(maxNameLength, notName)
    .refine((value) => !/\p{Cc}/u.test(value), notName)
    .optional()
    .meta({ description: 'A name, or none.' }),
  due: z
    .union([z.literal('overdue'), time], { error: 'must be overdue, or a time (RFC 3339) before which it is due' })
    .optional()
    .meta({ description: 'overdue, or a time (RFC 3339) before which it is due.' }),
  late: z.literal('true').optional().meta({ description: 'true: a result came after the decision of people.' }),
  ...pageParameters,
});

export interface ReviewApiOptions {
  readonly db: Queryable;
  readonly access: Access;
  readonly reviewService: ReviewService;
  readonly clock: Clock;
}

/** Operations to list and resolve reviews. */
export function reviewOperations(options: ReviewApiOptions): readonly Operation[] {
  return [...readOperations(options), ...resolutionOperations(options), ...planOperations(options)];
}

function readOperations({ db, access, clock }: ReviewApiOptions): readonly Operation[] {
  const list = operation({
    name: 'list_reviews',
    method: 'GET',
    path: '/v1/reviews',
    summary: 'Lists reviews, oldest first.',
    admission: admission(access, readers),
    query: parameters,
    respond: async (c, { query: { cursor, limit, due, late, ...filter } }) => {
      const now = clock.now();
      const dueBefore = due === 'overdue' ? new Date(now) : due;
      const page = { limit: Math.min(limit, maxLimit), after: cursor, now };
      const { items, next } = await listReviews(db, definedOnly({ ...filter, dueBefore, late: late === 'true' }), page);
      c.header('cache-control', 'no-store');
      return c.json({ items, next_cursor: next === undefined ? null : encodeCursor(next) });
    },
  });
  const get = operation({
    name: 'get_review',
    method: 'GET',
    path: '/v1/reviews/{screening_id}',
    summary: 'Shows one review with its history.',
    admission: admission(access, readers),
    respond: async (c) => {
      const id = idOf(c);
      const review = id === undefined ? undefined : await findReview(db, id, clock.now());
      if (review === undefined) return refuse(c, { code: 'NOT_FOUND' });
      c.header('cache-control', 'no-store');
      return c.json(review);
    },
  });
  return [list, get];
}

/** The review rules decide on resolutions, approvals and reopenings. */
function resolutionOperations({ access, reviewService }: ReviewApiOptions): readonly Operation[] {
  const resolve = operation({
    name: 'resolve_review',
    method: 'POST',
    path: '/v1/reviews/{screening_id}/resolutions',
    summary: 'Resolves a held transfer; another person approves it.',
    admission: admission(access, resolvers),
    body: { schema: bodies.resolution, what: 'a resolution' },
    respond: (c, { body }) =>
      tell(c, 201, (screeningId) =>
        reviewService.resolve({ screeningId, ...body, revision: body.revision, by: personOf(c.get('caller')) }),
      ),
  });
  const approve = operation({
    name: 'answer_resolution',
    method: 'POST',
    path: '/v1/reviews/{screening_id}/approvals',
    summary: "Approves or rejects another person's resolution.",
    admission: admission(access, approvers),
    body: { schema: bodies.approval, what: 'an approval' },
    respond: (c, { body: { resolution_id: resolutionId, approve: isApproved, reason } }) =>
      tell(c, 200, (screeningId) =>
        reviewService.answer({
          screeningId,
          resolutionId,
          approve: isApproved,
          reason: reason ?? undefined,
          by: personOf(c.get('caller')),
        }),
      ),
  });
  const reopen = operation({
    name: 'reopen_review',
    method: 'POST',
    path: '/v1/reviews/{screening_id}/reopenings',
    summary: 'Holds a decided transfer again.',
    admission: admission(access, keepers),
    body: { schema: bodies.reopening, what: 'a reopening' },
    respond: (c, { body: { reason, revision } }) =>
      tell(c, 201, (screeningId) =>
        reviewService.resolve({ screeningId, action: 'review', reason, revision, by: personOf(c.get('caller')) }),
      ),
  });
  return [resolve, approve, reopen];
}

/** Notes, assignees and due times: they decide nothing. */
function planOperations({ db, access, clock }: ReviewApiOptions): readonly Operation[] {
  const note = operation({
    name: 'add_note',
    method: 'POST',
    path: '/v1/reviews/{screening_id}/notes',
    summary: 'Adds a note.',
    admission: admission(access, keepers),
    body: { schema: bodies.note, what: 'a note' },
    respond: async (c, { body: { text } }) => {
      const screeningId = idOf(c);
      const given = { text, by: personOf(c.get('caller')), now: clock.now() };
      const added = screeningId === undefined ? undefined : await addNote(db, { screeningId, ...given });
      if (added === undefined) return refuse(c, { code: 'NOT_FOUND' });
      return c.json({ note_id: added.noteId }, added.isNew ? 201 : 200);
    },
  });
  const assign = operation({
    name: 'set_assignee',
    method: 'PUT',
    path: '/v1/reviews/{screening_id}/assignee',
    summary: 'Assigns a review to a person, or to nobody.',
    admission: admission(access, keepers),
    body: { schema: bodies.assignee, what: 'an assignment' },
    respond: (c, { body: { assignee } }) => answerReviewPlan(c, db, { assignee }),
  });
  const due = operation({
    name: 'set_due',
    method: 'PUT',
    path: '/v1/reviews/{screening_id}/due',
    summary: 'Sets the time by which a review is due, or none.',
    admission: admission(access, keepers),
    body: { schema: bodies.due, what: 'a due time' },
    respond: (c, { body: { due_at: dueAt } }) => answerReviewPlan(c, db, { dueAt }),
  });
  return [note, assign, due];
}

async function answerReviewPlan(c: Context, db: Queryable, change: Parameters<typeof setReviewPlan>[2]): Promise<Response> {
  const id = idOf(c);
  const plan = id === undefined ? undefined : await setReviewPlan(db, id, change);
  return plan === undefined ? refuse(c, { code: 'NOT_FOUND' }) : c.json(plan);
}

function idOf(c: Context): string | undefined {
  return uuid.safeParse(c.req.param('screening_id')).data;
}

async function tell(c: Context, status: 200 | 201, work: (screeningId: string) => Promise<Outcome>): Promise<Response> {
  const id = idOf(c);
  const outcome = id === undefined ? ({ code: 'NOT_FOUND' } as const) : await work(id);
  return 'code' in outcome ? refuse(c, outcome) : c.json(outcome, status);
}
