import kafkajs from 'kafkajs';

/** Partitions of each member of a group, fewest first; undefined during a rebalance. */
export type Shares = (group: string) => Promise<readonly number[] | undefined>;

/** Reads the assignment from the brokers. */
export async function watchGroups(brokers: string): Promise<{ shares: Shares; close(): Promise<void> }> {
  const admin = new kafkajs.Kafka({ brokers: brokers.split(','), logLevel: kafkajs.logLevel.NOTHING }).admin();
  await admin.connect();
  return {
    shares: async (group) => {
      const [described] = (await admin.describeGroups([group])).groups;
      if (described?.state !== 'Stable') return undefined;
      const counts = described.members.map(({ memberAssignment }) => {
        const { assignment = {} } = kafkajs.AssignerProtocol.MemberAssignment.decode(memberAssignment) ?? {};
        return Object.values(assignment).flat().length;
      });
      return counts.sort((a, b) => a - b);
    },
    close: () => admin.disconnect(),
  };
}
