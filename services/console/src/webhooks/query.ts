import type { Queryable } from '@weir/postgres';
import type { Position } from '../page.ts';
import { type DeliveryDetail, type DeliveryRow, type DeliveryState, type DeliveryView, toDelivery } from './view.ts';

const columns = 'event_id, screening_id, revision, state, attempts, created_at, next_at, attempted_at, settled_at, last_status, last_error';

/** Up to `limit` deliveries, newest first. `next` is undefined on the last page; its position holds an event id. */
export async function listDeliveries(
  db: Queryable,
  filter: { readonly state?: DeliveryState },
  limit: number,
  after?: Position,
): Promise<{ items: DeliveryView[]; next: Position | undefined }> {
  const values: unknown[] = [];
  const conditions: string[] = ['true'];
  if (filter.state !== undefined) conditions.push(`state = $${values.push(filter.state)}`);
  if (after !== undefined) {
    const [at, id] = [values.push(new Date(after.requestedAt)), values.push(after.screeningId)];
    conditions.push(`(created_at, event_id) < ($${at}::timestamptz, $${id}::uuid)`);
  }
  const { rows } = await db.query<DeliveryRow>(
    `SELECT ${columns} FROM console.deliveries WHERE ${conditions.join(' AND ')}
     ORDER BY created_at DESC, event_id DESC LIMIT $${values.push(limit + 1)}`,
    values,
  );
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  const next = last === undefined ? undefined : { requestedAt: last.created_at.getTime(), screeningId: last.event_id };
  return { items: rows.slice(0, limit).map(toDelivery), next };
}

/** Undefined for an unknown id, which must be a UUID. */
export async function findDelivery(db: Queryable, eventId: string): Promise<DeliveryDetail | undefined> {
  const { rows } = await db.query<DeliveryRow & { body: Buffer }>(`SELECT ${columns}, body FROM console.deliveries WHERE event_id = $1`, [
    eventId,
  ]);
  const [row] = rows;
  return row === undefined ? undefined : { ...toDelivery(row), body: row.body.toString() };
}

/** Makes it due now with all its attempts, in any state. Undefined for an unknown id. */
export async function queueAgain(db: Queryable, eventId: string, now: number): Promise<DeliveryView | undefined> {
  const { rows } = await db.query<DeliveryRow>(
    `UPDATE console.deliveries SET state = 'pending', attempts = 0, next_at = $2, settled_at = NULL,
       queued_at = CASE WHEN state = 'pending' THEN queued_at ELSE $2 END
     WHERE event_id = $1 RETURNING ${columns}`,
    [eventId, new Date(now)],
  );
  return rows[0] === undefined ? undefined : toDelivery(rows[0]);
}
