import type { Queryable } from '@weir/postgres';
import { indexedValue } from './filter.ts';
import {
  allConditions,
  findRare,
  type Found,
  type Ordered,
  type Page,
  type PageQuery,
  type Position,
  rareLimit,
  readColumns,
  readPage,
  readSql,
  run,
  statesWithRows,
  where,
} from './page.ts';
import { statesOf } from './states.ts';

/** The last row of the page before, or the last one that was read for it, in the order of value. */
export interface ValuePosition {
  /** Decimal; `unknownValue` for an unknown value. */
  readonly usd: string;
  readonly screeningId: string;
}

interface ValueQuery extends Omit<PageQuery, 'descending' | 'after'> {
  readonly after: ValuePosition | undefined;
}

interface ValuePage<Row> {
  readonly rows: readonly Row[];
  /** Undefined on the last page. */
  readonly next: ValuePosition | undefined;
}

/** Rows that a page reads where conditions must be checked: in the order of value, each is on another page of the table. */
const readLimit = 500;
/** PostgreSQL merges ranges without a sort only by columns that they have. */
const read = `${readColumns}, ${indexedValue} AS value`;
const rangeOrder = `ORDER BY ${indexedValue} DESC, s.screening_id DESC`;
const pageOrder = 'ORDER BY s.value DESC, s.screening_id DESC';

/**
 * Up to `limit` rows, the largest declared value first and those of unknown value last. Like `readPage`, it reads a bounded number of rows,
 * so a page may be short while `next` leads on.
 */
async function readByValue<Row extends { screening_id: string }>(tx: Queryable, query: ValueQuery): Promise<ValuePage<Row>> {
  const { columns, joins = '', limit, values, after } = query;
  const bounds = after && [
    `(${indexedValue}, s.screening_id) < ($${values.push(after.usd)}::numeric, $${values.push(after.screeningId)}::uuid)`,
  ];
  const rare = await findRare(tx, query);
  const { branches, conditions } = rare ?? (await findInOrder(tx, query));
  if (branches.length === 0) return { rows: [], next: undefined };
  const ranges = { branches: branches.map((branch) => [...branch, ...(bounds ?? [])]) };
  const most = conditions.length === 0 ? limit + 1 : readLimit;
  const found =
    rare === undefined ? `${readSql(ranges, rangeOrder, most, read)} ${pageOrder} LIMIT ${most}` : readSql(ranges, '', rareLimit, read);
  const { rows } = await run<Row & Valued>(
    tx,
    `SELECT ${columns}, s.value::text AS value FROM (${found}) AS s ${joins} ${where(conditions)} ${pageOrder} LIMIT ${limit + 1}`,
    values,
  );
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  if (last !== undefined || conditions.length === 0 || rare !== undefined) {
    return { rows: rows.slice(0, limit), next: last && positionOf(last) };
  }
  const end = await run<Valued>(
    tx,
    `SELECT s.screening_id, s.value::text AS value FROM (${found} OFFSET ${most - 1}) AS s LIMIT 1`,
    values,
  );
  return { rows, next: end.rows[0] && positionOf(end.rows[0]) };
}

/** By value, or by time of request. `after` must be of the same order. */
export async function readSorted<Row extends Ordered>(
  tx: Queryable,
  query: Omit<PageQuery, 'descending' | 'after'>,
  order: 'newest' | 'oldest' | 'value',
  after: Position | ValuePosition | undefined,
): Promise<ValuePage<Row> | Page<Row>> {
  if (order === 'value') return readByValue<Row>(tx, { ...query, after: after && 'usd' in after ? after : undefined });
  return readPage<Row>(tx, { ...query, descending: order === 'newest', after: after && 'usd' in after ? undefined : after });
}

/** Ranges of an index in the order of value, and the conditions that they leave. */
async function findInOrder(tx: Queryable, { filter, besides, values }: ValueQuery): Promise<Found> {
  const bounds = filter.indexed.flatMap(({ valueBounds }) => valueBounds ?? []);
  const rest = { ...filter, indexed: filter.indexed.filter(({ valueBounds }) => valueBounds === undefined) };
  const way = rest.indexed.find(({ inOrderOfValue }) => inOrderOfValue !== undefined);
  if (way?.inOrderOfValue !== undefined) {
    const others = rest.indexed.filter((each) => each !== way);
    return { branches: [[way.inOrderOfValue, ...bounds]], conditions: allConditions({ ...rest, indexed: others }) };
  }
  const states = await statesWithRows(tx, statesOf(filter.states), values);
  return {
    branches: [...states.map((state) => [state, ...bounds]), ...(besides === undefined ? [] : [[besides, ...bounds]])],
    conditions: allConditions({ ...rest, membership: [], stateConditions: besides === undefined ? [] : filter.stateConditions }),
  };
}

interface Valued extends Record<string, unknown> {
  readonly screening_id: string;
  readonly value: string;
}

function positionOf({ screening_id: screeningId, value: usd }: Valued): ValuePosition {
  return { usd, screeningId };
}
