import { jsonArray, type Pool, prepared, type Queryable, transaction } from '@weir/postgres';
import { asConflict, digestOf, entryDigest, type NewEntry } from './entry.ts';
import { growTree, hashLeaves, type LeafEntry, lockTree, type Random } from './tree.ts';

/** An earlier version has written entries that are not in the tree. `takeIn` appends them. */
export class TreeBehindError extends Error {
  readonly code = 'AUDIT_TREE_BEHIND';
  readonly retriable = true;
}

/**
 * Appends new entries and their leaves in order, in one transaction, and returns them without repeats. An advisory lock serialises writers,
 * so indexes commit in order: a reader that sees an index has seen all below it. Rejects with `TreeBehindError`.
 */
export async function append(pool: Pool, entries: readonly NewEntry[], random: Random): Promise<readonly NewEntry[]> {
  if (entries.length === 0) return [];
  return transaction(pool, async (tx) => {
    const { frontier, now } = await lockTree(tx);
    const added = await withoutRepeats(tx, entries);
    if (added.length === 0) return added;
    // PostgreSQL stores the entries while their leaves are hashed here.
    const inserted = insert(tx, added, frontier.size, now);
    const leaves = hashLeaves(
      added.map((entry) => leafEntry(entry, now)),
      random,
    );
    await inserted.catch(asBehind);
    await growTree(tx, frontier, leaves);
    return added;
  });
}

/** In place of a digest. A repeat must not bring an erased payload back, and nothing is left to compare it with. */
const erased = 'erased';

/** An entry with a taken id is a repeat if the digests match. Otherwise it gets its own id: evidence is never dropped. */
async function withoutRepeats(tx: Queryable, entries: readonly NewEntry[]): Promise<NewEntry[]> {
  const taken = new Map<string, NewEntry | string>();
  const added: NewEntry[] = [];
  let open = entries;
  while (open.length > 0) {
    const unknown = open.map((entry) => entry.eventId).filter((id) => !taken.has(id));
    for (const [id, digest] of await digests(tx, unknown)) taken.set(id, digest);
    const conflicts: NewEntry[] = [];
    for (const entry of open) {
      const there = taken.get(entry.eventId);
      if (there !== undefined && !isRepeat(entry, there)) conflicts.push(asConflict(entry));
      if (there !== undefined) continue;
      taken.set(entry.eventId, entry);
      added.push(entry);
    }
    open = conflicts;
  }
  return added;
}

/** `there`: the entry in this batch, or the digest of the stored one. */
function isRepeat(entry: NewEntry, there: NewEntry | string): boolean {
  return there === erased || entryDigest(entry) === (typeof there === 'string' ? there : entryDigest(there));
}

async function digests(tx: Queryable, ids: readonly string[]): Promise<(readonly [string, string])[]> {
  if (ids.length === 0) return [];
  const { rows } = await tx.query<{ event_id: string; topic: string; key: string; sha256: Buffer; is_erased: boolean }>(
    prepared(
      'SELECT event_id, topic, key, sha256(value) AS sha256, erased_by IS NOT NULL AS is_erased FROM audit.entries WHERE event_id = ANY($1::uuid[])',
    ),
    [ids],
  );
  return rows.map((row) => [row.event_id, row.is_erased ? erased : digestOf(row.topic, row.key, row.sha256)] as const);
}

async function insert(tx: Queryable, entries: readonly NewEntry[], first: number, now: string): Promise<void> {
  await tx.query(
    prepared(`INSERT INTO audit.entries
       (index, event_id, conflicts_with, topic, key, value, headers, log_partition, log_offset, event_time, screening_id, recorded_at)
     SELECT $11::bigint + u.n - 1, u.event_id, u.conflicts_with, u.topic, u.key, u.value, u.headers, u.part, u.off, u.time, u.screening, $12::timestamptz
     FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::bytea[], $6::jsonb[], $7::int[], $8::bigint[], $9::timestamptz[], $10::uuid[])
       WITH ORDINALITY AS u(event_id, conflicts_with, topic, key, value, headers, part, off, time, screening, n)
     ORDER BY u.n`),
    [
      entries.map((entry) => entry.eventId),
      entries.map((entry) => entry.conflictsWith),
      entries.map((entry) => entry.topic),
      entries.map((entry) => entry.key),
      entries.map((entry) => entry.value),
      jsonArray(
        'jsonb',
        entries.map((entry) => JSON.stringify(entry.headers)),
      ),
      entries.map((entry) => entry.partition),
      entries.map((entry) => entry.offset),
      entries.map((entry) => new Date(entry.time).toISOString()),
      entries.map((entry) => entry.screeningId),
      first,
      now,
    ],
  );
}

function asBehind(error: unknown): never {
  const { code, constraint } = error as { code?: unknown; constraint?: unknown };
  if (code === '23505' && constraint === 'entries_pkey')
    throw new TreeBehindError('the log has entries that are not in its tree', { cause: error });
  throw error;
}

function leafEntry(entry: NewEntry, now: string): LeafEntry {
  return {
    event_id: entry.eventId,
    conflicts_with: entry.conflictsWith,
    topic: entry.topic,
    key: entry.key,
    value: entry.value,
    headers: entry.headers,
    log_partition: entry.partition,
    log_offset: entry.offset,
    event_time: new Date(entry.time).toISOString().replace('Z', '000Z'),
    recorded_at: now,
    screening_id: entry.screeningId,
  };
}
