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

test('rows are told once: what was told behind the last stored batch is told again, what others told stays', async () => {
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
  // A kill has cut the last line off.
  writeFileSync(file, `${readFileSync(file, 'utf8')}{"number":12,"rea`);
  const again = openRejected(file, ours);
  await again.startAfter(5);
  again.add(row(9));
  again.close();
  expect(numbersIn(file)).toEqual(['a1', 'a5', 'a5', 'b7', 'a9']);
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
