import type { Queryable } from '@weir/postgres';
import { expressions } from '../migrations.ts';
import { isForPeople } from '../reviews/standing.ts';
import { groupScreenings } from './groups.ts';
import type { Action, Level, UserView } from './view.ts';

/** One of the caller's customers; undefined without a screening. Reads every screening of the customer. */
export async function findUser(db: Queryable, userId: string): Promise<UserView | undefined> {
  const of = { where: `${expressions.user_id} = $1`, values: [userId] };
  const columns = { kind: 's.kind', action: 's.action', level: 's.level' };
  const groups = await groupScreenings<{ kind: 'deposit' | 'withdrawal'; action: Action; level: Level }>(db, columns, of);
  const { rows } = await db.query<{ first: Date | null; last: Date | null; open: number }>(
    `SELECT min(s.requested_at) AS first, max(s.requested_at) AS last, (count(*) FILTER (WHERE ${isForPeople}))::int AS open
     FROM console.screenings s WHERE ${of.where}`,
    of.values,
  );
  const { first = null, last = null, open = 0 } = rows[0] ?? {};
  if (first === null || last === null) return undefined;
  const held = groups.action.find(({ action }) => action === 'review');
  return {
    user_id: userId,
    kinds: groups.kind,
    actions: groups.action,
    levels: groups.level,
    held: { count: held?.count ?? 0, usd: held?.usd ?? null, unknown_usd: held?.unknown_usd ?? 0 },
    open_reviews: open,
    first_requested_at: first.toISOString(),
    last_requested_at: last.toISOString(),
  };
}
