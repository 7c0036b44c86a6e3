/** The last row of the page before. */
export interface Position {
  /** Unix milliseconds of the time that orders the list. */
  readonly requestedAt: number;
  readonly screeningId: string;
}

/** SQL of a filter that an index answers for one key at a time, in the order of time. */
export interface Branch {
  readonly expression: string;
  /** A query with one column `key`. */
  readonly keys: string;
}

export interface PageQuery {
  readonly columns: string;
  /** Joins to the screenings `s`. */
  readonly joins?: string;
  readonly conditions: readonly string[];
  /** A row of any branch belongs to the list. None: each row does. */
  readonly branches: readonly Branch[];
  readonly values: unknown[];
  /** The time that orders the list. */
  readonly orderedBy: string;
  readonly descending: boolean;
  readonly limit: number;
  readonly after: Position | undefined;
}

/**
 * Up to `limit` screenings and one more. A branch reads the first rows of each of its keys from its index and merges them, because the
 * planner would read and sort every row of a busy address. Appends to `values`.
 */
export function pageSql({ columns, joins = '', conditions, branches, values, orderedBy, descending, limit, after }: PageQuery): string {
  const wanted = [...conditions];
  if (after !== undefined) {
    const [at, id] = [values.push(new Date(after.requestedAt).toISOString()), values.push(after.screeningId)];
    wanted.push(`(${orderedBy}, s.screening_id) ${descending ? '<' : '>'} ($${at}::timestamptz, $${id}::uuid)`);
  }
  const direction = descending ? 'DESC' : 'ASC';
  const first = `ORDER BY ${orderedBy} ${direction}, s.screening_id ${direction} LIMIT $${values.push(limit + 1)}`;
  const where = (...more: string[]): string => (wanted.length + more.length === 0 ? '' : `WHERE ${[...more, ...wanted].join(' AND ')}`);
  const found = branches.map(
    ({ expression, keys }) => `SELECT hit.screening_id FROM (${keys}) AS k CROSS JOIN LATERAL (
       SELECT s.screening_id FROM console.screenings s ${joins} ${where(`${expression} = k.key`)} ${first}) AS hit`,
  );
  return found.length === 0
    ? `SELECT ${columns}, ${orderedBy} AS ordered_at FROM console.screenings s ${joins} ${where()} ${first}`
    : `SELECT ${columns}, ${orderedBy} AS ordered_at FROM (${found.join(' UNION ')}) AS found
       JOIN console.screenings s ON s.screening_id = found.screening_id ${joins} ${first}`;
}

/** The rows of a page, of those that `pageSql` found. `next` is undefined on the last page. */
export function cutPage<Row extends { screening_id: string; ordered_at: Date }>(
  rows: readonly Row[],
  limit: number,
): { rows: Row[]; next: Position | undefined } {
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  const next = last === undefined ? undefined : { requestedAt: last.ordered_at.getTime(), screeningId: last.screening_id };
  return { rows: rows.slice(0, limit), next };
}
