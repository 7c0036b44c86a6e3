import { expect, test } from 'vitest';
import { drawn, faults } from './plan.ts';

const names = (seed: number, count: number): string[] => {
  const plan = drawn(seed);
  return Array.from({ length: count }, () => plan.next().value.name);
};

test('each fault comes once in a round, in the same order for the same seed, and in another for another', () => {
  const all = Object.keys(faults);
  const two = names(7, 2 * all.length);
  expect(two.slice(0, all.length).toSorted()).toEqual(all.toSorted());
  expect(two.slice(all.length).toSorted()).toEqual(all.toSorted());
  expect(two.slice(all.length)).not.toEqual(two.slice(0, all.length));
  expect(names(7, 30)).toEqual(two.slice(0, 30));
  expect(names(8, 30)).not.toEqual(two.slice(0, 30));
});

test('the second process of no service is killed', () => {
  const killing = Object.values(faults).filter((step) => step.do === 'kill' || step.do === 'leave' || step.do === 'registry away');
  const servers = new Set(['broker', 'postgres', 'redis']);
  const others = killing.filter((step) => !(step.do === 'kill' && step.parts.every((part) => servers.has(part))));
  expect(others.length).toBeGreaterThan(6);
  expect(others.filter((step) => step.which !== 'first')).toEqual([]);
});
