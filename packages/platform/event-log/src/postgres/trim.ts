import type { Pool } from '@weir/postgres';
import { settings } from './settings.ts';

// At most $4 records, up to the first too young or uncommitted one. Locks the partition's row first, as every append does, so the two never
// deadlock.
const step = `
  WITH due AS (
    SELECT p.topic, p.partition, p.first_offset, least(p.first_offset + $4, c.committed, young.record_offset) AS boundary
    FROM log.partitions p
    JOIN (SELECT topic, partition, min(committed) AS committed FROM log.assignments GROUP BY 1, 2) c
      ON c.topic = p.topic AND c.partition = p.partition
    LEFT JOIN LATERAL (
      SELECT r.record_offset FROM log.records r
      WHERE r.topic = p.topic AND r.partition = p.partition
        AND r.record_offset >= p.first_offset AND r.record_offset < p.first_offset + $4 AND r.appended_at_ms >= $3
      ORDER BY r.topic, r.partition, r.record_offset LIMIT 1) young ON true
    WHERE p.topic = $1 AND p.partition = $2),
  moved AS (
    UPDATE log.partitions p SET first_offset = d.boundary FROM due d
    WHERE p.topic = d.topic AND p.partition = d.partition AND p.first_offset = d.first_offset AND d.boundary > d.first_offset
    RETURNING d.topic, d.partition, d.first_offset AS start, d.boundary),
  gone AS (
    DELETE FROM log.records r USING moved m
    WHERE r.topic = m.topic AND r.partition = m.partition AND r.record_offset >= m.start AND r.record_offset < m.boundary
    RETURNING 1)
  SELECT (SELECT count(*) FROM gone) AS deleted FROM moved`;

/**
 * Deletes records older than `retentionMs` that every group has committed, except topics without any group. Safe to run from several
 * processes. Returns their number.
 */
export async function trimLog(pool: Pool, retentionMs: number): Promise<number> {
  const { rows: clock } = await pool.query<{ before: bigint }>(
    'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint - $1::bigint AS before',
    [Math.floor(retentionMs)],
  );
  const { rows } = await pool.query<{ topic: number; partition: number }>(
    'SELECT DISTINCT topic, partition FROM log.assignments ORDER BY 1, 2',
  );
  let deleted = 0;
  for (const { topic, partition } of rows) {
    for (;;) {
      const { rows: moved } = await pool.query<{ deleted: bigint }>(step, [topic, partition, clock[0]?.before, settings.trimBatch]);
      if (moved[0] === undefined) break;
      deleted += Number(moved[0].deleted);
    }
  }
  return deleted;
}
