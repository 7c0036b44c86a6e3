import type { Database, Statement } from './database.ts';
import type { LogGap } from '../port.ts';
import type { Member } from './member.ts';
import type { GroupMember, GroupPartition } from '../shares.ts';

interface StateMember extends GroupMember {
  readonly group_id: number;
  readonly owner: string;
  readonly alive: boolean;
}

interface StatePartition extends GroupPartition {
  readonly group_id: number;
}

export interface GroupState {
  readonly members: readonly StateMember[];
  readonly partitions: readonly StatePartition[];
}

const stateStatement: Statement = {
  name: 'weir_log_state',
  text: `
    SELECT
      coalesce((SELECT json_agg(json_build_object('id', m.id, 'group_id', m.group_id, 'owner', m.owner, 'topics', m.topics, 'alive', o.alive))
        FROM log.members m
        JOIN (SELECT owner, weir.session_alive(owner) AS alive
              FROM (SELECT DISTINCT owner FROM log.members WHERE group_id = ANY ($1::integer[])) d) o ON o.owner = m.owner
        WHERE m.group_id = ANY ($1::integer[])), '[]') AS members,
      coalesce((SELECT json_agg(json_build_object('group_id', group_id, 'topic', topic, 'partition', partition, 'member', member, 'epoch', epoch))
        FROM log.assignments WHERE group_id = ANY ($1::integer[])), '[]') AS partitions`,
};

const forgetStatement: Statement = {
  name: 'weir_log_forget',
  text: 'DELETE FROM log.members WHERE id = ANY ($1) AND NOT weir.session_alive(owner)',
};

const removeStatement: Statement = {
  name: 'weir_log_remove',
  text: `WITH gone AS (DELETE FROM log.members WHERE id = ANY ($1) RETURNING group_id)
         SELECT log.announce(group_id) FROM (SELECT DISTINCT group_id FROM gone) g`,
};

// The first claim that knows `begin` decides the start; older versions raised the epoch without deciding. Another process may have declared
// the member dead.
const claimStatement: Statement = {
  name: 'weir_log_claim',
  text: `
    UPDATE log.assignments a SET member = $2, epoch = a.epoch + 1, begun = true,
      committed = CASE WHEN $6 AND NOT a.begun AND a.committed = 0 THEN p.first_offset ELSE a.committed END
    FROM unnest($3::smallint[], $4::smallint[], $5::integer[]) c(topic, partition, epoch), log.partitions p
    WHERE a.group_id = $1 AND a.topic = c.topic AND a.partition = c.partition AND a.epoch = c.epoch
      AND p.topic = a.topic AND p.partition = a.partition AND EXISTS (SELECT FROM log.members WHERE id = $2)
    RETURNING a.topic, a.partition, a.epoch, a.committed, p.first_offset`,
};

interface ClaimedRow {
  readonly topic: number;
  readonly partition: number;
  readonly epoch: number;
  readonly committed: bigint;
  readonly first_offset: bigint;
}

export async function readGroups(database: Database, groupIds: readonly number[]): Promise<GroupState> {
  const [state] = await database.run<GroupState>(stateStatement, [groupIds]);
  return state ?? { members: [], partitions: [] };
}

export async function forgetMembers(database: Database, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await database.run(forgetStatement, [ids]);
}

/** Removes members, alive or not. */
export async function removeMembers(database: Database, ids: readonly string[]): Promise<void> {
  await database.run(removeStatement, [ids]);
}

/** Claims free partitions and returns their gaps. Skips those that another member claimed first. */
export async function claim(database: Database, member: Member, wanted: readonly GroupPartition[]): Promise<LogGap[]> {
  if (wanted.length === 0) return [];
  const rows = await database.run<ClaimedRow>(claimStatement, [
    member.groupId,
    member.id,
    wanted.map((each) => each.topic),
    wanted.map((each) => each.partition),
    wanted.map((each) => each.epoch),
    member.begin === 'present',
  ]);
  return rows.flatMap((row) => member.gain(row.topic, row.partition, row.epoch, row.committed, row.first_offset) ?? []);
}
