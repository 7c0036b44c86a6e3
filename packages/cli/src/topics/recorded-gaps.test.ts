import { openTestStack, type TestStack } from '@weir/service-kit/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findRecordedGaps, noteRebuilt, recordGaps } from './recorded-gaps.ts';

let stack: TestStack;
beforeEach(async () => {
  stack = await openTestStack();
});
afterEach(() => stack.close());

const gap = (available: bigint) => ({ group: 'decision', topic: 'screenings.requested', partition: 0, missing: 3n, available });

test('a gap that grew while its records were rebuilt is still to be rebuilt', async () => {
  const { pool } = stack.db;
  await recordGaps(pool, [gap(10n)]);
  const rebuilding = await findRecordedGaps(pool, 'decision');
  // Its records were removed before the group resumed.
  await recordGaps(pool, [gap(12n)]);
  await noteRebuilt(pool, rebuilding);
  expect(await findRecordedGaps(pool, 'decision')).toEqual([gap(12n)]);
  await noteRebuilt(pool, [gap(12n)]);
  expect(await findRecordedGaps(pool, 'decision')).toEqual([]);
});
