import type { Clock } from '@weir/clock';
import type { Queryable } from '@weir/postgres';
import { type Access, limitBody, problem, readBody, readers, requireRole, type Role } from '@weir/service-kit';
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { encodeCursor } from '../cursor.ts';
import { absent, cursorParameter, definedOnly, limitParameter, maxLimit, uuid } from '../parameters.ts';
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

const parameters = z.object({
  state: z.preprocess(absent, z.enum(['open', 'pending_approval', 'approved', 'resolved']).optional()),
  kind: z.preprocess(absent, z.enum(['deposit', 'withdrawal']).optional()),
  assignee: z.preprocess(
    absent,
    z
      .string()
      .max(maxNameLength)
      .regex(/^\P{Cc}*$/u)
      .optional(),
  ),
  due: z.preprocess(absent, z.union([z.literal('overdue'), time]).optional()),
  late: z.preprocess(absent, z.literal('true').optional()),
  cursor: cursorParameter,
  limit: limitParameter,
});

const expected: Readonly<Record<string, string>> = {
  state: 'state is open, pending_approval, approved or resolved',
  kind: 'kind is deposit or withdrawal',
  assignee: 'assignee is a name, or none',
  due: 'due is overdue, or a time (RFC 3339) before which it is due',
  late: 'late is true, or left out',
  cursor: 'cursor is the next_cursor of an earlier answer',
  limit: `limit is a whole number from 1; more than ${maxLimit} are not given at once`,
};

export interface ReviewRouteOptions {
  readonly db: Queryable;
  readonly access: Access;
  readonly reviewService: ReviewService;
  readonly clock: Clock;
}

/** Endpoints to list and resolve reviews. */
export function reviewRoutes(options: ReviewRouteOptions): Hono {
  return new Hono().route('/', readRoutes(options)).route('/', resolutionRoutes(options)).route('/', planRoutes(options));
}

function readRoutes({ db, access, clock }: ReviewRouteOptions): Hono {
  const app = new Hono();
  const guard = requireRole(access, readers);
  app.get('/v1/reviews', guard, async (c) => {
    const asked = parameters.safeParse(c.req.query());
    if (!asked.success) {
      const name = String(asked.error.issues[0]?.path[0]);
      return problem(c, 400, `INVALID_${name.toUpperCase()}`, expected[name] ?? 'a parameter is wrong');
    }
    const { cursor, limit, due, late, ...filter } = asked.data;
    const now = clock.now();
    const dueBefore = due === 'overdue' ? new Date(now) : due;
    const page = { limit: Math.min(limit, maxLimit), after: cursor, now };
    const { items, next } = await listReviews(db, definedOnly({ ...filter, dueBefore, late: late === 'true' }), page);
    c.header('cache-control', 'no-store');
    return c.json({ items, next_cursor: next === undefined ? null : encodeCursor(next) });
  });
  app.get('/v1/reviews/:id', guard, async (c) => {
    const id = idOf(c);
    const review = id === undefined ? undefined : await findReview(db, id, clock.now());
    if (review === undefined) return refuse(c, { code: 'NOT_FOUND' });
    c.header('cache-control', 'no-store');
    return c.json(review);
  });
  return app;
}

/** The review rules decide on resolutions, approvals and reopenings. */
function resolutionRoutes({ access, reviewService }: ReviewRouteOptions): Hono {
  const app = new Hono();
  app.post('/v1/reviews/:id/resolutions', requireRole(access, resolvers), limitBody, async (c) => {
    const data = await readBody(c, bodies.resolution, 'a resolution');
    if (data instanceof Response) return data;
    return tell(c, 201, (screeningId) =>
      reviewService.resolve({ screeningId, ...data, revision: data.revision, by: personOf(c.get('caller')) }),
    );
  });
  app.post('/v1/reviews/:id/approvals', requireRole(access, approvers), limitBody, async (c) => {
    const data = await readBody(c, bodies.approval, 'an approval');
    if (data instanceof Response) return data;
    const { resolution_id: resolutionId, approve, reason } = data;
    return tell(c, 200, (screeningId) =>
      reviewService.answer({ screeningId, resolutionId, approve, reason: reason ?? undefined, by: personOf(c.get('caller')) }),
    );
  });
  app.post('/v1/reviews/:id/reopenings', requireRole(access, keepers), limitBody, async (c) => {
    const data = await readBody(c, bodies.reopening, 'a reopening');
    if (data instanceof Response) return data;
    const { reason, revision } = data;
    return tell(c, 201, (screeningId) =>
      reviewService.resolve({ screeningId, action: 'review', reason, revision, by: personOf(c.get('caller')) }),
    );
  });
  return app;
}

/** Notes, assignees and due times: they decide nothing. */
function planRoutes({ db, access, clock }: ReviewRouteOptions): Hono {
  const app = new Hono();
  const guard = requireRole(access, keepers);
  app.post('/v1/reviews/:id/notes', guard, limitBody, async (c) => {
    const data = await readBody(c, bodies.note, 'a note');
    if (data instanceof Response) return data;
    const screeningId = idOf(c);
    const note = { text: data.text, by: personOf(c.get('caller')), now: clock.now() };
    const added = screeningId === undefined ? undefined : await addNote(db, { screeningId, ...note });
    if (added === undefined) return refuse(c, { code: 'NOT_FOUND' });
    return c.json({ note_id: added.noteId }, added.isNew ? 201 : 200);
  });
  app.put('/v1/reviews/:id/assignee', guard, limitBody, async (c) => {
    const data = await readBody(c, bodies.assignee, 'an assignment');
    return data instanceof Response ? data : answerReviewPlan(c, { assignee: data.assignee });
  });
  app.put('/v1/reviews/:id/due', guard, limitBody, async (c) => {
    const data = await readBody(c, bodies.due, 'a due time');
    return data instanceof Response ? data : answerReviewPlan(c, { dueAt: data.due_at });
  });
  return app;

  async function answerReviewPlan(c: Context, change: Parameters<typeof setReviewPlan>[2]): Promise<Response> {
    const id = idOf(c);
    const plan = id === undefined ? undefined : await setReviewPlan(db, id, change);
    return plan === undefined ? refuse(c, { code: 'NOT_FOUND' }) : c.json(plan);
  }
}

function idOf(c: Context): string | undefined {
  return uuid.safeParse(c.req.param('id')).data;
}

async function tell(c: Context, status: 200 | 201, work: (screeningId: string) => Promise<Outcome>): Promise<Response> {
  const id = idOf(c);
  const outcome = id === undefined ? ({ code: 'NOT_FOUND' } as const) : await work(id);
  return 'code' in outcome ? refuse(c, outcome) : c.json(outcome, status);
}
