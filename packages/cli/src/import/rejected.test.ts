import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { UsageError } from '../failure.ts';
import { makeFolder } from '../testing/weir.ts';
import { openRejected } from './rejected.ts';

const folder = makeFolder();
afterAll(() => folder.remove());

const [ours, theirs] = ['a'.repeat(64), 'b'.repeat(64)];
const row = (number: number) => ({ number, reason: 'is wrong', text: `line ${number}` });
const numbersIn = (file: string): string[] =>
  readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => {
      const stored = JSON.parse(line) as { number: number; import: string };
      return `${stored.import.charAt(0)}${stored.number}`;
    });

test('rows are told once: what was told behind the last stored batch is not told again, what others told stays', async () => {
  const file = join(folder.path, 'rejected.jsonl');
  for (const [key, numbers] of [
    [ours, [1, 5, 5, 9]],
    [theirs, [7]],
  ] as const) {
    const rejected = openRejected(file, key);
    await rejected.startAfter(0);
    for (const number of numbers) rejected.add(row(number));
    rejected.close();
  }
  // A kill has truncated the last line.
  writeFileSync(file, `${readFileSync(file, 'utf8')}{"number":12,"rea`);
  const again = openRejected(file, ours);
  await again.startAfter(5);
  again.add(row(9));
  again.add(row(9));
  again.add(row(12));
  again.close();
  expect(numbersIn(file)).toEqual(['a1', 'a5', 'a5', 'a9', 'b7', 'a9', 'a12']);
});

test('a second import that shares the file loses nothing of the first, nor does the first when it goes on', async () => {
  const file = join(folder.path, 'shared.jsonl');
  const [first, second] = [openRejected(file, ours), openRejected(file, theirs)];
  await first.startAfter(0);
  first.add(row(1));
  await second.startAfter(0);
  second.add(row(1));
  first.add(row(2));
  const third = openRejected(file, ours);
  await third.startAfter(0);
  second.add(row(2));
  first.add(row(3));
  for (const each of [first, second, third]) each.close();
  expect(numbersIn(file)).toEqual(['a1', 'b1', 'a2', 'b2', 'a3']);
});

test('a text with line separators of Unicode does not make the file somebody else’s', async () => {
  const file = join(folder.path, 'separators.jsonl');
  for (const number of [1, 2]) {
    const rejected = openRejected(file, ours);
    await rejected.startAfter(number - 1);
    rejected.add({ number, reason: 'is wrong', text: 'a\u2028b\u2029c\u0085d\r\ne' });
    rejected.close();
  }
  expect(numbersIn(file)).toEqual(['a1', 'a2']);
});

test('a last line that lacks nothing but its end is kept', async () => {
  const file = join(folder.path, 'unended.jsonl');
  writeFileSync(file, JSON.stringify({ ...row(1), import: 'b' }));
  const rejected = openRejected(file, ours);
  await rejected.startAfter(0);
  rejected.add(row(2));
  rejected.close();
  expect(numbersIn(file)).toEqual(['b1', 'a2']);
});

test('there is no file without a row, and none of somebody else is touched', async () => {
  const file = join(folder.path, 'none.jsonl');
  const rejected = openRejected(file, ours);
  await rejected.startAfter(0);
  rejected.close();
  expect(existsSync(file)).toBe(false);
  for (const content of ['my notes', '{"number":1}\nmore\n', '{"a":1}\n', `{"number":1,"import":"${ours}"}\n\n`]) {
    writeFileSync(file, content);
    await expect(openRejected(file, ours).startAfter(0)).rejects.toThrow(UsageError);
    expect(readFileSync(file, 'utf8')).toBe(content);
    expect(existsSync(`${file}.new`)).toBe(false);
  }
});

test('a row of megabytes is kept in part', async () => {
  const file = join(folder.path, 'long.jsonl');
  const rejected = openRejected(file, ours);
  rejected.add({ ...row(1), text: '\u{1f600}'.repeat(1_000_000) });
  rejected.close();
  expect(readFileSync(file, 'utf8').length).toBeLessThan(2_200);
});
