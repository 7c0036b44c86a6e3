import { topicAcls } from '@weir/contracts';
import type { LogGap, OutgoingRecord } from '@weir/event-log';
import { Outbox, type Rebuild } from '@weir/service-kit';

/** A page is held in memory, and an event may have a megabyte. */
const pageSize = 50;

interface EventRow extends OutgoingRecord, Record<string, unknown> {
  readonly event_id: string;
  /** Cursor of the next page. */
  readonly place: string;
}

/** Republishes the records of a gap from the audit log, which stores their offsets. Returns their number. */
export async function republishRecorded(of: Rebuild, { topic, partition, missing, available }: LogGap): Promise<number> {
  const text = `
    SELECT event_id, index::text AS place, topic, key, value, headers FROM audit.entries
    WHERE topic = $1 AND log_partition = $2 AND log_offset >= $3 AND log_offset < $4 AND index > $5::bigint AND erased_by IS NULL ORDER BY index LIMIT $6`;
  return republish(of, (after) => [text, [topic, partition, missing, available, after?.place ?? -1, pageSize]]);
}

/**
 * Republishes events of a topic that are in the outbox and not in the audit log. Returns their number. Skips services that may not write
 * the topic, because a service can store any event.
 */
export async function republishUnrecorded(of: Rebuild, topic: string): Promise<number> {
  const text = `
    SELECT event_id, created_at::text AS place, topic, key, value, headers FROM outbox.events e
    WHERE topic = $1 AND service = ANY($5::text[]) AND published AND NOT EXISTS (SELECT FROM audit.entries a WHERE a.event_id = e.event_id)
      AND ($2::timestamptz IS NULL OR (created_at, event_id) > ($2, $3::uuid))
    ORDER BY created_at, event_id LIMIT $4`;
  return republish(of, (after) => [text, [topic, after?.place ?? null, after?.event_id ?? null, pageSize, writersOf(topic)]]);
}

function writersOf(topic: string): string[] {
  const writes = topicAcls.filter(({ resource, name, operation }) => resource === 'topic' && name === topic && operation === 'WRITE');
  return writes.map(({ user }) => user).filter((user) => user !== 'operator');
}

/** Bytes, key and headers stay the same, so consumers recognise events that they have processed. */
async function republish(
  { pool, log, codec, onBatch }: Rebuild,
  pageAfter: (last: EventRow | undefined) => [text: string, values: unknown[]],
): Promise<number> {
  const outbox = new Outbox({ pool, log, codec, service: 'weir' });
  let count = 0;
  for (let last: EventRow | undefined; ; ) {
    const { rows }: { rows: EventRow[] } = await pool.query<EventRow>(...pageAfter(last));
    await outbox.publish(
      rows.map(({ event_id, topic, key, value, headers }) => ({ id: event_id, record: { topic, key, value, headers } })),
    );
    count += rows.length;
    if (rows.length > 0) onBatch?.(rows.length);
    last = rows.at(-1);
    if (rows.length < pageSize) return count;
  }
}
