import kafkajs from 'kafkajs';

/** How many partitions each member of a group has, fewest first; undefined while the group changes. */
export type Shares = (group: string) => Promise<readonly number[] | undefined>;

/** Asks the brokers themselves who has what. */
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
