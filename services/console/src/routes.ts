import type { Queryable } from '@weir/postgres';
import { type Access, problem, readers, requireRole } from '@weir/service-kit';
import { Hono } from 'hono';
import { z } from 'zod';
import { encodeCursor } from './cursor.ts';
import { absent, cursorParameter, definedOnly, limitParameter, maxLimit, uuid } from './parameters.ts';
import { findScreening, listScreenings } from './query.ts';
import { subjectLength } from './migrations.ts';

/** Empty parameters count as absent; unknown ones are ignored. */
const parameters = z.object({
  kind: z.preprocess(absent, z.enum(['deposit', 'withdrawal']).optional()),
  action: z.preprocess(absent, z.enum(['block', 'review', 'allow']).optional()),
  level: z.preprocess(absent, z.enum(['Low', 'Moderate', 'High', 'Severe']).optional()),
  // No subject has control characters, and PostgreSQL rejects NUL.
  subject: z.preprocess(
    absent,
    z
      .string()
      .max(subjectLength)
      .regex(/^\P{Cc}*$/u)
      .optional(),
  ),
  cursor: cursorParameter,
  limit: limitParameter,
});

const expected: Readonly<Record<string, string>> = {
  kind: 'kind is deposit or withdrawal',
  action: 'action is block, review or allow',
  level: 'level is Low, Moderate, High or Severe',
  subject: 'subject is an address or a transaction id',
  cursor: 'cursor is the next_cursor of an earlier answer',
  limit: `limit is a whole number from 1; more than ${maxLimit} are not given at once`,
};

/** The read API of screenings, for every role that may read. */
export function screeningRoutes(db: Queryable, access: Access): Hono {
  const app = new Hono();
  const guard = requireRole(access, readers);
  app.get('/v1/screenings', guard, async (c) => {
    const asked = parameters.safeParse(c.req.query());
    if (!asked.success) {
      const name = String(asked.error.issues[0]?.path[0]);
      return problem(c, 400, `INVALID_${name.toUpperCase()}`, expected[name] ?? 'a parameter is wrong');
    }
    const { cursor, limit, ...filter } = asked.data;
    const { items, next } = await listScreenings(db, definedOnly(filter), Math.min(limit, maxLimit), cursor);
    c.header('cache-control', 'no-store');
    return c.json({ items, next_cursor: next === undefined ? null : encodeCursor(next) });
  });
  app.get('/v1/screenings/:id', guard, async (c) => {
    const id = uuid.safeParse(c.req.param('id'));
    const screening = id.success ? await findScreening(db, id.data) : undefined;
    if (screening === undefined) return problem(c, 404, 'NOT_FOUND', 'there is no screening with this id');
    c.header('cache-control', 'no-store');
    return c.json(screening);
  });
  return app;
}
