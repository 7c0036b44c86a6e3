import { createHash } from 'node:crypto';
import { prepared, type Queryable } from '@weir/postgres';

/**
 * Names the feed that a key sees, without storing the key. The API's address is left out: it may change (the embedded API gets a new port
 * each start), and the cursor would be lost.
 */
export function feedName(apiKey: string): string {
  return createHash('sha256').update(`score changes\n${apiKey}`).digest('hex');
}

export interface HeldFeed {
  /** Null: not begun. */
  readonly cursor: string | null;
}

/** Takes the feed for `owner` (a session), unless a live session owns it. Writes nothing for the present owner. */
export async function holdFeed(db: Queryable, feed: string, owner: string): Promise<HeldFeed | undefined> {
  const { rows } = await db.query<{ cursor: string | null; owner: string | null }>(
    prepared('SELECT cursor, owner FROM scoring.feeds WHERE feed = $1'),
    [feed],
  );
  if (rows[0]?.owner === owner) return { cursor: rows[0].cursor };
  const { rows: taken } = await db.query<{ cursor: string | null }>(
    prepared(`INSERT INTO scoring.feeds AS f (feed, owner) VALUES ($1, $2)
     ON CONFLICT (feed) DO UPDATE SET owner = excluded.owner WHERE f.owner IS NULL OR NOT weir.session_alive(f.owner) RETURNING cursor`),
    [feed, owner],
  );
  return taken[0];
}

export async function releaseFeed(db: Queryable, feed: string, owner: string): Promise<void> {
  await db.query('UPDATE scoring.feeds SET owner = NULL WHERE feed = $1 AND owner = $2', [feed, owner]);
}

/** Records that the API has no feed, or, with `cursor` null, that the feed begins anew. */
export async function setFeed(db: Queryable, feed: string, to: { isAbsent: boolean; cursor: string | null }): Promise<void> {
  await db.query('UPDATE scoring.feeds SET is_absent = $2, cursor = $3, caught_up_at = now() WHERE feed = $1', [
    feed,
    to.isAbsent,
    to.cursor,
  ]);
}
