import { expect, test } from 'vitest';
import { alone, type Answers, type Cost, measureCost } from './cost.ts';

type Bounds = Pick<Cost, 'statements' | 'commits' | 'rowVersions' | 'walBytes'>;

/** They only fall: whoever makes a deposit cheaper lowers them. */
const bounds: readonly (readonly [Answers, Bounds])[] = [
  ['own question', { statements: 38, commits: 15, rowVersions: 37, walBytes: 32_000 }],
  ['known answer', { statements: 23, commits: 10, rowVersions: 29, walBytes: 27_000 }],
];

/** They grow with every transfer, and no statement of a deposit scans them, not even before the first statistics. */
const neverScanned = ['console.screenings', 'decision.decisions', 'log.records', 'outbox.events'];

test.each(bounds)('a deposit with %s stays within its statements, commits, row versions and WAL', async (answers, most) => {
  const cost = await measureCost(answers, alone);
  const over = Object.entries(most).filter(([name, bound]) => cost[name as keyof Bounds] > bound);
  expect(over, JSON.stringify(cost, null, 2)).toEqual([]);
  expect(neverScanned.filter((table) => table in cost.scanned)).toEqual([]);
});
