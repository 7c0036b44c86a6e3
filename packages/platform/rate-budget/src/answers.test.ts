import { expect, test } from 'vitest';
import { Answers } from './answers.ts';

test('of few answers nothing is reckoned, then what each took longer than the shortest', () => {
  const answers = new Answers();
  for (let n = 0; n < 9; n++) expect(answers.delayOf(20)).toBe(20);
  expect(answers.delayOf(20)).toBe(0);
  expect(answers.delayOf(55)).toBe(35);
  expect(answers.delayOf(15)).toBe(0);
  expect(answers.delayOf(20)).toBe(5);
});

test('a way that is held up for seconds does not come to be the usual one, at a hundred answers a second', () => {
  const answers = new Answers();
  for (let n = 0; n < 100; n++) answers.delayOf(20);
  for (let n = 0; n < 30 * 100; n++) expect(answers.delayOf(320)).toBe(300);
});

test('a way that has become longer for good is the usual one in the end', () => {
  const answers = new Answers();
  for (let n = 0; n < 100; n++) answers.delayOf(20);
  for (let n = 0; n < 5_000; n++) answers.delayOf(60);
  expect(answers.delayOf(60)).toBe(0);
});
