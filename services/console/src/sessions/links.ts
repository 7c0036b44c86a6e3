import type { Queryable } from '@weir/postgres';
import { hashToken } from '@weir/service-kit';

const lifeMs = 600_000;

/** The secret of a link that signs in once, within ten minutes, as the holder of this stored token. */
export async function createSignInLink(db: Queryable, random: (bytes: number) => Buffer, token: string): Promise<string> {
  const secret = random(32).toString('base64url');
  await db.query('DELETE FROM console.sign_in_links WHERE ends_at < clock_timestamp()');
  await db.query(
    'INSERT INTO console.sign_in_links (link_sha256, token_sha256, ends_at) VALUES ($1, $2, clock_timestamp() + make_interval(secs => $3))',
    [hashToken(secret), hashToken(token), lifeMs / 1_000],
  );
  return secret;
}

/** The SHA-256 of the link's token; undefined for a link that is unknown, used or too old. */
export async function redeemSignInLink(db: Queryable, link: string): Promise<Buffer | undefined> {
  const { rows } = await db.query<{ token_sha256: Buffer; is_open: boolean }>(
    'DELETE FROM console.sign_in_links WHERE link_sha256 = $1 RETURNING token_sha256, ends_at > clock_timestamp() AS is_open',
    [hashToken(link)],
  );
  const [row] = rows;
  return row?.is_open === true ? row.token_sha256 : undefined;
}
