import type { Codec } from '@weir/contracts';
import type { EventLog, OutgoingRecord } from '@weir/event-log';
import { type Pool, type Queryable, transaction } from '@weir/postgres';
import { Outbox } from './outbox.ts';
import type { NewEvent, StoredEvent } from './outbox-events.ts';

export interface Rebuild {
  readonly pool: Pool;
  readonly log: EventLog;
  readonly codec: Codec;
  readonly onBatch?: (count: number) => void;
}

/** Stores and publishes a batch of a service's events. An event stored anywhere keeps its bytes, so a repeat is the same event. */
export async function publishAgain({ pool, log, codec, onBatch }: Rebuild, service: string, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return;
  const outbox = new Outbox({ pool, log, codec, service });
  await outbox.publish(
    await transaction(pool, async (tx) => {
      const recorded = await findRecorded(tx, events);
      const others = events.filter(({ id }) => !recorded.some((event) => event.id === id));
      return [...recorded, ...(await outbox.store(tx, others))];
    }),
  );
  onBatch?.(events.length);
}

/** The audit log keeps events that the outbox deleted. Every service can derive ids, so topic and key must match. */
async function findRecorded(tx: Queryable, events: readonly NewEvent[]): Promise<StoredEvent[]> {
  const { rows } = await tx.query<OutgoingRecord & { readonly event_id: string } & Record<string, unknown>>(
    `SELECT a.event_id, a.topic, a.key, a.value, a.headers FROM audit.entries a
     JOIN unnest($1::uuid[], $2::text[], $3::text[]) AS u(id, topic, key) ON a.event_id = u.id AND a.topic = u.topic AND a.key = u.key`,
    [events.map(({ id }) => id), events.map(({ topic }) => topic), events.map(({ key }) => key)],
  );
  return rows.map(({ event_id, ...record }) => ({ id: event_id, record }));
}
