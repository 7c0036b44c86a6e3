import { createHash } from 'node:crypto';
import { prepared, type Queryable } from '@weir/postgres';

/**
 * Names the feed that a key sees; the key itself stands nowhere. Without the API's address, which may change (our own is another with each port): the place
 * in the feed would be lost with it.
 */
export function feedName(apiKey: string): string {
  return createHash('sha256').update(`score changes\n${apiKey}`).digest('hex');
}

/** A feed that this process may read. */
export interface HeldFeed {
  /** Null: not begun. */
  readonly cursor: string | null;
}

/** Takes the feed for `owner` (a session), unless one that lives has it. Nothing is written for who has it already. */
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

/** Notes that the API has no feed, or, with `cursor` null, that it is to be begun anew. */
export async function setFeed(db: Queryable, feed: string, to: { isAbsent: boolean; cursor: string | null }): Promise<void> {
  await db.query('UPDATE scoring.feeds SET is_absent = $2, cursor = $3, caught_up_at = now() WHERE feed = $1', [
    feed,
    to.isAbsent,
    to.cursor,
  ]);
}
