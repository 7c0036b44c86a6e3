import { PostgresError } from '@weir/postgres';
import { expect, test } from 'vitest';
import { coalesce } from './coalesce.ts';

test('what comes during a write goes together in the next, in order', async () => {
  const written: (readonly number[])[] = [];
  const first = Promise.withResolvers<void>();
  const write = coalesce<number>(async (items) => {
    written.push(items);
    if (written.length === 1) await first.promise;
    return [];
  });
  const calls = [write([1]), write([2, 3]), write([4])];
  expect(written).toEqual([[1]]);
  first.resolve();
  await Promise.all(calls);
  expect(written).toEqual([[1], [2, 3, 4]]);
  await write([5]);
  expect(written.at(-1)).toEqual([5]);
});

test('a call that fails fails alone', async () => {
  const written: number[] = [];
  const write = coalesce<number>(async (items) => {
    if (items.includes(3)) throw new Error('three');
    written.push(...items);
    return [];
  });
  const calls = await Promise.allSettled([write([1]), write([2]), write([3]), write([4])]);
  expect(calls.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
  expect(written).toEqual([1, 2, 4]);
  await expect(write([3])).rejects.toThrow('three');
  await write([6]);
  expect(written).toEqual([1, 2, 4, 6]);
});

test('each call gets the results of its own items, and a write has no more than it may', async () => {
  const sizes: number[] = [];
  const write = coalesce<number, string>(async (items) => {
    sizes.push(items.length);
    return items.map(String);
  }, 3);
  expect(await Promise.all([write([1]), write([2, 3]), write([4]), write([5]), write([6, 7, 8, 9])])).toEqual([
    ['1'],
    ['2', '3'],
    ['4'],
    ['5'],
    ['6', '7', '8', '9'],
  ]);
  expect(sizes).toEqual([1, 3, 1, 4]);
});

test('a call that takes too long fails alone', async () => {
  const write = coalesce<number>(async (items) => {
    if (items.includes(3)) throw Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' });
    return [];
  });
  const calls = await Promise.allSettled([write([1]), write([2]), write([3]), write([4])]);
  expect(calls.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
});

test('when the database is away all calls of a turn hear it at once', async () => {
  let writes = 0;
  const write = coalesce<number>(async () => {
    writes += 1;
    throw new PostgresError('DATABASE_UNAVAILABLE', 'away');
  });
  const calls = await Promise.allSettled([write([1]), write([2]), write([3]), write([4])]);
  expect(calls.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected', 'rejected']);
  expect(writes).toBe(2);
});
