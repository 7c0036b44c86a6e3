import type { Queryable } from '@weir/postgres';
import type { Totals } from './view.ts';

const usd = "console.usd(s.request -> 'transfer' ->> 'usd_value')";

/** Totals of screenings by value of each column, which stands under the column's name. */
export type Groups<Keys> = { readonly [Name in keyof Keys]: readonly (Totals & Readonly<Record<Name, Keys[Name]>>)[] };

/** Counts screenings `s` by each column in one pass. `columns`: SQL by name. Largest groups first. */
export async function groupScreenings<Keys>(
  db: Queryable,
  columns: Readonly<Record<keyof Keys & string, string>>,
  { where, values }: { readonly where: string; readonly values: unknown[] },
): Promise<Groups<Keys>> {
  const all = Object.entries<string>(columns);
  const { rows } = await db.query<Totals & Record<string, unknown> & { set: number }>(
    `SELECT ${all.map(([name, expression]) => `${expression} AS ${name}`).join(', ')},
       (CASE ${all.map(([, expression], index) => `WHEN GROUPING(${expression}) = 0 THEN ${index}`).join(' ')} END)::int AS set,
       count(*)::int AS count, trim_scale(sum(${usd}))::text AS usd, (count(*) FILTER (WHERE ${usd} IS NULL))::int AS unknown_usd
     FROM console.screenings s WHERE ${where} GROUP BY GROUPING SETS (${all.map((_, index) => `(${index + 1})`).join(', ')})
     ORDER BY count DESC`,
    values,
  );
  const groups = all.map(([name], index) => [
    name,
    rows
      .filter(({ set }) => set === index)
      .map(({ [name]: key, count, usd: sum, unknown_usd }) => ({ [name]: key, count, usd: sum, unknown_usd })),
  ]);
  return Object.fromEntries(groups) as Groups<Keys>;
}
