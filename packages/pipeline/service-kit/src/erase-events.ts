import type { Queryable } from '@weir/postgres';

/** Fields of a transfer in JSON, without its content. Kind, chain, coin and times stay. */
export const erasedTransfer =
  '{"source_id": "", "txid": null, "from_address": null, "to_address": "", "amount": "0", "usd_value": null, "user_id": null, "memo": null, "erased": true}';

/** Names the events of erased screenings. */
export interface ErasedEvents {
  readonly screenings: readonly string[];
  /** Of the audit log. */
  readonly eventIds: readonly string[];
  readonly depositIds: readonly string[];
  readonly withdrawalIds: readonly string[];
}

/** Not everybody has read the events, so they cannot be erased yet. */
export class UnreadEventsError extends Error {
  readonly code = 'EVENTS_UNREAD';
  readonly retriable = true;
}

/**
 * Empties the records of these events in the log on PostgreSQL, and deletes them from the outbox, in the transaction. An offset without a
 * record would be a gap, so records stay. Reads the whole of both, which have the events of `WEIR_LOG_RETENTION_MS`. Rejects with
 * `UnreadEventsError`. For the owner of the tables.
 */
export async function eraseEvents(tx: Queryable, { screenings, eventIds, depositIds, withdrawalIds }: ErasedEvents): Promise<void> {
  const traces = screenings.map((id) => id.replaceAll('-', ''));
  const isOwn = (topic: string): string => `(headers ->> 'ce_id' = ANY($1::text[])
    -- Acts and changes of labels have the trace of their request, which may be that of a transfer.
    OR substring(headers ->> 'traceparent' FROM 4 FOR 32) = ANY($2::text[]) AND (key = ANY($5::text[])
      OR ${topic} NOT IN ('labels.changed', 'labels.changed.dlq', 'activities.recorded', 'activities.recorded.dlq'))
    OR key = ANY($3::text[]) AND ${topic} IN ('deposits.detected', 'deposits.detected.dlq')
    OR key = ANY($4::text[]) AND ${topic} IN ('withdrawals.requested', 'withdrawals.requested.dlq'))`;
  const values = [eventIds, traces, depositIds, withdrawalIds, screenings];
  const { rows: waiting } = await tx.query<{ count: bigint }>(
    `SELECT count(*) AS count FROM outbox.events WHERE ${isOwn('topic')} AND NOT published`,
    values,
  );
  await tx.query(`DELETE FROM outbox.events WHERE ${isOwn('topic')} AND published`, values);
  const { rows } = await tx.query<{ unread: bigint }>(
    `WITH own AS MATERIALIZED (
       SELECT r.topic, r.partition, r.record_offset, r.record_offset < coalesce(
           (SELECT min(a.committed) FROM log.assignments a WHERE a.topic = r.topic AND a.partition = r.partition), r.record_offset + 1) AS is_read
       FROM log.records r JOIN log.topics t ON t.id = r.topic WHERE ${isOwn('t.name')}),
     emptied AS (
       UPDATE log.records r SET key = '', headers = '{}', value = '' FROM own o
       WHERE r.topic = o.topic AND r.partition = o.partition AND r.record_offset = o.record_offset AND o.is_read)
     SELECT count(*) FILTER (WHERE NOT is_read) AS unread FROM own`,
    values,
  );
  const unread = Number(rows[0]?.unread ?? 0n) + Number(waiting[0]?.count ?? 0n);
  if (unread > 0)
    throw new UnreadEventsError(`${unread} events of these transfers are not published or not read by every group yet; try again`);
}

/** Erases the content of acts of people on these screenings and cases, in the transaction. For the owner of the table. */
export async function eraseActivities(tx: Queryable, activities: readonly string[]): Promise<void> {
  await tx.query(`UPDATE access.activities SET details = '[]' WHERE activity_id = ANY($1::uuid[])`, [activities]);
}

/** Event ids of acts of people on these screenings or cases. */
export async function findActivities(
  db: Queryable,
  subjects: readonly string[],
): Promise<{ activity_id: string; subject: string; details: unknown }[]> {
  const { rows } = await db.query<{ activity_id: string; subject: string; details: unknown }>(
    `SELECT activity_id, subject, details FROM access.activities WHERE subject = ANY($1::text[])`,
    [subjects],
  );
  return rows;
}
