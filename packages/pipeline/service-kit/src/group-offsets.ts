import type { EventLog, LogGap } from '@weir/event-log';
import type { Queryable } from '@weir/postgres';

export const offsetsEveryMs = 10_000;

/**
 * On Kafka offsets are at the brokers, and a restored database does not know which records it has handled. So each process stores the offsets
 * of its groups: a group had committed them before, and had handled all below them in this database.
 */
export async function keepOffsets(db: Queryable, log: Pick<EventLog, 'lag'>, groups: ReadonlySet<string>): Promise<void> {
  for (const group of groups) await recordOffsets(db, log, group);
}

/** Stores the offsets that the group has committed by now. */
export async function recordOffsets(db: Queryable, log: Pick<EventLog, 'lag'>, group: string): Promise<void> {
  const lags = await log.lag(group);
  if (lags.length === 0) return;
  await db.query(
    `INSERT INTO weir.group_offsets (group_name, topic, partition, read_up_to)
     SELECT $1, u.topic, u.partition, u.read_up_to FROM unnest($2::text[], $3::int[], $4::int8[]) AS u(topic, partition, read_up_to) ORDER BY 2, 3
     ON CONFLICT (group_name, topic, partition) DO UPDATE SET read_up_to = excluded.read_up_to, recorded_at = clock_timestamp()`,
    [group, lags.map(({ topic }) => topic), lags.map(({ partition }) => partition), lags.map(({ end, lag }) => String(end - lag))],
  );
}

/**
 * Where a group must go on in a restored database: partitions whose committed offset is past what the database has handled, with the offset
 * in `available`. Without a stored offset that is the first record.
 */
export async function findAhead(db: Queryable, log: Pick<EventLog, 'lag' | 'read'>, group: string): Promise<LogGap[]> {
  const { rows } = await db.query<{ topic: string; partition: number; read_up_to: bigint }>(
    'SELECT topic, partition, read_up_to FROM weir.group_offsets WHERE group_name = $1',
    [group],
  );
  const stored = new Map(rows.map(({ topic, partition, read_up_to }) => [`${topic}/${partition}`, read_up_to]));
  const ahead: LogGap[] = [];
  for (const { topic, partition, end, lag, gap } of await log.lag(group)) {
    const committed = end - lag;
    const handled = stored.get(`${topic}/${partition}`) ?? 0n;
    if (gap !== undefined || handled >= committed) continue;
    const [first] = await log.read(topic, partition, handled, 1);
    if (first === undefined || first.offset >= committed) continue;
    ahead.push({ group, topic, partition, missing: committed, available: first.offset });
  }
  return ahead;
}
