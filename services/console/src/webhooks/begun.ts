import type { EventLog } from '@weir/event-log';
import { type Pool, prepared, type Queryable, transaction } from '@weir/postgres';
import type { Person } from '@weir/reviews';
import { recordActivity } from '@weir/service-kit';

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
 * Makes the next start of webhooks the first one, and records who did. Throws `GROUP_ACTIVE` while a console posts them. The log goes first: a position that
 * outlives it alone would be a gap.
 */
export async function forgetWebhooks(pool: Pool, log: EventLog, { by, now }: { by: Person; now: number }): Promise<void> {
  await log.forget(webhookGroup);
  await transaction(pool, async (tx) => {
    const { rows } = await tx.query<{ found: boolean }>(`SELECT to_regclass('console.begun_groups') IS NOT NULL AS found`);
    if (rows[0]?.found !== true) return;
    const { rowCount } = await tx.query('DELETE FROM console.begun_groups WHERE name = $1', [webhookGroup]);
    if (rowCount === 0) return;
    await recordActivity(tx, { action: 'webhooks_ended', subjectType: 'webhooks', subject: webhookGroup, by, at: now });
  });
}
