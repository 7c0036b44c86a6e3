import type { LogGap } from '@weir/event-log';
import { prepared, type Queryable } from '@weir/postgres';

/** Stores the offsets of gaps that a group resumes after, because the log forgets them. */
export async function recordGaps(db: Queryable, gaps: readonly LogGap[]): Promise<void> {
  await db.query(
    prepared(`INSERT INTO log.gaps AS g (group_name, topic, partition, missing, available)
     SELECT * FROM unnest($1::text[], $2::text[], $3::int[], $4::bigint[], $5::bigint[])
     ON CONFLICT (group_name, topic, partition, missing) DO UPDATE SET available = excluded.available, rebuilt_at = NULL
     WHERE g.available < excluded.available`),
    valuesOf(gaps),
  );
}

/** Recorded gaps of a group that nobody has rebuilt since. */
export async function findRecordedGaps(db: Queryable, group: string): Promise<LogGap[]> {
  const { rows } = await db.query<{ topic: string; partition: number; missing: string; available: string }>(
    prepared(`SELECT topic, partition, missing::text, available::text FROM log.gaps WHERE group_name = $1 AND rebuilt_at IS NULL
     ORDER BY topic, partition, missing`),
    [group],
  );
  return rows.map(({ missing, available, ...place }) => ({ group, ...place, missing: BigInt(missing), available: BigInt(available) }));
}

/** Also stores gaps that the group has not resumed after yet, so that they are not rebuilt a second time. */
export async function noteRebuilt(db: Queryable, gaps: readonly LogGap[]): Promise<void> {
  await db.query(
    prepared(`INSERT INTO log.gaps AS g (group_name, topic, partition, missing, available, rebuilt_at)
     SELECT *, clock_timestamp() FROM unnest($1::text[], $2::text[], $3::int[], $4::bigint[], $5::bigint[])
     ON CONFLICT (group_name, topic, partition, missing) DO UPDATE
     SET available = excluded.available, rebuilt_at = excluded.rebuilt_at
     -- The group may have resumed after more meanwhile.
     WHERE g.available <= excluded.available`),
    valuesOf(gaps),
  );
}

function valuesOf(gaps: readonly LogGap[]): unknown[] {
  return [
    gaps.map(({ group }) => group),
    gaps.map(({ topic }) => topic),
    gaps.map(({ partition }) => partition),
    gaps.map(({ missing }) => missing),
    gaps.map(({ available }) => available),
  ];
}
