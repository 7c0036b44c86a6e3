import { EventLogError } from '../errors.ts';
import { gapOf } from '../gap.ts';
import { limits } from '../limits.ts';
import type { LogGap, LogRecord, PartitionLag, TopicSpec } from '../port.ts';
import { checkTopics } from '../topic-spec.ts';
import type { Database, Statement } from './database.ts';
import { type RecordRow, recordOf } from './rows.ts';
import { settings } from './settings.ts';

export interface TopicRow {
  readonly id: number;
  readonly name: string;
  readonly partitions: number;
}

const createStatement: Statement = {
  name: 'weir_log_create',
  text: `SELECT log.create_topic(t.name, t.partitions) FROM (
           SELECT n.name, n.partitions FROM unnest($1::text[], $2::smallint[]) n(name, partitions) LEFT JOIN log.topics t ON t.name = n.name
           ORDER BY t.id NULLS LAST, n.name) t`,
};
const findStatement: Statement = { name: 'weir_log_topics', text: 'SELECT id, name, partitions FROM log.topics WHERE name = ANY ($1)' };
const browseStatement: Statement = {
  name: 'weir_log_browse',
  text: `SELECT record_offset, appended_at_ms, key, headers, value FROM (
           SELECT r.*, sum(octet_length(r.value)) OVER (ORDER BY r.record_offset) - octet_length(r.value) AS before FROM (
             SELECT record_offset, appended_at_ms, key, headers, value FROM log.records
             WHERE topic = $1 AND partition = $2 AND record_offset >= $3
             ORDER BY topic, partition, record_offset LIMIT $4) r) b
         WHERE before < $5::bigint ORDER BY record_offset`,
};
const lagStatement: Statement = {
  name: 'weir_log_lag',
  text: `SELECT t.name AS topic, a.partition, p.next_offset - greatest(a.committed, p.first_offset) AS lag, p.next_offset AS "end", a.committed, p.first_offset
         FROM log.groups g JOIN log.assignments a ON a.group_id = g.id
         JOIN log.partitions p ON p.topic = a.topic AND p.partition = a.partition
         JOIN log.topics t ON t.id = a.topic
         WHERE g.name = $1 ORDER BY 1, 2`,
};
const endsStatement: Statement = {
  name: 'weir_log_ends',
  text: `SELECT p.next_offset AS "end" FROM log.topics t JOIN log.partitions p ON p.topic = t.id WHERE t.name = $1 ORDER BY p.partition`,
};
const resumeStatement: Statement = {
  name: 'weir_log_resume',
  text: `WITH resumed AS (
           UPDATE log.assignments a SET committed = greatest(a.committed, r.available), member = NULL, epoch = a.epoch + 1
           FROM unnest($1::text[], $2::text[], $3::smallint[], $4::bigint[]) r(group_name, topic_name, partition, available)
           JOIN log.groups g ON g.name = r.group_name JOIN log.topics t ON t.name = r.topic_name
           WHERE a.group_id = g.id AND a.topic = t.id AND a.partition = r.partition RETURNING a.group_id)
         SELECT log.announce(group_id) FROM (SELECT DISTINCT group_id FROM resumed) r`,
};

/** Creates topics, all or none. Locks them in the order of ids, as `log.join_group` does, then new ones by name. */
export async function createTopics(database: Database, topics: readonly TopicSpec[]): Promise<void> {
  checkTopics(topics);
  await database.run(createStatement, [topics.map((topic) => topic.name), topics.map((topic) => topic.partitions)]);
}

/** The rows of these topics. Throws `UNKNOWN_TOPIC` if one is missing. */
export async function findTopics(database: Database, names: readonly string[]): Promise<TopicRow[]> {
  const rows = await database.run<TopicRow>(findStatement, [names]);
  const missing = names.find((name) => !rows.some((row) => row.name === name));
  if (missing !== undefined) throw new EventLogError('UNKNOWN_TOPIC', `there is no topic ${missing}`);
  return rows;
}

export async function findTopic(database: Database, name: string): Promise<TopicRow> {
  const [row] = await findTopics(database, [name]);
  if (row === undefined) throw new EventLogError('UNKNOWN_TOPIC', `there is no topic ${name}`);
  return row;
}

export async function browse(database: Database, topic: string, partition: number, from: bigint, limit: number): Promise<LogRecord[]> {
  const { id, partitions } = await findTopic(database, topic);
  if (!Number.isInteger(partition) || partition < 0 || partition >= partitions) {
    throw new EventLogError('UNKNOWN_PARTITION', `${topic} has no partition ${partition}`);
  }
  const count = Math.max(0, Math.min(Math.floor(limit), limits.browseRecords));
  const rows = await database.run<RecordRow>(browseStatement, [id, partition, from, count, settings.readBytes]);
  return rows.map((row) => recordOf(row, topic, partition));
}

export async function endsOf(database: Database, topic: string): Promise<bigint[]> {
  const rows = await database.run<{ end: bigint }>(endsStatement, [topic]);
  if (rows.length === 0) throw new EventLogError('UNKNOWN_TOPIC', `there is no topic ${topic}`);
  return rows.map(({ end }) => end);
}

interface LagRow extends PartitionLag {
  readonly committed: bigint;
  readonly first_offset: bigint;
}

export async function lagOf(database: Database, group: string): Promise<PartitionLag[]> {
  const rows = await database.run<LagRow>(lagStatement, [group]);
  return rows.map(({ topic, partition, lag, end, committed, first_offset }) => ({
    topic,
    partition,
    lag,
    end,
    ...gapOf(group, topic, partition, committed, first_offset),
  }));
}

/** A member with such a partition finds its epoch gone and claims it again. */
export async function resumeAt(database: Database, gaps: readonly LogGap[]): Promise<void> {
  await database.run(resumeStatement, [
    gaps.map(({ group }) => group),
    gaps.map(({ topic }) => topic),
    gaps.map(({ partition }) => partition),
    gaps.map(({ available }) => available),
  ]);
}

const forgetStatement: Statement = {
  name: 'weir_log_forget_group',
  text: `
    WITH active AS (SELECT m.id FROM log.members m JOIN log.groups g ON g.id = m.group_id WHERE g.name = $1 AND weir.session_alive(m.owner)),
      gone AS (DELETE FROM log.assignments a USING log.groups g
               WHERE g.id = a.group_id AND g.name = $1 AND NOT EXISTS (SELECT FROM active))
    SELECT EXISTS (SELECT FROM active) AS active`,
};

export async function forgetGroup(database: Database, group: string): Promise<void> {
  const [row] = await database.run<{ active: boolean }>(forgetStatement, [group]);
  if (row?.active) throw new EventLogError('GROUP_ACTIVE', `${group} has members; stop its service first`);
}
