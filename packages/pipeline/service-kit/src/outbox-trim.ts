import { deleteInSteps, type Pool, prepared, rowsAStep } from '@weir/postgres';

/** Deletes published events older than `retentionMs`, in bounded steps. Nobody repeats those. */
export async function trimOutbox(pool: Pool, retentionMs: number): Promise<void> {
  await deleteInSteps(pool, trimStatement, [retentionMs]);
}

const trimStatement = prepared(
  `DELETE FROM outbox.events WHERE (service, event_id) IN (
     SELECT service, event_id FROM outbox.events WHERE published AND created_at < now() - $1 * interval '1 millisecond' LIMIT ${rowsAStep})`,
);
