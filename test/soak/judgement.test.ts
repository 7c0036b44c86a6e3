import { expect, test } from 'vitest';
import { judge } from './judgement.ts';
import type { Sample } from './samples.ts';

const mebi = 1_024 ** 2;
const step = 30;
const seconds = 7_200;

/** Of one process: `ages` are the seconds that it lives before each kill, the last one again and again. */
function killed(ages: readonly number[], bytesAt: (age: number, at: number) => number): Sample[] {
  let [pid, began] = [0, 0];
  return Array.from({ length: seconds / step + 1 }, (_, n) => {
    const at = n * step;
    if (at - began >= (ages[pid] ?? ages.at(-1) ?? seconds)) [pid, began] = [pid + 1, at];
    const pssBytes = bytesAt(at - began, at);
    const processes = { 'audit-writer-1': { pid, rssBytes: pssBytes, pssBytes, handles: 40, count: 1 } };
    return { at, deposits: at * 50, processes, eventLoopMs: {}, tables: {}, topics: {}, walBytes: undefined };
  });
}

const memoryOf = (samples: readonly Sample[]) =>
  judge({ samples, waiting: [], faults: [], perSecond: 50, retentionSeconds: 300 }).find(({ what }) => what === 'audit-writer-1, PSS');

test('memory of a process that happened to be killed young at first, and old later, is the same', () => {
  const ages = [900, ...Array.from({ length: 9 }, () => 300), 900];
  const rising = killed(ages, (age) => (150 + age / 6) * mebi);
  expect(memoryOf(rising)).toMatchObject({ rule: 'bounded', holds: true });
});

test('a restarted process that takes more and more is found', () => {
  const growing = killed([600], (age, at) => (150 + age / 6 + at / 60) * mebi);
  expect(memoryOf(growing)).toMatchObject({ rule: 'bounded', holds: false });
});

test('a process that lives on and takes more and more is found', () => {
  const growing = killed([seconds + step], (_, at) => (150 + at / 60) * mebi);
  expect(memoryOf(growing)).toMatchObject({ rule: 'levels', holds: false });
});
