import { prepared, type Queryable } from '@weir/postgres';
import type { Row } from './outbox-events.ts';

/** Rows of new events. */
export interface Inserted {
  /** Ids of those that were not stored before. */
  readonly added: ReadonlySet<string>;
  /** Absent if there are none. */
  readonly batch: bigint | undefined;
}

/** Stores events of a service, and with `isBatch` their batch, as yet to be published. */
export async function insertRows(tx: Queryable, service: string, rows: readonly Row[], isBatch: boolean): Promise<Inserted> {
  if (rows.length === 0) return { added: new Set(), batch: undefined };
  const { rows: inserted } = await tx.query<{ event_id: string; batch_id: bigint | null }>(insertStatement, [
    service,
    rows.map((row) => row.event_id),
    rows.map((row) => row.topic),
    rows.map((row) => row.key),
    rows.map((row) => row.value),
    rows.map((row) => JSON.stringify(row.headers)),
    isBatch,
  ]);
  return { added: new Set(inserted.map((row) => row.event_id)), batch: inserted[0]?.batch_id ?? undefined };
}

const insertStatement = prepared(
  `WITH added AS (
     INSERT INTO outbox.events (event_id, service, topic, key, value, headers, published)
     SELECT u.id, $1, u.topic, u.key, u.value, u.headers, true
     FROM unnest($2::uuid[], $3::text[], $4::text[], $5::bytea[], $6::jsonb[]) AS u(id, topic, key, value, headers)
     -- A fixed order prevents deadlocks between transactions that store the same events.
     ORDER BY u.id
     ON CONFLICT (service, event_id) DO NOTHING RETURNING event_id),
   batch AS (
     INSERT INTO outbox.batches (service, event_ids)
     SELECT $1, array_agg(event_id) FROM added WHERE $7 HAVING count(*) > 0 RETURNING batch_id)
   SELECT added.event_id, batch.batch_id FROM added LEFT JOIN batch ON true`,
);

/** Asynchronous commit is safe, as is losing the mark: the events are published again with the same bytes. */
export async function markPublished(
  db: Queryable,
  service: string,
  { batches, ids }: { batches: readonly bigint[]; ids: readonly string[] },
): Promise<void> {
  if (batches.length > 0) await db.query(endBatches, [batches.map(String)]);
  if (ids.length > 0) await db.query(markStatement, [ids, service]);
}

const quick = "quick AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true))";

const endBatches = prepared(`WITH ${quick} DELETE FROM outbox.batches WHERE batch_id = ANY($1::int8[]) AND EXISTS (SELECT FROM quick)`);

const markStatement = prepared(
  `WITH ${quick} UPDATE outbox.events SET published = true
   WHERE service = $2 AND event_id = ANY($1::uuid[]) AND NOT published AND EXISTS (SELECT FROM quick)`,
);

/** Marks events of a service in the transaction that appends them. Returns the ids of those that were not marked before. */
export async function claimRows(tx: Queryable, service: string, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const { rows } = await tx.query<{ event_id: string }>(claimStatement, [ids, service]);
  return new Set(rows.map((row) => row.event_id));
}

const claimStatement = prepared(
  `WITH due AS MATERIALIZED (
     SELECT event_id FROM outbox.events WHERE service = $2 AND event_id = ANY($1::uuid[]) AND NOT published ORDER BY event_id FOR UPDATE)
   UPDATE outbox.events e SET published = true FROM due WHERE e.service = $2 AND e.event_id = due.event_id RETURNING e.event_id`,
);

/** Makes the events of batches that are `ageMs` old unpublished ones, a bounded number at once. Services may not lock batches, only delete them. */
export async function reopenBatches(db: Queryable, service: string, ageMs: number): Promise<void> {
  await db.query(reopenStatement, [service, ageMs]);
}

const reopenStatement = prepared(
  `WITH left_over AS (
     DELETE FROM outbox.batches WHERE batch_id IN (
       SELECT batch_id FROM outbox.batches WHERE service = $1 AND created_at < now() - $2 * interval '1 millisecond'
       ORDER BY batch_id LIMIT 500)
     RETURNING event_ids)
   UPDATE outbox.events SET published = false
   WHERE service = $1 AND event_id IN (SELECT unnest(event_ids) FROM left_over)`,
);
