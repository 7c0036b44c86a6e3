import { prepared, type Queryable } from './pool.ts';

/** The database's time, Unix milliseconds. Deadlines count by it: replicas have clocks of their own, which may disagree. */
export async function databaseNow(db: Queryable): Promise<number> {
  const { rows } = await db.query<{ now: number }>(prepared('SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now'));
  const [row] = rows;
  if (row === undefined) throw new TypeError('the database did not say what time it is');
  return row.now;
}
