import type { Totals } from './view.ts';
import { rolledUpOf } from '../rollups.ts';
import { state, statesOf } from '../states.ts';

/** A row of `console.rollups` for each screening `s` with these conditions, of any state. */
export function rowsOf(conditions: string): string {
  return `SELECT c.* FROM console.screenings s CROSS JOIN LATERAL ${rolledUpOf('s')} AS c WHERE ${conditions}`;
}

const open = `unnest('{${statesOf({ standings: ['open'] }).join(',')}}'::smallint[])`;

/** The same for those without a decision, which the rollups leave out. Each state is a range of an index. */
export function openRowsOf(conditions: string): string {
  return `SELECT c.* FROM ${open} AS t(state) CROSS JOIN LATERAL (
     SELECT * FROM console.screenings s WHERE ${state} = t.state AND ${conditions} OFFSET 0) AS s CROSS JOIN LATERAL ${rolledUpOf('s')} AS c`;
}

/** Sums of rows of rollups `c`. */
export const totals = `sum(c.count)::float8 AS count, CASE WHEN sum(c.count) > sum(c.unknown) THEN trim_scale(sum(c.total))::text END AS usd,
  sum(c.unknown)::float8 AS unknown_usd`;

/** The groups as an answer has them: the value stands under this name. */
export function named(rows: readonly (Totals & { readonly value: string | null })[], name: string): unknown {
  return rows.map(({ value, count, usd, unknown_usd }) => ({ [name]: value, count, usd, unknown_usd }));
}
