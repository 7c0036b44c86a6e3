import type { Pool } from '@weir/postgres';
import { sqlOf } from '../filter.ts';
import { expressions } from '../migrations.ts';
import { newestSql, readInOrder, run } from '../page.ts';
import { named, totals } from './groups.ts';
import type { AddressView, Totals } from './view.ts';

/** Transfers that are summed up, the newest. It bounds the time for an address that everybody uses. */
export const mostTransfers = 1_000;
export const mostOthers = 20;

interface Row extends Totals, Record<string, unknown> {
  readonly part: 'all' | 'action' | 'level' | 'day' | 'side' | 'counterparty' | 'customer';
  readonly value: string | null;
  /** Of `day`. */
  readonly level: string | null;
  /** Of `all`. */
  readonly first: Date | null;
  readonly last: Date | null;
}

/** An address on either side of transfers; undefined without a screening. */
export async function findAddress(db: Pool, address: string): Promise<AddressView | undefined> {
  const rows = await readInOrder(db, async (tx) => {
    const values: unknown[] = [];
    const filter = sqlOf({ address }, values);
    const newest = await newestSql(tx, filter, values, mostTransfers);
    const [same] = filter.indexed;
    if (newest === undefined || same === undefined) return [];
    const group = (part: Row['part'], value: string, level = 'NULL'): string =>
      `SELECT '${part}' AS part, ${value} AS value, ${level} AS level, ${totals}, min(c.at) AS first, max(c.at) AS last FROM newest AS c GROUP BY 2, 3`;
    const most = (part: Row['part'], value: string): string => `(${group(part, value)} ORDER BY count DESC, value LIMIT ${mostOthers})`;
    const of = (field: string): string => `s.request -> 'transfer' ->> '${field}'`;
    const isFrom = `coalesce(${expressions.from_address} IN (${same.keys}), false)`;
    const usd = "console.usd(s.request -> 'transfer' ->> 'usd_value')";
    const found = await run<Row>(
      tx,
      `WITH newest AS MATERIALIZED (
         SELECT 1 AS count, ${usd} AS total, (${usd} IS NULL)::int AS unknown, s.requested_at AS at, s.action, s.level,
           ${of('user_id')} AS user_id, CASE WHEN ${isFrom} THEN 'from' ELSE 'to' END AS side,
           CASE WHEN ${isFrom} THEN ${of('to_address')} ELSE ${of('from_address')} END AS counterparty FROM (${newest}) AS s)
       ${[
         group('all', 'NULL'),
         group('action', 'c.action'),
         group('level', 'c.level'),
         group('side', 'c.side'),
         most('counterparty', 'c.counterparty'),
         most('customer', 'c.user_id'),
         group('day', "to_char(c.at AT TIME ZONE 'UTC', 'YYYY-MM-DD')", 'c.level'),
       ].join(' UNION ALL ')} ORDER BY count DESC, value`,
      values,
    );
    return found.rows;
  });
  const of = (part: Row['part']): Row[] => rows.filter((row) => row.part === part);
  const [all] = of('all');
  if (all === undefined || all.first === null || all.last === null) return undefined;
  return {
    address,
    transfers: { count: all.count, usd: all.usd, unknown_usd: all.unknown_usd },
    is_complete: all.count < mostTransfers,
    sides: named(of('side'), 'side') as AddressView['sides'],
    counterparties: named(of('counterparty'), 'address') as AddressView['counterparties'],
    customers: named(of('customer'), 'user_id') as AddressView['customers'],
    actions: named(of('action'), 'action') as AddressView['actions'],
    levels: named(of('level'), 'level') as AddressView['levels'],
    days: [...Map.groupBy(of('day'), ({ value }) => value ?? '')]
      .map(([day, levels]) => ({
        day,
        levels: named(
          levels.map((row) => ({ ...row, value: row.level })),
          'level',
        ) as AddressView['levels'],
      }))
      .toSorted((a, b) => a.day.localeCompare(b.day)),
    first_requested_at: all.first.toISOString(),
    last_requested_at: all.last.toISOString(),
  };
}
