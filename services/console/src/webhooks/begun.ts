import { type Queryable, prepared } from '@weir/postgres';

/** Where a group without offsets starts: at the first record there is, or, if it has begun before, at offset 0, so that lost records are a gap. */
export async function beginOf(db: Queryable, group: string): Promise<'start' | 'present'> {
  const { rows } = await db.query(prepared('SELECT FROM console.begun_groups WHERE name = $1'), [group]);
  return rows.length > 0 ? 'start' : 'present';
}

/** Call after subscribing: a group that is noted and has no offsets yet would stop where the log is trimmed. */
export async function noteBegun(db: Queryable, group: string): Promise<void> {
  await db.query(prepared('INSERT INTO console.begun_groups (name) VALUES ($1) ON CONFLICT DO NOTHING'), [group]);
}
