import { createHash } from 'node:crypto';
import { type Queryable, prepared } from '@weir/postgres';

const keyOf = (url: URL): Buffer => createHash('sha256').update(url.href).digest();

/** The receiver answered 410 Gone. Applies to all replicas and survives restarts. */
export async function noteGone(db: Queryable, url: URL, now: number): Promise<void> {
  await db.query(prepared('INSERT INTO console.webhooks_gone (url_sha256, gone_at) VALUES ($1, $2) ON CONFLICT DO NOTHING'), [
    keyOf(url),
    new Date(now),
  ]);
}

export async function isGone(db: Queryable, url: URL): Promise<boolean> {
  const { rows } = await db.query(prepared('SELECT gone_at FROM console.webhooks_gone WHERE url_sha256 = $1'), [keyOf(url)]);
  return rows.length > 0;
}

/** A person resumes deliveries to it. */
export async function forgetGone(db: Queryable, url: URL): Promise<void> {
  await db.query('DELETE FROM console.webhooks_gone WHERE url_sha256 = $1', [keyOf(url)]);
}
