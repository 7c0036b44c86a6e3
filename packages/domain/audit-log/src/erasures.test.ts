import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ErasureAct, ErasureCheck, formatRanges, parseRanges } from './index.ts';
import { seed } from './tree.testing.ts';

const time = '2026-01-02T03:04:05.678901Z';
const act = (over: Partial<ErasureAct> = {}): ErasureAct => ({
  event_id: 'act',
  index: 100,
  entries: '3-5,9',
  before: null,
  problem: undefined,
  ...over,
});

function problems(erased: readonly number[], acts: readonly ErasureAct[], isPart = false): string[] {
  const check = new ErasureCheck();
  for (const index of erased) check.seeErased(index, { erased_by: 'act', event_time: time });
  for (const one of acts) check.seeAct(one);
  return [...check.problems({ isPart })];
}

test('erased entries fit the act that names them', () => {
  expect(problems([3, 4, 5, 9], [act()])).toEqual([]);
});

test('an entry that no act names is named, and so is one that the act names and that is there', () => {
  expect(problems([3, 4, 5, 9], [])).toHaveLength(4);
  expect(problems([3, 4, 5, 9], [act({ event_id: 'other', entries: '1' })])).toHaveLength(5);
  expect(problems([3, 4, 5, 6, 9, 12], [act()])).toEqual([
    'entry 6 is erased by act: that act of erasure does not name it',
    'entry 12 is erased by act: that act of erasure does not name it',
  ]);
  expect(problems([3, 5], [act()])).toEqual(['entry 4 was to be erased by act, and is not', 'entry 9 was to be erased by act, and is not']);
  expect(problems([3, 5], [act()], true)).toEqual([]);
});

test('an act that does not count names nothing', () => {
  expect(problems([3], [act({ entries: '3', problem: 'one person alone' })])).toEqual(['entry 3 is erased by act: one person alone']);
  for (const entries of ['', 'x', '5-3', '3,3', '3-100', '99999999999999999999'])
    expect(problems([], [act({ entries })])).toEqual(['entry 100 (act) is an act of erasure, and does not name entries before it']);
});

test('retention erases events before its time alone', () => {
  expect(problems([3], [act({ entries: '3', before: '2026-01-02T03:04:06Z' })])).toEqual([]);
  expect(problems([3], [act({ entries: '3', before: '2026-01-02T03:04:05Z' })])).toEqual([
    expect.stringContaining('entry 3 is erased by act: retention ended for events before 2026-01-02T03:04:05Z'),
  ]);
});

test(`each difference of two sets is named, and nothing else (seed ${seed})`, () => {
  const set = fc.uniqueArray(fc.integer({ min: 0, max: 60 }), { minLength: 1 }).map((numbers) => numbers.toSorted((a, b) => a - b));
  const numbersOf = (lines: readonly string[]) => lines.map((line) => Number(line.split(' ')[1])).sort((a, b) => a - b);
  fc.assert(
    fc.property(set, set, (erased, named) => {
      const entries = formatRanges(named);
      expect(parseRanges(entries)?.flatMap(({ first, last }) => Array.from({ length: last - first + 1 }, (_, n) => first + n))).toEqual(
        named,
      );
      const different = [...new Set(erased).symmetricDifference(new Set(named))].sort((a, b) => a - b);
      expect(numbersOf(problems(erased, [act({ entries })]))).toEqual(different);
    }),
    { seed, numRuns: 500 },
  );
});
