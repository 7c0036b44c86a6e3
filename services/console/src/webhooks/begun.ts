import type { EventLog } from '@weir/event-log';
import { type Queryable, prepared } from '@weir/postgres';

/** Where a group without offsets starts: at the first record there is, or, if it has begun before, at offset 0, so that lost records are a gap. */
export async function beginOf(db: Queryable, group: string): Promise<'start' | 'present'> {
  const { rows } = await db.query(prepared('SELECT FROM console.begun_groups WHERE name = $1'), [group]);
  return rows.length > 0 ? 'start' : 'present';
}

/** Call after subscribing: a group that is noted and has no offsets yet would stop where the log is trimmed. */
export async function noteBegun(db: Queryable, group: string): Promise<void> {
  await db.query(prepared('INSERT INTO console.begun_groups (name) VALUES ($1) ON CONFLICT DO NOTHING'), [group]);
}

/** The consumer group of webhooks. */
export const webhookGroup = 'webhooks';

/**
 * Makes the next start of webhooks the first one. Throws `GROUP_ACTIVE` while a console posts them. The log goes first: a position that
 * outlives it alone would be a gap.
 */
export async function forgetWebhooks(db: Queryable, log: EventLog): Promise<void> {
  await log.forget(webhookGroup);
  const { rows } = await db.query<{ found: boolean }>(`SELECT to_regclass('console.begun_groups') IS NOT NULL AS found`);
  if (rows[0]?.found) await db.query('DELETE FROM console.begun_groups WHERE name = $1', [webhookGroup]);
}
