import { type Claimed, type Queryable, prepared } from '@weir/postgres';
import type { NewDelivery } from './payload.ts';
import type { Attempt } from './send.ts';

export const deliveries = { name: 'console.deliveries', key: 'event_id', keyType: 'uuid', lockOrder: 'event_id' } as const;

/** A delivery that this process sends. Its id is the event's. */
export interface ClaimedDelivery extends Claimed {
  readonly id: string;
  readonly screeningId: string;
  readonly revision: number;
  /** Before this one. */
  readonly attempts: number;
  readonly body: Buffer;
}

/** Stores deliveries. Existing rows keep their body and state. */
export async function store(db: Queryable, decisions: readonly NewDelivery[], now: number): Promise<void> {
  await db.query(
    prepared(`INSERT INTO console.deliveries (event_id, screening_id, revision, body, state, created_at, queued_at, next_at)
     SELECT u.id, u.screening, u.revision, u.body, 'pending', u.now, u.now, u.now
     FROM (SELECT *, $5::timestamptz AS now FROM unnest($1::uuid[], $2::uuid[], $3::int[], $4::bytea[]) AS v(id, screening, revision, body)) AS u
     -- One order for all, so that two who store the same do not wait for each other.
     ORDER BY u.id ON CONFLICT (event_id) DO NOTHING`),
    [
      decisions.map(({ eventId }) => eventId),
      decisions.map(({ screeningId }) => screeningId),
      decisions.map(({ revision }) => revision),
      decisions.map(({ body }) => body),
      new Date(now),
    ],
  );
}

interface Row extends Record<string, unknown> {
  event_id: string;
  screening_id: string;
  revision: number;
  attempts: number;
  body: Buffer;
}

/** Claims up to `room` due and unowned deliveries, longest due first. Skips a screening while an earlier revision is pending. */
export async function claim(db: Queryable, owner: string, room: number, now: number): Promise<ClaimedDelivery[]> {
  const { rows } = await db.query<Row>(
    prepared(`WITH due AS MATERIALIZED (
       SELECT d.event_id FROM console.deliveries d
       WHERE d.state = 'pending' AND d.owner IS NULL AND d.next_at <= $3 AND NOT EXISTS (
         SELECT FROM console.deliveries e WHERE e.screening_id = d.screening_id AND e.revision < d.revision AND e.state = 'pending')
       ORDER BY d.next_at, d.event_id LIMIT $2 FOR UPDATE OF d SKIP LOCKED)
     UPDATE console.deliveries d SET owner = $1 FROM due WHERE d.event_id = due.event_id
     RETURNING d.event_id, d.screening_id, d.revision, d.attempts, d.body`),
    [owner, room, new Date(now)],
  );
  return rows.map((row) => ({
    id: row.event_id,
    screeningId: row.screening_id,
    revision: row.revision,
    attempts: row.attempts,
    body: row.body,
    owner,
  }));
}

/** The receiver has it, so this holds for any owner. */
export async function noteDelivered(db: Queryable, { id }: ClaimedDelivery, { status }: Attempt, now: number): Promise<void> {
  await db.query(
    prepared(`UPDATE console.deliveries SET state = 'delivered', owner = NULL, attempts = attempts + 1, attempted_at = $2, settled_at = $2,
       last_status = $3, last_error = NULL
     WHERE event_id = $1 AND state <> 'delivered'`),
    [id, new Date(now), status],
  );
}

/**
 * Schedules the next attempt after `delayMs`, or gives up if undefined. Only while we own the row and no person has asked for a retry
 * meanwhile.
 */
export async function noteFailed(
  db: Queryable,
  claimed: ClaimedDelivery,
  { status, error }: Attempt,
  { now, delayMs }: { now: number; delayMs: number | undefined },
): Promise<void> {
  const { id, owner, attempts } = claimed;
  const { rowCount } = await db.query(
    prepared(`UPDATE console.deliveries SET state = $4, owner = NULL, attempts = attempts + 1, attempted_at = $5, next_at = $6,
       settled_at = CASE WHEN $4 = 'failed' THEN $5::timestamptz END, last_status = $7, last_error = $8
     WHERE event_id = $1 AND owner = $2 AND attempts = $3 AND state = 'pending'`),
    [id, owner, attempts, delayMs === undefined ? 'failed' : 'pending', new Date(now), new Date(now + (delayMs ?? 0)), status, error],
  );
  if (rowCount === 0) await release(db, claimed);
}

/** Releases an unsent delivery. */
export async function release(db: Queryable, { id, owner }: ClaimedDelivery): Promise<void> {
  await db.query(prepared('UPDATE console.deliveries SET owner = NULL WHERE event_id = $1 AND owner = $2'), [id, owner]);
}

/** The start of an outage in Unix milliseconds, and its first failed event. */
export interface Outage {
  readonly since: number;
  readonly eventId: string;
}

/** After an outage, makes failed deliveries due now. Skips the first failed event, which may have caused the outage. */
export async function hasten(db: Queryable, { since, eventId }: Outage, now: number): Promise<void> {
  await db.query(
    prepared(
      `UPDATE console.deliveries SET next_at = $1 WHERE state = 'pending' AND next_at > $1 AND attempted_at >= $2 AND event_id <> $3`,
    ),
    [new Date(now), new Date(since), eventId],
  );
}
