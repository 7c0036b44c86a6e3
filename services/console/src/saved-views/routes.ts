import type { Clock } from '@weir/clock';
import { advisoryLocksOf, type Pool, transaction } from '@weir/postgres';
import { admission, type Callers, type Operation, operation, problem, readers } from '@weir/service-kit';
import type { Context } from 'hono';
import { z } from 'zod';
import { name } from '../texts.ts';
import { exampleSavedView, filterSchema, lists, type SavedView, savedView } from './view.ts';

interface SavedViewOptions {
  readonly db: Pool;
  readonly access: Callers;
  readonly clock: Clock;
}

const tag = 'saved views';
/** Of one person, of all lists. */
const mostViews = 50;
const segments = z.object({
  list: lists.meta({ description: 'The list that is filtered.', example: exampleSavedView.list }),
  name: name.meta({ description: 'The name of the view.', example: exampleSavedView.name }),
});
const notList = { NOT_FOUND: [404, 'There is no such list, or no view of this name.'] } as const;

/** Filters that a person has kept under a name. All tokens of a name are one person's. */
export function savedViewOperations({ db, access, clock }: SavedViewOptions): readonly Operation[] {
  const path = '/v1/saved-views/{list}/{name}';
  const list = operation({
    name: 'list_saved_views',
    method: 'GET',
    path: '/v1/saved-views',
    tag,
    summary: "Lists the caller's saved views.",
    admission: admission(access, readers),
    answers: [
      {
        status: 200,
        description: 'By list and name.',
        schema: z.strictObject({ items: z.array(savedView) }),
        example: { items: [exampleSavedView] },
      },
    ],
    respond: async (c) => {
      const { rows } = await db.query<SavedView & Record<string, unknown>>(
        'SELECT list, name, filter FROM console.saved_views WHERE person = $1 ORDER BY list, name',
        [personOf(c)],
      );
      c.header('cache-control', 'no-store');
      return c.json({ items: rows });
    },
  });
  const save = operation({
    name: 'save_view',
    method: 'PUT',
    path,
    tag,
    summary: 'Keeps a filter under a name, in place of the one before.',
    admission: admission(access, readers),
    segments,
    body: { schema: z.strictObject({ filter: filterSchema }), what: 'a filter', example: { filter: exampleSavedView.filter } },
    answers: [{ status: 200, description: 'Kept.', schema: savedView, example: exampleSavedView }],
    problems: { ...notList, TOO_MANY_VIEWS: [409, `A person keeps ${mostViews} views.`] },
    repeats: 'Changes nothing.',
    respond: async (c, { body: { filter } }) => {
      const view = viewOf(c);
      if (view === undefined) return noView(c);
      const isKept = await transaction(db, async (tx) => {
        await tx.query(advisoryLocksOf('saved-views', '$1::text[]'), [[personOf(c)]]);
        const { rowCount } = await tx.query(
          `INSERT INTO console.saved_views (person, list, name, filter, saved_at)
           SELECT $1, $2, $3, $4, $5 WHERE EXISTS (SELECT FROM console.saved_views WHERE person = $1 AND list = $2 AND name = $3)
             OR (SELECT count(*) FROM console.saved_views WHERE person = $1) < $6
           ON CONFLICT (person, list, name) DO UPDATE SET filter = EXCLUDED.filter, saved_at = EXCLUDED.saved_at`,
          [personOf(c), view.list, view.name, JSON.stringify(filter), new Date(clock.now()), mostViews],
        );
        return rowCount === 1;
      });
      return isKept
        ? c.json({ ...view, filter })
        : problem(c, 409, 'TOO_MANY_VIEWS', `a person keeps ${mostViews} views: remove one first`);
    },
  });
  const remove = operation({
    name: 'remove_saved_view',
    method: 'DELETE',
    path,
    tag,
    summary: 'Removes a saved view.',
    admission: admission(access, readers),
    segments,
    answers: [{ status: 200, description: 'The view as it was.', schema: savedView, example: exampleSavedView }],
    problems: notList,
    repeats: 'Then it is 404.',
    respond: async (c) => {
      const view = viewOf(c);
      if (view === undefined) return noView(c);
      const { rows } = await db.query<SavedView & Record<string, unknown>>(
        'DELETE FROM console.saved_views WHERE person = $1 AND list = $2 AND name = $3 RETURNING list, name, filter',
        [personOf(c), view.list, view.name],
      );
      return rows[0] === undefined ? noView(c) : c.json(rows[0]);
    },
  });
  return [list, save, remove];
}

function personOf(c: Context): string {
  return c.get('caller').name;
}

function viewOf(c: Context): Pick<SavedView, 'list' | 'name'> | undefined {
  return segments.safeParse({ list: c.req.param('list'), name: c.req.param('name') }).data;
}

function noView(c: Context): Response {
  return problem(c, 404, 'NOT_FOUND', 'there is no such list, or no view of this name');
}
