import { type Pool, type Queryable, transaction } from '@weir/postgres';
import { state, type States, statesOf } from './states.ts';

/** A position between rows of a list in the order of time: the last row of the page before, or the last one that was read for it. */
export interface Position {
  /** Unix milliseconds of the time that orders the list. */
  readonly requestedAt: number;
  readonly screeningId: string;
}

/** A filter that an index answers by key, in the order of time. */
export interface IndexedFilter {
  /** Indexed expressions: a row of any of them belongs to the list. */
  readonly expressions: readonly string[];
  /** A query with one column `key` of this type. */
  readonly keys: string;
  readonly keyType: 'text' | 'integer';
  /** Whether the index has the state behind the key. */
  readonly hasState: boolean;
  /** Whether each row with such a key matches. */
  readonly isExact: boolean;
  /** The same as a condition. */
  readonly condition: string;
  /** The condition by which an index has these rows in the order of value. */
  readonly inOrderOfValue?: string;
  /** The same as a condition on the value that the indexes by value have. */
  readonly valueBounds?: string;
}

/** SQL of a filter over `console.screenings s`. */
export interface FilterSql {
  /** SQL of the few ids that the list is of. */
  readonly ids: string | undefined;
  readonly states: States;
  /** Kind, level and action as conditions. */
  readonly stateConditions: readonly string[];
  /** Those that usually have fewer rows first. */
  readonly indexed: readonly IndexedFilter[];
  /** On the time, which each index has. */
  readonly times: readonly string[];
  /** No index answers these. */
  readonly conditions: readonly string[];
  /** Which standings belong to the list, as conditions, where `states` names some. */
  readonly membership?: readonly string[];
}

export interface PageQuery {
  /** Of `s` and `joins`. */
  readonly columns: string;
  readonly joins?: string;
  readonly filter: FilterSql;
  /** Further rows of the list: the condition of a partial index in the order of time. None of them is of a state of the filter. */
  readonly besides?: string;
  readonly values: unknown[];
  readonly descending: boolean;
  readonly limit: number;
  readonly after: Position | undefined;
}

export interface Page<Row> {
  readonly rows: readonly Row[];
  /** Undefined on the last page. */
  readonly next: Position | undefined;
}

/** Rows of an index that a page reads, where conditions must be checked row by row. It bounds the time of any list. */
export const readLimit = 2_000;
/** A filter with at most so many rows is rare: the page reads all of them. */
export const rareLimit = 500;

/** The tables are large or will be. Estimates of rarely met keys are wrong by orders, and only ordered index scans stop by themselves. */
const orderedScans = ['seqscan', 'sort', 'incremental_sort', 'bitmapscan', 'hashjoin', 'mergejoin', 'material', 'memoize']
  .map((name) => `SET LOCAL enable_${name} = off`)
  .join('; ');

/** Reads in one transaction whose plans scan indexes in order. */
export function readInOrder<T>(db: Pool, work: (tx: Queryable) => Promise<T>): Promise<T> {
  return transaction(db, async (tx) => {
    const [, result] = await Promise.all([tx.query(`${orderedScans}; SET LOCAL jit = off`), work(tx)]);
    return result;
  });
}

export const readColumns =
  's.screening_id, s.requested_at, s.request, s.result, s.decisions, s.revision, s.action, s.kind, s.level, s.subject';

export interface Found {
  /** Conditions on rows of one range of an index. No row is in two. */
  readonly branches: readonly (readonly string[])[];
  /** What the ranges leave to check. */
  readonly conditions: readonly string[];
}

/**
 * Up to `limit` rows in the order of time. Reads at most `readLimit` rows, of the filter that has the fewest. When fewer than `limit` of them
 * match, the page is short and `next` is the last row read.
 */
export async function readPage<Row extends Ordered>(tx: Queryable, query: PageQuery): Promise<Page<Row>> {
  const { columns, joins = '', limit, values } = query;
  const order = orderOf(query);
  const found = await findBranches(tx, query);
  const { conditions } = found;
  if (found.branches.length === 0) return { rows: [], next: undefined };
  const most = conditions.length === 0 ? limit + 1 : readLimit;
  const read = `${readSql(found, query.filter.ids === undefined ? order : '', most)} ${order}`;
  const { rows } = await run<Row>(
    tx,
    `SELECT ${columns}, s.requested_at AS ordered_at FROM (${read} LIMIT ${most}) AS s ${joins} ${where(conditions)} ${order} LIMIT ${limit + 1}`,
    values,
  );
  const page = cutPage(rows, limit);
  if (page.next !== undefined || conditions.length === 0) return page;
  const last = await run<Ordered>(
    tx,
    `SELECT s.screening_id, s.requested_at AS ordered_at FROM (${read} OFFSET ${most - 1} LIMIT 1) AS s`,
    values,
  );
  return { rows: page.rows, next: last.rows[0] && positionOf(last.rows[0]) };
}

/** In any order: up to `limit` rows, if a filter has at most `rareLimit`; else undefined. `order` is SQL of a time, then come the ids. */
export async function readRare<Row extends Ordered>(tx: Queryable, query: PageQuery, order: string): Promise<Page<Row> | undefined> {
  const { columns, joins = '', limit, values, after } = query;
  const rare = await findRare(tx, query);
  if (rare === undefined) return undefined;
  if (rare.branches.length === 0) return { rows: [], next: undefined };
  const wanted = [...rare.conditions, ...afterSql(values, after, order, '>')];
  const { rows } = await run<Row>(
    tx,
    `SELECT ${columns}, ${order} AS ordered_at FROM (${readSql(rare, '', rareLimit)}) AS s ${joins} ${where(wanted)}
     ORDER BY ${order}, s.screening_id LIMIT ${limit + 1}`,
    values,
  );
  return cutPage(rows, limit);
}

/** All rows of the filter that has the fewest, if they are at most `rareLimit`. */
export async function findRare(
  tx: Queryable,
  query: Omit<PageQuery, 'after' | 'descending' | 'limit' | 'columns'>,
): Promise<Found | undefined> {
  const found = await findBranches(tx, { ...query, descending: true, after: undefined });
  if (found.branches.length === 0) return found;
  const { rows } = await run<{ count: number }>(
    tx,
    `SELECT count(*)::int AS count FROM (${readSql(found, '', rareLimit + 1)} LIMIT ${rareLimit + 1}) AS s`,
    query.values,
  );
  return (rows[0]?.count ?? 0) > rareLimit ? undefined : found;
}

/** SQL of the newest rows, up to `most`, of a filter that an index answers; undefined where it has none. Appends to `values`. */
export async function newestSql(tx: Queryable, filter: FilterSql, values: unknown[], most: number): Promise<string | undefined> {
  const found = await findBranches(tx, { filter, values, descending: true, after: undefined });
  const order = orderOf({ descending: true });
  return found.branches.length === 0 ? undefined : `${readSql(found, order, most)} ${order} LIMIT ${most}`;
}

export function readSql({ branches }: Pick<Found, 'branches'>, order: string, most: number, columns = readColumns): string {
  const parts = branches.map((branch) => `(SELECT ${columns} FROM console.screenings s ${where(branch)} ${order} LIMIT ${most})`);
  return `SELECT * FROM (${parts.join(' UNION ALL ')}) AS s`;
}

async function findBranches(
  tx: Queryable,
  query: Pick<PageQuery, 'filter' | 'besides' | 'values' | 'descending' | 'after'>,
): Promise<Found> {
  const { filter, besides, values, descending, after } = query;
  const { ids, indexed, membership = [], stateConditions } = filter;
  const bounds = [...filter.times, ...afterSql(values, after, 's.requested_at', descending ? '<' : '>')];
  if (ids !== undefined) return { branches: [[`s.screening_id = ANY(${ids})`, ...bounds]], conditions: allConditions(filter) };
  const wanted = statesOf(filter.states);
  const isAll = wanted.length === statesOf({}).length;
  if (indexed.length === 0 && isAll) return { branches: [bounds], conditions: filter.conditions };
  // The state alone is another way to read a list by a key without state.
  const ways: readonly Way[] = isAll || indexed.some(({ hasState }) => hasState) ? indexed : [...indexed, byState];
  const ranges = await findRanges(tx, { ways, states: wanted, bounds, values });
  const way = await rarestOf(tx, { ways, ranges, states: wanted, bounds, values });
  const rest = besides !== undefined && way.hasState ? [[besides, ...bounds]] : [];
  const conditions = [
    ...filter.conditions,
    ...(way.hasState && besides === undefined ? [] : stateConditions),
    ...(way.hasState ? [] : membership),
    ...indexed.filter((each) => each !== way || !each.isExact || besides !== undefined).map(({ condition }) => condition),
  ];
  const branches = ranges
    .filter((range) => range.way === way)
    .map(({ side, key, state: number }) => [
      ...(key === null ? [] : [`${way.expressions[side]} = $${values.push(key)}::${way.keyType}`]),
      ...(way.hasState ? [`${state} = ${number}`] : []),
      // A row with such keys on both sides is in the range of the first.
      ...way.expressions.slice(0, side).map((earlier) => `(${earlier} IN (${way.keys})) IS NOT TRUE`),
      ...bounds,
    ]);
  return { branches: [...branches, ...rest], conditions };
}

/** Those on the time, too. */
export function allConditions({ conditions, stateConditions, membership = [], indexed, times }: FilterSql): string[] {
  return [...times, ...conditions, ...stateConditions, ...membership, ...indexed.map(({ condition }) => condition)];
}

type Way = Pick<IndexedFilter, 'expressions' | 'keys' | 'keyType' | 'hasState' | 'isExact'>;
const byState: Way = { expressions: [''], keys: '', keyType: 'text', hasState: true, isExact: true };

interface Range {
  readonly way: Way;
  /** Which expression. */
  readonly side: number;
  /** Null: the range is of a state alone. */
  readonly key: string | null;
  readonly state: number;
}

interface Ways {
  readonly ways: readonly Way[];
  readonly states: readonly number[];
  readonly bounds: readonly string[];
  readonly values: unknown[];
}

/** Those of the states, each as conditions, that have a row. */
export async function statesWithRows(tx: Queryable, states: readonly number[], values: unknown[]): Promise<string[]> {
  const ranges = await findRanges(tx, { ways: [byState], states, bounds: [], values });
  return ranges.map(({ state: number }) => `${state} = ${number}`);
}

/** The ranges that have a row. */
async function findRanges(tx: Queryable, { ways, states, bounds, values }: Ways): Promise<Range[]> {
  const parts = ways.flatMap((way, index) =>
    way.expressions.map(
      (_, side) =>
        `SELECT ${index} AS way, ${side} AS side, ${way === byState ? 'NULL' : 'k.key::text'} AS key, t.state::int AS state
         FROM ${lateral(way, side, { states, bounds, most: 1 })}`,
    ),
  );
  const { rows } = await run<Omit<Range, 'way'> & { way: number }>(tx, parts.join(' UNION ALL '), values);
  return rows.flatMap(({ way, ...range }) => ways.slice(way, way + 1).map((found) => ({ ...range, way: found })));
}

/** Where no way is rare, the first. */
async function rarestOf(tx: Queryable, { ways, ranges, states, bounds, values }: Ways & { ranges: readonly Range[] }): Promise<Way> {
  const [first = byState] = ways;
  const empty = ways.find((way) => !ranges.some((range) => range.way === way));
  if (empty !== undefined) return empty;
  if (ways.length === 1) return first;
  const most = rareLimit + 1;
  const counts = ways.map((way) => {
    const sides = way.expressions.map((_, side) => `(SELECT FROM ${lateral(way, side, { states, bounds, most })} LIMIT ${most})`);
    return `(SELECT count(*) FROM (${sides.join(' UNION ALL ')}) AS n)::int`;
  });
  const { rows } = await run<{ counts: number[] }>(tx, `SELECT ARRAY[${counts.join(', ')}] AS counts`, values);
  const counted = rows[0]?.counts ?? [];
  const least = Math.min(...counted);
  return least <= rareLimit ? (ways[counted.indexOf(least)] ?? first) : first;
}

/** Up to `most` rows of each range of a way. */
function lateral(
  way: Way,
  side: number,
  { states, bounds, most }: { states: readonly number[]; bounds: readonly string[]; most: number },
): string {
  const keys = way === byState ? '' : `(${way.keys}) AS k(key) CROSS JOIN `;
  const conditions = [
    ...(way === byState ? [] : [`${way.expressions[side]} = k.key`]),
    ...(way.hasState ? [`${state} = t.state`] : []),
    ...bounds,
  ];
  return `${keys}unnest('{${(way.hasState ? states : [0]).join(',')}}'::smallint[]) AS t(state)
    CROSS JOIN LATERAL (SELECT FROM console.screenings s ${where(conditions)} LIMIT ${most}) AS hit`;
}

function orderOf({ descending }: Pick<PageQuery, 'descending'>): string {
  const direction = descending ? 'DESC' : 'ASC';
  return `ORDER BY s.requested_at ${direction}, s.screening_id ${direction}`;
}

export function where(conditions: readonly string[]): string {
  return conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
}

function afterSql(values: unknown[], after: Position | undefined, time: string, operator: '<' | '>'): string[] {
  if (after === undefined) return [];
  const [at, id] = [values.push(new Date(after.requestedAt).toISOString()), values.push(after.screeningId)];
  return [`(${time}, s.screening_id) ${operator} ($${at}::timestamptz, $${id}::uuid)`];
}

export interface Ordered extends Record<string, unknown> {
  readonly screening_id: string;
  readonly ordered_at: Date;
}

/** Of rows that were read with one more than `limit`. */
export function cutPage<Row extends Ordered>(rows: readonly Row[], limit: number): Page<Row> {
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  return { rows: rows.slice(0, limit), next: last && positionOf(last) };
}

export function positionOf({ screening_id: screeningId, ordered_at: at }: Ordered): Position {
  return { requestedAt: at.getTime(), screeningId };
}

/** A statement may use some of the values; PostgreSQL takes only those. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller knows the rows of its statement
export function run<Row extends Record<string, unknown>>(
  tx: Queryable,
  text: string,
  values: readonly unknown[],
): Promise<{ rows: Row[] }> {
  const used = [...new Set(text.match(/\$\d+/g))];
  return tx.query<Row>(
    text.replace(/\$\d+/g, (name) => `$${used.indexOf(name) + 1}`),
    used.map((name) => values[Number(name.slice(1)) - 1]),
  );
}
