export interface GroupMember {
  readonly id: string;
  readonly topics: readonly number[];
}

export interface GroupPartition {
  readonly topic: number;
  readonly partition: number;
  readonly member: string | null;
  readonly epoch: number;
}

export interface Moves {
  readonly claim: readonly GroupPartition[];
  readonly release: readonly GroupPartition[];
}

/**
 * One member's claims and releases for a fair share. All members compute the same shares from the same rows, so claims never collide.
 * Remainders rotate from topic to topic. A member prefers partitions by its rank: members of one process, whose ids begin alike, then have
 * the same partitions in each group, and the process can carry an event from one stage to the next.
 */
export function moves(me: string, members: readonly GroupMember[], partitions: readonly GroupPartition[]): Moves {
  const claim: GroupPartition[] = [];
  const release: GroupPartition[] = [];
  const ordered = [...members].sort((a, b) => (a.id < b.id ? -1 : 1));
  let turn = 0;
  for (const [topic, all] of byTopic(partitions)) {
    const readers = ordered.filter((member) => member.topics.includes(topic));
    const alive = new Set(readers.map((member) => member.id));
    const free = all.filter((each) => each.member === null || !alive.has(each.member));
    const [floor, extra] = [Math.floor(all.length / readers.length), all.length % readers.length];
    let first = 0;
    const wants = readers.map(({ id }, rank) => {
      const share = floor + ((rank - turn + readers.length * all.length) % readers.length < extra ? 1 : 0);
      const preferred = new Set(all.slice(first, (first += share)));
      const has = all.filter((each) => each.member === id);
      // Those to keep come first.
      has.sort((a, b) => Number(preferred.has(b)) - Number(preferred.has(a)));
      return { id, preferred, has, share, taken: [] as GroupPartition[] };
    });
    for (const isChoosing of [true, false]) {
      for (const { preferred, has, share, taken } of wants) {
        for (const each of free
          .filter((one) => !isChoosing || preferred.has(one))
          .slice(0, Math.max(0, share - has.length - taken.length))) {
          taken.push(each);
          free.splice(free.indexOf(each), 1);
        }
      }
    }
    for (const { id, has, share, taken } of wants) {
      if (id !== me) continue;
      claim.push(...taken);
      release.push(...has.slice(share));
    }
    if (readers.length > 0) turn = (turn + extra) % readers.length;
  }
  return { claim, release };
}

function byTopic(partitions: readonly GroupPartition[]): Map<number, GroupPartition[]> {
  const ordered = [...partitions].sort((a, b) => a.topic - b.topic || a.partition - b.partition);
  const topics = new Map<number, GroupPartition[]>();
  for (const each of ordered) {
    const list = topics.get(each.topic) ?? [];
    topics.set(each.topic, list);
    list.push(each);
  }
  return topics;
}
