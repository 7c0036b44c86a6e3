import { writersOf } from '@weir/contracts';
import type { LogRecord } from '@weir/event-log';
import type { Queryable } from '@weir/postgres';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/**
 * Stores published events of our services that this database lacks as published ones. So a service that derives one again publishes the same
 * bytes under its id. Returns their number; without `mend` it only counts.
 */
export async function pinPublished(db: Queryable, records: readonly LogRecord[], mend: boolean): Promise<number> {
  const own = records.flatMap((record) => {
    const id = record.headers['ce_id'] ?? '';
    const service = /^\/weir\/([a-z-]+)$/.exec(record.headers['ce_source'] ?? '')?.[1];
    return service !== undefined && uuid.test(id) && writersOf(record.topic).includes(service) ? [{ id, service, record }] : [];
  });
  // The first content of an id counts.
  const first = [...new Map(own.toReversed().map((one) => [`${one.service} ${one.id}`, one])).values()];
  if (first.length === 0) return 0;
  const unknown = `FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::bytea[], $6::jsonb[]) AS u(id, service, topic, key, value, headers)
    WHERE NOT EXISTS (SELECT FROM outbox.events o WHERE o.service = u.service AND o.event_id = u.id)
      AND NOT EXISTS (SELECT FROM audit.entries a WHERE a.event_id = u.id)`;
  const { rows } = await db.query<{ n: number }>(
    mend
      ? `WITH added AS (INSERT INTO outbox.events (event_id, service, topic, key, value, headers, published)
           SELECT u.id, u.service, u.topic, u.key, u.value, u.headers, true ${unknown} ORDER BY 1 ON CONFLICT DO NOTHING RETURNING 1)
         SELECT count(*)::int AS n FROM added`
      : `SELECT count(*)::int AS n ${unknown}`,
    [
      first.map(({ id }) => id),
      first.map(({ service }) => service),
      first.map(({ record }) => record.topic),
      first.map(({ record }) => record.key),
      first.map(({ record }) => record.value),
      first.map(({ record }) => JSON.stringify(record.headers)),
    ],
  );
  return rows[0]?.n ?? 0;
}
