import type { Codec } from '@weir/contracts';
import type { EventLog, OutgoingRecord } from '@weir/event-log';
import { type Pool, type Queryable, transaction } from '@weir/postgres';
import { Outbox } from './outbox.ts';
import { identityOf, type NewEvent, requireSame, type StoredEvent } from './outbox-events.ts';

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
      const recorded = [...(await findRecorded(tx, events)), ...(await findUnrecorded(tx, events))];
      const stored = await findStored(tx, outbox, without(events, recorded));
      return [...recorded, ...stored, ...(await outbox.store(tx, without(events, [...recorded, ...stored])))];
    }),
  );
  onBatch?.(events.length);
}

async function findStored(tx: Queryable, outbox: Outbox, events: readonly NewEvent[]): Promise<StoredEvent[]> {
  const stored = await outbox.load(
    tx,
    events.map(({ id }) => id),
  );
  const missing = new Set(without(events, stored));
  const found = events.filter((event) => !missing.has(event)).map(({ id, topic, key }) => ({ event_id: id, topic, key }));
  requireSame(found, stored.map(identityOf));
  return stored;
}

function without(events: readonly NewEvent[], known: readonly StoredEvent[]): NewEvent[] {
  const ids = new Set(known.map(({ id }) => id));
  return events.filter(({ id }) => !ids.has(id));
}

/** The audit log keeps events that the outbox deleted. Every service can derive ids, so topic and key must match. */
function findRecorded(tx: Queryable, events: readonly NewEvent[]): Promise<StoredEvent[]> {
  return find(
    tx,
    `SELECT a.event_id, a.topic, a.key, a.value, a.headers FROM audit.entries a
     JOIN unnest($1::uuid[], $2::text[], $3::text[]) AS u(id, topic, key) ON a.event_id = u.id AND a.topic = u.topic AND a.key = u.key`,
    events,
  );
}

/** Events in the log on PostgreSQL that audit-writer has not read yet. There are few, unless it is away. */
function findUnrecorded(tx: Queryable, events: readonly NewEvent[]): Promise<StoredEvent[]> {
  return find(
    tx,
    `SELECT DISTINCT ON (u.id) u.id AS event_id, u.topic, r.key, r.value, r.headers FROM log.topics t
     JOIN log.partitions p ON p.topic = t.id
     LEFT JOIN (log.groups g JOIN log.assignments c ON c.group_id = g.id)
       ON g.name = 'audit-writer' AND c.topic = p.topic AND c.partition = p.partition
     JOIN log.records r ON r.topic = p.topic AND r.partition = p.partition AND r.record_offset >= coalesce(c.committed, 0)
     JOIN unnest($1::uuid[], $2::text[], $3::text[]) AS u(id, topic, key)
       ON u.topic = t.name AND u.key = r.key AND r.headers ->> 'ce_id' = u.id::text
     WHERE t.name = ANY ($2) AND NOT EXISTS (SELECT FROM audit.entries a WHERE a.event_id = u.id)
     ORDER BY u.id, r.record_offset`,
    events,
  );
}

async function find(tx: Queryable, text: string, events: readonly NewEvent[]): Promise<StoredEvent[]> {
  const { rows } = await tx.query<OutgoingRecord & { readonly event_id: string } & Record<string, unknown>>(text, [
    events.map(({ id }) => id),
    events.map(({ topic }) => topic),
    events.map(({ key }) => key),
  ]);
  return rows.map(({ event_id, ...record }) => ({ id: event_id, record }));
}
