import { expect, test } from 'vitest';
import { Lateness } from './lateness.ts';

const ages = (lateness: Lateness, ageMs: number, times: number): boolean[] =>
  Array.from({ length: times }, () => lateness.record(ageMs, lateness.ms));

test('grants that are in time change nothing, nor do a few that are stale', () => {
  const lateness = new Lateness(40);
  for (let i = 0; i < 10; i++) {
    expect(ages(lateness, 41, 4)).toEqual([false, false, false, false]);
    expect(ages(lateness, 40, 1)).toEqual([true]);
  }
  expect(lateness.ms).toBe(0);
});

test('five stale ones in a row ask for half as much again as the one in the middle, which makes them good', () => {
  const lateness = new Lateness(40);
  for (const ageMs of [100, 9_000, 90, 120, 80]) {
    expect(lateness.ms).toBe(0);
    lateness.record(ageMs, 0);
  }
  expect(lateness.ms).toBe(110);
  expect(ages(lateness, 150, 200)).toEqual(Array(200).fill(true));
  expect(lateness.ms).toBe(110);
});

test('what was asked for before counts as it was asked', () => {
  expect(new Lateness(40).record(41, 0)).toBe(false);
  expect(new Lateness(40).record(41, 1)).toBe(true);
});

test('a hundred in time end it', () => {
  const lateness = new Lateness(40);
  ages(lateness, 100, 5);
  ages(lateness, 40, 99);
  expect(lateness.ms).toBe(110);
  ages(lateness, 40, 1);
  expect(lateness.ms).toBe(0);
});

test('asks for no more than can be granted, and for nothing where that would not do', () => {
  const lateness = new Lateness(40);
  ages(lateness, 540, 5);
  expect(lateness.ms).toBe(500);
  expect(ages(lateness, 540, 1)).toEqual([true]);
  ages(lateness, 541, 5);
  expect(lateness.ms).toBe(0);
});
