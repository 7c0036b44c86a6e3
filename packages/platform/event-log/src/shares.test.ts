import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type GroupMember, type GroupPartition, moves } from './shares.ts';

const member = (id: string, ...topics: number[]): GroupMember => ({ id, topics });
const free = (topic: number, count: number): GroupPartition[] =>
  Array.from({ length: count }, (_, partition) => ({ topic, partition, member: null, epoch: 0 }));

/** Lets each member act once, all on the same rows. */
function round(members: readonly GroupMember[], partitions: readonly GroupPartition[]): GroupPartition[] {
  const next = new Map(partitions.map((each) => [`${each.topic}/${each.partition}`, each]));
  for (const { id } of members) {
    const { claim, release } = moves(id, members, partitions);
    for (const each of claim) {
      expect(next.get(`${each.topic}/${each.partition}`), 'claimed by one only').toBe(each);
      next.set(`${each.topic}/${each.partition}`, { ...each, member: id, epoch: each.epoch + 1 });
    }
    for (const each of release) next.set(`${each.topic}/${each.partition}`, { ...each, member: null, epoch: each.epoch + 1 });
  }
  return [...next.values()];
}

const count = (partitions: readonly GroupPartition[], id: string): number => partitions.filter((each) => each.member === id).length;

test('topics of one partition are spread over the members, too', () => {
  const members = [member('a', 1, 2, 3, 4), member('b', 1, 2, 3, 4)];
  const shared = round(
    members,
    [1, 2, 3, 4].flatMap((topic) => free(topic, 1)),
  );
  expect([count(shared, 'a'), count(shared, 'b')]).toEqual([2, 2]);
});

test('what a dead member had is claimed, and a living one keeps what it may have', () => {
  const partitions = free(1, 4).map((each) => ({ ...each, member: each.partition < 2 ? 'dead' : 'b' }));
  expect(moves('b', [member('b', 1)], partitions)).toEqual({ claim: partitions.slice(0, 2), release: [] });
});

test('after three rounds every partition has a member that reads it, fairly, and nothing moves any more', () => {
  const ids = ['a', 'b', 'c', 'd', 'e'];
  const groups = fc.record({
    sizes: fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 }),
    alive: fc.subarray(ids, { minLength: 1 }),
    owners: fc.array(fc.option(fc.constantFrom(...ids, 'dead')), { minLength: 36, maxLength: 36 }),
  });
  fc.assert(
    fc.property(groups, ({ sizes, alive, owners }) => {
      const topics = sizes.map((_, topic) => topic);
      const members = alive.map((id) => member(id, ...topics));
      let partitions = sizes.flatMap((size, topic) => free(topic, size)).map((each, i) => ({ ...each, member: owners[i] ?? null }));
      for (let i = 0; i < 3; i++) partitions = round(members, partitions);
      const counts = alive.map((id) => count(partitions, id));
      expect(counts.reduce((a, b) => a + b, 0)).toBe(partitions.length);
      expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
      for (const { id } of members) expect(moves(id, members, partitions)).toEqual({ claim: [], release: [] });
    }),
  );
});

test('only members that read a topic get its partitions', () => {
  const members = [member('a', 1), member('b', 2), member('c', 1, 2)];
  const shared = round(members, [...free(1, 4), ...free(2, 4), ...free(3, 2)]);
  for (const each of shared) {
    if (each.topic === 3) expect(each.member).toBeNull();
    else expect(members.find(({ id }) => id === each.member)?.topics).toContain(each.topic);
  }
});
