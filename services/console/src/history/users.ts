import type { Pool, Queryable } from '@weir/postgres';
import { sqlOf } from '../filter.ts';
import { expressions } from '../migrations.ts';
import { newestSql, readInOrder, run } from '../page.ts';
import { state, statesOf } from '../states.ts';
import { mostOthers, mostTransfers } from './addresses.ts';
import { named, openRowsOf, totals } from './groups.ts';
import type { Totals, UserView } from './view.ts';

interface Row extends Totals, Record<string, unknown> {
  /** Of kind, action, level, whether it waits for people: the group is by this one. */
  readonly part: number;
  readonly value: string | null;
}

const ofUser = `${expressions.user_id} = $1`;

/** One of the caller's customers; undefined without a screening. Reads the customer's sums, and screenings without a decision. */
export function findUser(db: Pool, userId: string): Promise<UserView | undefined> {
  return readInOrder(db, (tx) => sumUp(tx, userId));
}

async function sumUp(db: Queryable, userId: string): Promise<UserView | undefined> {
  const parts = [1, 2, 3, 4].map(
    (part) => `SELECT ${part} AS part, c.key[${part}] AS value, ${totals} FROM sums AS c GROUP BY 2 HAVING sum(c.count) > 0`,
  );
  const { rows } = await db.query<Row>(
    `WITH sums AS MATERIALIZED (
       SELECT key, count, total, unknown FROM console.rollups WHERE series = 'users' AND owner = $1
       UNION ALL SELECT key, count, total, unknown FROM (${openRowsOf(ofUser)}) AS o WHERE series = 'users')
     ${parts.join(' UNION ALL ')} ORDER BY count DESC, value`,
    [userId],
  );
  const times = await findTimes(db, userId);
  if (times === undefined) return undefined;
  const counterparties = await findCounterparties(db, userId);
  const of = (part: number): Row[] => rows.filter((row) => row.part === part);
  const actions = named(of(2), 'action') as UserView['actions'];
  const held = actions.find(({ action }) => action === 'review');
  return {
    user_id: userId,
    kinds: named(of(1), 'kind') as UserView['kinds'],
    actions,
    levels: named(of(3), 'level') as UserView['levels'],
    held: { count: held?.count ?? 0, usd: held?.usd ?? null, unknown_usd: held?.unknown_usd ?? 0 },
    counterparties: named(counterparties, 'address') as UserView['counterparties'],
    open_reviews: of(4).find(({ value }) => value === 'true')?.count ?? 0,
    first_requested_at: times.first.toISOString(),
    last_requested_at: times.last.toISOString(),
  };
}

/** The addresses on the other side of the newest transfers. */
async function findCounterparties(db: Queryable, userId: string): Promise<Row[]> {
  const values: unknown[] = [];
  const newest = await newestSql(db, sqlOf({ user_id: userId }, values), values, mostTransfers);
  if (newest === undefined) return [];
  const usd = "console.usd(s.request -> 'transfer' ->> 'usd_value')";
  const { rows } = await run<Row>(
    db,
    `SELECT c.other AS value, ${totals} FROM (
       SELECT 1 AS count, ${usd} AS total, (${usd} IS NULL)::int AS unknown,
         s.request -> 'transfer' ->> CASE s.kind WHEN 'deposit' THEN 'from_address' ELSE 'to_address' END AS other
       FROM (${newest}) AS s) AS c GROUP BY 1 ORDER BY count DESC, value LIMIT ${mostOthers}`,
    values,
  );
  return rows;
}

/** The ends of each range of the index. */
async function findTimes(db: Queryable, userId: string): Promise<{ first: Date; last: Date } | undefined> {
  const end = (direction: string): string =>
    `SELECT s.requested_at AS at FROM console.screenings s WHERE ${ofUser} AND ${state} = t.state ORDER BY s.requested_at ${direction}, s.screening_id ${direction} LIMIT 1`;
  const { rows } = await db.query<{ first: Date | null; last: Date | null }>(
    `SELECT min(a.at) AS first, max(z.at) AS last FROM unnest('{${statesOf({}).join(',')}}'::smallint[]) AS t(state)
     CROSS JOIN LATERAL (${end('ASC')}) AS a CROSS JOIN LATERAL (${end('DESC')}) AS z`,
    [userId],
  );
  const { first = null, last = null } = rows[0] ?? {};
  return first === null || last === null ? undefined : { first, last };
}
