import type { Pool } from '@weir/postgres';
import { settings } from './settings.ts';

// One step of one partition: at most $4 records. Boundary: the first record of the step that is too young or that some group
// has not committed. The partition's row is moved first, as in every append, so the two never wait for each other in a circle.
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
 * Deletes records appended more than `retentionMs` ago that every group of their topic has committed past, in bounded
 * transactions; never one that a group has not read. A topic that no group has ever subscribed to is left alone: nobody has
 * read it. Safe to run from several processes. Returns how many were deleted.
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
