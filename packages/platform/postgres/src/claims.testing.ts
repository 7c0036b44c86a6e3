import type { Claimed, Queryable } from './index.ts';

/** A table of work in two lanes, as its owner would write it. */
export const jobs = { name: 'jobs', key: 'id', keyType: 'int8', lockOrder: 'id' } as const;

export const createJobs = `CREATE TABLE jobs (id bigint PRIMARY KEY, lane smallint NOT NULL DEFAULT 0, owner text, round integer NOT NULL DEFAULT 0,
  is_done boolean NOT NULL DEFAULT false)`;

export interface Job extends Claimed {
  readonly id: bigint;
  readonly lane: number;
  readonly round: number;
}

/** The urgent lane first, then by id. */
export async function claimJobs(db: Queryable, owner: string, room: number): Promise<Job[]> {
  const { rows } = await db.query<{ id: bigint; lane: number; round: number }>(
    `WITH due AS MATERIALIZED (SELECT id FROM jobs WHERE owner IS NULL AND NOT is_done ORDER BY lane, id LIMIT $2 FOR UPDATE SKIP LOCKED)
     UPDATE jobs SET owner = $1 FROM due WHERE jobs.id = due.id RETURNING jobs.id, jobs.lane, jobs.round`,
    [owner, Math.max(room, 0)],
  );
  return rows.map((row) => ({ ...row, owner })).toSorted((a, b) => a.lane - b.lane || Number(a.id - b.id));
}
