import type { Queryable } from '@weir/postgres';
import { type Access, problem, readers, requireRole } from '@weir/service-kit';
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { encodeCursor } from '../cursor.ts';
import { absent, cursorParameter, definedOnly, limitParameter, maxLimit, uuid } from '../parameters.ts';
import { findDelivery, listDeliveries } from './query.ts';
import { type DeliveryView, deliveryStates } from './view.ts';

const parameters = z.object({
  state: z.preprocess(absent, z.enum(deliveryStates).optional()),
  cursor: cursorParameter,
  limit: limitParameter,
});

const expected: Readonly<Record<string, string>> = {
  state: 'state is pending, delivered or failed',
  cursor: 'cursor is the next_cursor of an earlier answer',
  limit: `limit is a whole number from 1; more than ${maxLimit} are not given at once`,
};

/** Queues a delivery again; resolves with undefined for an unknown id. */
export type Retry = (eventId: string) => Promise<DeliveryView | undefined>;

/** The delivery log. `retry` is undefined while webhooks are off. */
export function webhookRoutes(db: Queryable, access: Access, retry: Retry | undefined): Hono {
  const app = new Hono();
  app.get('/v1/webhooks/deliveries', requireRole(access, readers), async (c) => {
    const asked = parameters.safeParse(c.req.query());
    if (!asked.success) {
      const name = String(asked.error.issues[0]?.path[0]);
      return problem(c, 400, `INVALID_${name.toUpperCase()}`, expected[name] ?? 'a parameter is wrong');
    }
    const { cursor, limit, ...filter } = asked.data;
    const { items, next } = await listDeliveries(db, definedOnly(filter), Math.min(limit, maxLimit), cursor);
    c.header('cache-control', 'no-store');
    return c.json({ items, next_cursor: next === undefined ? null : encodeCursor(next) });
  });
  app.get('/v1/webhooks/deliveries/:id', requireRole(access, readers), (c) => tell(c, (id) => findDelivery(db, id)));
  app.post('/v1/webhooks/deliveries/:id/retry', requireRole(access, ['admin']), (c) =>
    retry === undefined ? problem(c, 409, 'WEBHOOKS_OFF', 'webhooks are off: WEIR_WEBHOOK_URL is not set') : tell(c, retry),
  );
  return app;
}

async function tell(c: Context, find: (eventId: string) => Promise<object | undefined>): Promise<Response> {
  const id = uuid.safeParse(c.req.param('id'));
  const found = id.success ? await find(id.data) : undefined;
  if (found === undefined) return problem(c, 404, 'NOT_FOUND', 'there is no delivery with this id');
  c.header('cache-control', 'no-store');
  return c.json(found);
}
