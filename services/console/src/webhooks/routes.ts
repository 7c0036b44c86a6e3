import type { Queryable } from '@weir/postgres';
import type { Person } from '@weir/reviews';
import {
  admission,
  type Callers,
  type Operation,
  operation,
  personOf,
  problem,
  readers,
  exportOperation,
  exportPages,
} from '@weir/service-kit';
import type { Context } from 'hono';
import { z } from 'zod';
import { encodeCursor } from '../cursor.ts';
import { exampleScreeningId } from '../examples.ts';
import type { Position } from '../page.ts';
import { definedOnly, maxLimit, pageParameters, uuid } from '../parameters.ts';
import { findDelivery, listDeliveries } from './query.ts';
import { pageOf } from '../view.ts';
import { deliveryDetail, type DeliveryView, deliveryStates, deliveryView } from './view.ts';

const tag = 'webhooks';
const exampleDelivery: DeliveryView = {
  event_id: '0b7f9a52-2f5e-5c3d-9c58-7d1f6a1e2b3c',
  screening_id: exampleScreeningId,
  revision: 1,
  state: 'pending',
  attempts: 1,
  created_at: '2026-01-31T09:12:24.100Z',
  next_at: '2026-01-31T09:12:29.000Z',
  attempted_at: '2026-01-31T09:12:24.200Z',
  settled_at: null,
  last_status: 502,
  last_error: null,
};
const segments = z.object({ event_id: z.string().meta({ description: 'UUID.', example: exampleDelivery.event_id }) });
const problems = { NOT_FOUND: [404, 'There is no delivery with this id.'] } as const;
const filtered = { state: z.enum(deliveryStates).optional() };

/** Queues a delivery again; resolves with undefined for an unknown id. */
export type Retry = (eventId: string, by: Person) => Promise<DeliveryView | undefined>;

/** The delivery log. `retry` is undefined while webhooks are off. */
export function webhookOperations(db: Queryable, access: Callers, retry: Retry | undefined): readonly Operation[] {
  const list = operation({
    name: 'list_deliveries',
    method: 'GET',
    path: '/v1/webhooks/deliveries',
    tag,
    summary: 'Lists deliveries to your receiver, newest first.',
    admission: admission(access, readers),
    query: z.object({ ...filtered, ...pageParameters }),
    answers: [
      {
        status: 200,
        description: 'One page.',
        schema: pageOf(deliveryView),
        example: { items: [exampleDelivery], next_cursor: null },
      },
    ],
    respond: async (c, { query: { cursor, limit, ...filter } }) => {
      const { items, next } = await listDeliveries(db, definedOnly(filter), Math.min(limit, maxLimit), cursor);
      c.header('cache-control', 'no-store');
      return c.json({ items, next_cursor: next === undefined ? null : encodeCursor(next) });
    },
  });
  const asCsv = exportOperation({
    list: 'deliveries',
    what: 'deliveries of a filter, newest first',
    tag,
    admission: admission(access, readers),
    query: z.object(filtered),
    example: 'event_id,screening_id',
    read: (_, filter) =>
      exportPages(Object.keys(deliveryView.shape), (after: Position | undefined) =>
        listDeliveries(db, definedOnly(filter), maxLimit, after),
      ),
  });
  const get = operation({
    name: 'get_delivery',
    method: 'GET',
    path: '/v1/webhooks/deliveries/{event_id}',
    tag,
    summary: 'Shows one delivery with its payload.',
    admission: admission(access, readers),
    segments,
    answers: [{ status: 200, description: 'The delivery.', schema: deliveryDetail, example: { ...exampleDelivery, body: '{}' } }],
    problems,
    respond: (c) => tell(c, (id) => findDelivery(db, id)),
  });
  const again = operation({
    name: 'retry_delivery',
    method: 'POST',
    path: '/v1/webhooks/deliveries/{event_id}/retry',
    tag,
    summary: 'Queues a delivery again.',
    admission: admission(access, ['admin']),
    segments,
    answers: [{ status: 200, description: 'Due now, with all its attempts.', schema: deliveryView, example: exampleDelivery }],
    problems: { ...problems, WEBHOOKS_OFF: [409, 'Webhooks are off.'] },
    repeats: 'The receiver may get the decision once more, under the same event id.',
    respond: (c) =>
      retry === undefined
        ? problem(c, 409, 'WEBHOOKS_OFF', 'webhooks are off: WEIR_WEBHOOK_URL is not set')
        : tell(c, (id) => retry(id, personOf(c.get('caller')))),
  });
  return [list, asCsv, get, again];
}

async function tell(c: Context, find: (eventId: string) => Promise<object | undefined>): Promise<Response> {
  const id = uuid.safeParse(c.req.param('event_id'));
  const found = id.success ? await find(id.data) : undefined;
  if (found === undefined) return problem(c, 404, 'NOT_FOUND', 'there is no delivery with this id');
  c.header('cache-control', 'no-store');
  return c.json(found);
}
