import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { TopicPartition } from '../port.ts';
import { type Applicant, shareOut } from './assigner.ts';

const counts = new Map([
  ['a', 4],
  ['b', 1],
]);
const all = (holds: Iterable<readonly TopicPartition[]>): string[] =>
  [...holds].flatMap((share) => share.map(({ topic, partition }) => `${topic}/${partition}`)).sort();

test('a partition that is to move is nobody’s until its holder has joined without it', () => {
  const everything = shareOut([{ id: 'old', topics: ['a', 'b'], holds: [] }], counts).get('old') ?? [];
  expect(all([everything])).toEqual(['a/0', 'a/1', 'a/2', 'a/3', 'b/0']);
  const first = shareOut(
    [
      { id: 'old', topics: ['a', 'b'], holds: everything },
      { id: 'new', topics: ['a', 'b'], holds: [] },
    ],
    counts,
  );
  expect(first.get('new')).toEqual([]);
  expect(first.get('old')).toHaveLength(2);
  const second = shareOut(
    [
      { id: 'old', topics: ['a', 'b'], holds: first.get('old') ?? [] },
      { id: 'new', topics: ['a', 'b'], holds: [] },
    ],
    counts,
  );
  expect(second.get('old')).toEqual(first.get('old'));
  expect(second.get('new')).toHaveLength(3);
});

const applicants = fc.uniqueArray(
  fc.record({
    id: fc.string({ minLength: 1, maxLength: 3 }),
    topics: fc.subarray(['a', 'b', 'c']),
    holds: fc.array(fc.record({ topic: fc.constantFrom('a', 'b', 'c', 'gone'), partition: fc.nat(6) }), { maxLength: 6 }),
  }),
  { selector: ({ id }) => id, minLength: 1, maxLength: 5 },
);

test('whatever members claim, nobody is given what another holds, or two the same; after two rounds all is shared', () => {
  fc.assert(
    fc.property(applicants, fc.record({ a: fc.nat(6), b: fc.nat(6), c: fc.nat(6) }), (members, partitions) => {
      const sizes = new Map(Object.entries(partitions));
      let now: readonly Applicant[] = members;
      for (let round = 0; round < 3; round++) {
        const shares = shareOut(now, sizes);
        const given = all(shares.values());
        expect(new Set(given).size).toBe(given.length);
        if (round > 0) {
          for (const { id, holds } of now) {
            const others = new Set(all(now.filter((other) => other.id !== id).map((other) => other.holds)));
            expect(all([shares.get(id) ?? []]).filter((place) => others.has(place) && !all([holds]).includes(place))).toEqual([]);
          }
        }
        now = now.map((member) => ({ ...member, holds: shares.get(member.id) ?? [] }));
      }
      const read = new Set(members.flatMap(({ topics }) => topics));
      const wanted = [...sizes].flatMap(([topic, size]) =>
        read.has(topic) ? Array.from({ length: size }, (_, partition) => `${topic}/${partition}`) : [],
      );
      expect(all(now.map(({ holds }) => holds))).toEqual(wanted.sort());
    }),
  );
});
