import { admission, type Operation, operation, readers, exportOperation } from '@weir/service-kit';
import { z } from 'zod';
import { encodeCursor } from '../cursor.ts';
import { areTimesInOrder, areValuesInOrder, filterParameters, notInTime, notInValue } from '../filter-parameters.ts';
import { definedOnly, isCursorOfSort, maxLimit, notOfSort, screeningSegment, sortedPageParameters, time } from '../parameters.ts';
import { maxNameLength } from '../texts.ts';
import { pageOf } from '../view.ts';
import { idOf, notFound, type ReviewApiOptions, tag } from './api.ts';
import { exampleReview, exampleReviewDetail } from './examples.ts';
import { exportReviews } from './export.ts';
import { findReview, listReviews, type ReviewFilter } from './query.ts';
import { refuse } from './refuse.ts';
import { reviewDetail, reviewView } from './view.ts';

const notName = `must be a name of at most ${maxNameLength} characters, or none`;

const filtered = {
  state: z.enum(['open', 'pending_approval', 'approved', 'resolved']).optional(),
  ...filterParameters,
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
  sort: z
    .enum(['oldest', 'newest', 'due', 'value'])
    .default('oldest')
    .meta({ description: 'due: by due time, those without one last; value: the largest first, unknown values last.' }),
};

const parameters = z
  .object({ ...filtered, ...sortedPageParameters })
  .refine(isCursorOfSort, notOfSort)
  .refine(areTimesInOrder, notInTime)
  .refine(areValuesInOrder, notInValue);
const exported = z.object(filtered).refine(areTimesInOrder, notInTime).refine(areValuesInOrder, notInValue);

/** Operations that read. */
export function readOperations({ db, access, clock }: ReviewApiOptions): readonly Operation[] {
  const list = operation({
    name: 'list_reviews',
    method: 'GET',
    path: '/v1/reviews',
    tag,
    summary: 'Lists reviews, oldest first unless sorted otherwise.',
    description: 'Without `state`: all that are held or have an adverse update. A cursor is of the same sort.',
    admission: admission(access, readers),
    query: parameters,
    answers: [
      {
        status: 200,
        description: 'One page.',
        schema: pageOf(reviewView),
        example: { items: [exampleReview], next_cursor: null },
      },
    ],
    respond: async (c, { query: { cursor, limit, sort, ...filter } }) => {
      const now = clock.now();
      const page = { order: sort, limit: Math.min(limit, maxLimit), after: cursor, now };
      const { items, next } = await listReviews(db, filterOf(filter, now), page);
      c.header('cache-control', 'no-store');
      return c.json({ items, next_cursor: next === undefined ? null : encodeCursor(next) });
    },
  });
  const get = operation({
    name: 'get_review',
    method: 'GET',
    path: '/v1/reviews/{screening_id}',
    tag,
    summary: 'Shows one review with its history.',
    admission: admission(access, readers),
    segments: screeningSegment,
    answers: [{ status: 200, description: 'The review.', schema: reviewDetail, example: exampleReviewDetail }],
    problems: notFound,
    respond: async (c) => {
      const id = idOf(c);
      const review = id === undefined ? undefined : await findReview(db, id, clock.now());
      if (review === undefined) return refuse(c, { code: 'NOT_FOUND' });
      c.header('cache-control', 'no-store');
      return c.json(review);
    },
  });
  const asCsv = exportOperation({
    list: 'reviews',
    what: 'reviews of a filter',
    tag,
    admission: admission(access, readers),
    query: exported,
    example: 'screening_id,requested_at',
    read: (_, { sort, ...filter }) => {
      const now = clock.now();
      return exportReviews(db, filterOf(filter, now), { order: sort, now });
    },
  });
  return [list, get, asCsv];
}

type Given = Omit<z.output<typeof exported>, 'sort'>;

function filterOf({ due, late, ...filter }: Given, now: number): ReviewFilter {
  const dueBefore = due === 'overdue' ? new Date(now) : due;
  return definedOnly({ ...filter, dueBefore, late: late === 'true' });
}
