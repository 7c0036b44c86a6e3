import kafkajs, { type Cluster, type GroupMember, type GroupMemberAssignment, type PartitionAssigner } from 'kafkajs';
import type { TopicPartition } from '../port.ts';
import { type GroupPartition, moves } from '../shares.ts';

const { MemberAssignment, MemberMetadata } = kafkajs.AssignerProtocol;

/** `holds`: partitions that the member keeps until their work is done. */
export interface Applicant {
  readonly id: string;
  readonly topics: readonly string[];
  readonly holds: readonly TopicPartition[];
}

/** A member's own partitions and its name when the group assigned them. A changed name voids the claim. */
export interface Claims {
  readonly memberId: string;
  readonly holds: readonly TopicPartition[];
}

const name = 'weir-cooperative';

/**
 * Cooperative rebalancing, as KIP-429: a member with too many partitions finishes some and rejoins without them. kafkajs itself revokes all
 * at every change.
 */
export function cooperativeAssigner(claims: () => Claims): PartitionAssigner {
  return ({ cluster }) => ({
    name,
    version: 1,
    protocol: ({ topics }) => ({
      name,
      metadata: MemberMetadata.encode({ version: 1, topics, userData: Buffer.from(JSON.stringify(claims())) }),
    }),
    assign: async ({ members }) => {
      const applicants = members.map(applicantOf);
      const topics = [...new Set(applicants.flatMap((applicant) => applicant.topics))];
      const shares = shareOut(applicants, await countPartitions(cluster, topics));
      return [...shares].map(([memberId, share]): GroupMemberAssignment => ({ memberId, memberAssignment: encodeShare(share) }));
    },
  });
}

/** This client does not know the topics of other members yet. */
async function countPartitions(cluster: Cluster, topics: readonly string[]): Promise<Map<string, number>> {
  await cluster.addMultipleTargetTopics([...topics]);
  await cluster.refreshMetadata();
  return new Map(topics.map((topic) => [topic, cluster.findTopicPartitionMetadata(topic).length]));
}

/** The new assignment. A moving partition stays unassigned until its owner releases it. */
export function shareOut(applicants: readonly Applicant[], counts: ReadonlyMap<string, number>): Map<string, TopicPartition[]> {
  const topics = [...counts.keys()].sort();
  const members = applicants.map(({ id, topics: read }) => ({ id, topics: read.map((topic) => topics.indexOf(topic)) }));
  const partitions = topics.flatMap((topic, number) =>
    Array.from({ length: counts.get(topic) ?? 0 }, (_, partition): GroupPartition => {
      const holder = applicants.find(
        ({ topics: read, holds }) => read.includes(topic) && holds.some((held) => held.topic === topic && held.partition === partition),
      );
      return { topic: number, partition, member: holder?.id ?? null, epoch: 0 };
    }),
  );
  return new Map(
    members.map(({ id }) => {
      const { claim, release } = moves(id, members, partitions);
      const kept = partitions.filter((each) => each.member === id && !release.includes(each));
      return [id, [...kept, ...claim].map(({ topic, partition }) => ({ topic: topics[topic] ?? '', partition }))];
    }),
  );
}

function applicantOf({ memberId, memberMetadata }: GroupMember): Applicant {
  const metadata = MemberMetadata.decode(memberMetadata);
  const claims = parseClaims(metadata?.userData);
  return { id: memberId, topics: metadata?.topics ?? [], holds: claims?.memberId === memberId ? claims.holds : [] };
}

function parseClaims(bytes: Buffer | undefined): Claims | undefined {
  try {
    return JSON.parse(bytes?.toString() ?? '') as Claims;
  } catch {
    return undefined;
  }
}

function encodeShare(share: readonly TopicPartition[]): Buffer {
  const byTopic = Map.groupBy(share, ({ topic }) => topic);
  const assignment = Object.fromEntries([...byTopic].map(([topic, all]) => [topic, all.map(({ partition }) => partition)]));
  return MemberAssignment.encode({ version: 1, assignment, userData: Buffer.alloc(0) });
}
