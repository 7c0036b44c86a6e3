import { deleteInSteps, type Pool, prepared, rowsAStep } from '@weir/postgres';

/** Deletes published events older than `retentionMs`, in bounded steps. Nobody repeats those. Events of a batch are not published yet. */
export async function trimOutbox(pool: Pool, retentionMs: number): Promise<void> {
  await deleteInSteps(pool, trimStatement, [retentionMs]);
}

const trimStatement = prepared(
  `DELETE FROM outbox.events WHERE (service, event_id) IN (
     SELECT service, event_id FROM outbox.events WHERE published AND created_at < now() - $1 * interval '1 millisecond'
       AND (service, event_id) NOT IN (SELECT service, unnest(event_ids) FROM outbox.batches) LIMIT ${rowsAStep})`,
);
