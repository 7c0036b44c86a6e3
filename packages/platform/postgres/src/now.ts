import { prepared, type Queryable } from './pool.ts';

/** The database's time in Unix milliseconds. Deadlines use it because replicas' clocks may disagree. */
export async function databaseNow(db: Queryable): Promise<number> {
  const { rows } = await db.query<{ now: number }>(prepared('SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now'));
  const [row] = rows;
  if (row === undefined) throw new TypeError('the database returned no time');
  return row.now;
}
