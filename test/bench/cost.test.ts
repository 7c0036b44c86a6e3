import { expect, test } from 'vitest';
import { alone, type Answers, bulk, type Cost, type Load, measureCost } from './cost.ts';

type Bounds = Pick<Cost, 'statements' | 'commits' | 'rowVersions' | 'walBytes'>;

/** They only fall: whoever makes a deposit cheaper lowers them. Of a lone deposit also what every second costs, as ten of them share one. */
const bounds: readonly (readonly [string, Answers, Load, Bounds])[] = [
  ['a lone deposit', 'own question', alone, { statements: 38, commits: 12, rowVersions: 35, walBytes: 28_000 }],
  ['a lone deposit', 'known answer', alone, { statements: 23, commits: 9, rowVersions: 28, walBytes: 24_000 }],
  ['a deposit in bulk', 'own question', bulk, { statements: 2, commits: 1, rowVersions: 22, walBytes: 23_000 }],
  ['a deposit in bulk', 'known answer', bulk, { statements: 2, commits: 1, rowVersions: 15, walBytes: 17_000 }],
];

/** They grow with every transfer, and no statement of a deposit scans them, not even before the first statistics. */
const neverScanned = ['console.screenings', 'decision.decisions', 'log.records', 'outbox.events', 'scoring.results'];

test.each(bounds)('%s with %s stays within its statements, commits, row versions and WAL', async (_name, answers, load, most) => {
  const cost = await measureCost(answers, load);
  const over = Object.entries(most).filter(([name, bound]) => cost[name as keyof Bounds] > bound);
  expect(over, JSON.stringify(cost, null, 2)).toEqual([]);
  expect(neverScanned.filter((table) => table in cost.scanned)).toEqual([]);
});
