import { advisoryLock, type Pool, prepared, type Queryable, transaction } from '@weir/postgres';
import { asConflict, digestOf, type NewEntry } from './entry.ts';

export interface Appended {
  /** Without repeats. */
  readonly added: readonly NewEntry[];
}

/**
 * Appends new entries in order, in one transaction. An advisory lock serialises writers, so indexes commit in order:
 * a reader that sees an index has seen all below it.
 */
export async function append(pool: Pool, entries: readonly NewEntry[]): Promise<Appended> {
  if (entries.length === 0) return { added: [] };
  return transaction(pool, async (tx) => {
    await tx.query(prepared(`SELECT ${advisoryLock('audit-append')}`));
    const added = await withoutRepeats(tx, entries);
    if (added.length > 0) await insert(tx, added);
    return { added };
  });
}

/** An entry with a taken id is a repeat if the digests match. Otherwise it gets its own id: evidence is never dropped. */
async function withoutRepeats(tx: Queryable, entries: readonly NewEntry[]): Promise<NewEntry[]> {
  const taken = new Map<string, string>();
  const added: NewEntry[] = [];
  let open = entries;
  while (open.length > 0) {
    const unknown = open.map((entry) => entry.eventId).filter((id) => !taken.has(id));
    for (const [id, digest] of await digests(tx, unknown)) taken.set(id, digest);
    const conflicts: NewEntry[] = [];
    for (const entry of open) {
      const there = taken.get(entry.eventId);
      if (there !== undefined && there !== entry.digest) conflicts.push(asConflict(entry));
      if (there !== undefined) continue;
      taken.set(entry.eventId, entry.digest);
      added.push(entry);
    }
    open = conflicts;
  }
  return added;
}

async function digests(tx: Queryable, ids: readonly string[]): Promise<(readonly [string, string])[]> {
  if (ids.length === 0) return [];
  const { rows } = await tx.query<{ event_id: string; topic: string; key: string; sha256: Buffer }>(
    prepared('SELECT event_id, topic, key, sha256(value) AS sha256 FROM audit.entries WHERE event_id = ANY($1::uuid[])'),
    [ids],
  );
  return rows.map((row) => [row.event_id, digestOf(row.topic, row.key, row.sha256)] as const);
}

async function insert(tx: Queryable, entries: readonly NewEntry[]): Promise<void> {
  await tx.query(
    prepared(`INSERT INTO audit.entries
       (index, event_id, conflicts_with, topic, key, value, headers, log_partition, log_offset, event_time, screening_id)
     SELECT base.next + u.n - 1, u.event_id, u.conflicts_with, u.topic, u.key, u.value, u.headers, u.part, u.off, u.time, u.screening
     FROM (SELECT coalesce(max(index) + 1, 0) AS next FROM audit.entries) AS base,
       unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::bytea[], $6::jsonb[], $7::int[], $8::bigint[], $9::timestamptz[], $10::uuid[])
       WITH ORDINALITY AS u(event_id, conflicts_with, topic, key, value, headers, part, off, time, screening, n)
     ORDER BY u.n`),
    [
      entries.map((entry) => entry.eventId),
      entries.map((entry) => entry.conflictsWith),
      entries.map((entry) => entry.topic),
      entries.map((entry) => entry.key),
      entries.map((entry) => entry.value),
      entries.map((entry) => JSON.stringify(entry.headers)),
      entries.map((entry) => entry.partition),
      entries.map((entry) => entry.offset),
      entries.map((entry) => new Date(entry.time).toISOString()),
      entries.map((entry) => entry.screeningId),
    ],
  );
}
