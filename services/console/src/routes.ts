import type { Pool } from '@weir/postgres';
import { type Callers, admission, type Operation, operation, problem, readers, exportOperation } from '@weir/service-kit';
import { z } from 'zod';
import { encodeCursor } from './cursor.ts';
import { exampleScreening } from './examples.ts';
import { definedOnly, isCursorOfSort, maxLimit, notOfSort, screeningSegment, sortedPageParameters, uuid } from './parameters.ts';
import { areTimesInOrder, areValuesInOrder, filterParameters, notInTime, notInValue } from './filter-parameters.ts';
import { exportScreenings } from './export-screenings.ts';
import type { ScreeningFilter } from './filter.ts';
import { findScreening, listScreenings } from './query.ts';
import { pageOf, screeningView } from './view.ts';

const tag = 'screenings';
const sortOrder = z
  .enum(['newest', 'oldest', 'value'])
  .default('newest')
  .meta({ description: 'value: the largest first, unknown values last.' });
const filtered = {
  ...filterParameters,
  open: z.literal('true').optional().meta({ description: 'true: there is no decision yet.' }),
  sort: sortOrder,
};
const parameters = z
  .object({ ...filtered, ...sortedPageParameters })
  .refine(isCursorOfSort, notOfSort)
  .refine(areTimesInOrder, notInTime)
  .refine(areValuesInOrder, notInValue);

const exported = z.object(filtered).refine(areTimesInOrder, notInTime).refine(areValuesInOrder, notInValue);

type Given = Omit<z.output<typeof exported>, 'sort'>;

function filterOf({ open, ...filter }: Given): ScreeningFilter {
  return definedOnly({ ...filter, isOpen: open === 'true' });
}

/** The read API of screenings, for every role that may read. */
export function screeningOperations(db: Pool, access: Callers): readonly Operation[] {
  const list = operation({
    name: 'list_screenings',
    method: 'GET',
    path: '/v1/screenings',
    tag,
    summary: 'Lists screenings, newest first unless sorted otherwise.',
    admission: admission(access, readers),
    query: parameters,
    answers: [
      {
        status: 200,
        description: 'One page.',
        schema: pageOf(screeningView),
        example: { items: [exampleScreening], next_cursor: null },
      },
    ],
    respond: async (c, { query: { cursor, limit, sort, ...filter } }) => {
      const page = { order: sort, limit: Math.min(limit, maxLimit), after: cursor };
      const { items, next } = await listScreenings(db, filterOf(filter), page);
      c.header('cache-control', 'no-store');
      return c.json({ items, next_cursor: next === undefined ? null : encodeCursor(next) });
    },
  });
  const get = operation({
    name: 'get_screening',
    method: 'GET',
    path: '/v1/screenings/{screening_id}',
    isPolled: true,
    tag,
    summary: 'Shows one screening: its request, result and decisions.',
    description: 'The console reads screenings from a topic: one is readable a moment after its transfer was accepted.',
    admission: admission(access, readers),
    segments: screeningSegment,
    answers: [{ status: 200, description: 'The screening.', schema: screeningView, example: exampleScreening }],
    problems: { NOT_FOUND: [404, 'There is no screening with this id.'] },
    respond: async (c) => {
      const id = uuid.safeParse(c.req.param('screening_id'));
      const screening = id.success ? await findScreening(db, id.data) : undefined;
      if (screening === undefined) return problem(c, 404, 'NOT_FOUND', 'there is no screening with this id');
      c.header('cache-control', 'no-store');
      return c.json(screening);
    },
  });
  const asCsv = exportOperation({
    list: 'screenings',
    what: 'screenings of a filter, with their latest decision',
    tag,
    admission: admission(access, readers),
    query: exported,
    example: 'screening_id,requested_at',
    read: (_, { sort: order, ...filter }) => exportScreenings(db, filterOf(filter), order),
  });
  return [list, get, asCsv];
}
