import { expect, test } from 'vitest';
import { planOf } from './plan.ts';
import { scenarios } from './scenarios.ts';

const count = scenarios.length;
const from = (first: number): string[] => Array.from({ length: count }, (_, n) => planOf(first + n).name);
const names = scenarios.map(({ name }) => name).toSorted();

test('as many runs as there are scenarios have each once, twice as many each also with another, whatever the first seed', () => {
  for (const first of [0, 7, 20_261]) {
    const all = [...from(first), ...from(first + count)];
    expect(all.filter((name) => !name.includes('+')).toSorted()).toEqual(names);
    const pairs = all.filter((name) => name.includes('+')).map((name) => name.split('+'));
    expect(pairs.map(([one = '']) => one).toSorted()).toEqual(names);
    expect(pairs.filter(([one, other]) => one === other)).toEqual([]);
  }
  expect(from(4 * count).toSorted()).toEqual(names);
});

test('the same seed is the same plan', () => {
  const drawn = (seed: number): unknown => {
    const { random, ...plan } = planOf(seed);
    return [plan, random(), random()];
  };
  expect(drawn(30)).toEqual(drawn(30));
  expect(drawn(30)).not.toEqual(drawn(31));
});
