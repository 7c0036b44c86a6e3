import type { Queryable } from '@weir/postgres';
import { type Access, admission, type Operation, operation, problem, readers } from '@weir/service-kit';
import type { Context } from 'hono';
import { z } from 'zod';
import { encodeCursor } from '../cursor.ts';
import { definedOnly, maxLimit, pageParameters, uuid } from '../parameters.ts';
import { findDelivery, listDeliveries } from './query.ts';
import { type DeliveryView, deliveryStates } from './view.ts';

const parameters = z.object({ state: z.enum(deliveryStates).optional(), ...pageParameters });

/** Queues a delivery again; resolves with undefined for an unknown id. */
export type Retry = (eventId: string) => Promise<DeliveryView | undefined>;

/** The delivery log. `retry` is undefined while webhooks are off. */
export function webhookOperations(db: Queryable, access: Access, retry: Retry | undefined): readonly Operation[] {
  const list = operation({
    name: 'list_deliveries',
    method: 'GET',
    path: '/v1/webhooks/deliveries',
    summary: 'Lists deliveries to your receiver, newest first.',
    admission: admission(access, readers),
    query: parameters,
    respond: async (c, { query: { cursor, limit, ...filter } }) => {
      const { items, next } = await listDeliveries(db, definedOnly(filter), Math.min(limit, maxLimit), cursor);
      c.header('cache-control', 'no-store');
      return c.json({ items, next_cursor: next === undefined ? null : encodeCursor(next) });
    },
  });
  const get = operation({
    name: 'get_delivery',
    method: 'GET',
    path: '/v1/webhooks/deliveries/{event_id}',
    summary: 'Shows one delivery with its payload.',
    admission: admission(access, readers),
    respond: (c) => tell(c, (id) => findDelivery(db, id)),
  });
  const again = operation({
    name: 'retry_delivery',
    method: 'POST',
    path: '/v1/webhooks/deliveries/{event_id}/retry',
    summary: 'Queues a delivery again.',
    admission: admission(access, ['admin']),
    respond: (c) =>
      retry === undefined ? problem(c, 409, 'WEBHOOKS_OFF', 'webhooks are off: WEIR_WEBHOOK_URL is not set') : tell(c, retry),
  });
  return [list, get, again];
}

async function tell(c: Context, find: (eventId: string) => Promise<object | undefined>): Promise<Response> {
  const id = uuid.safeParse(c.req.param('event_id'));
  const found = id.success ? await find(id.data) : undefined;
  if (found === undefined) return problem(c, 404, 'NOT_FOUND', 'there is no delivery with this id');
  c.header('cache-control', 'no-store');
  return c.json(found);
}
