import { expect, it } from 'vitest';
import { line, scoredRows } from '../graph.testing.ts';
import type { Row } from '../movement.testing.ts';

const tracedUsd = async (rows: readonly Row[]): Promise<number> => (await scoredRows(rows)).sides.in.illicit_usd.traced;

it('the same stolen money counts once, however often it is lent to a friend and returned', async () => {
  const rounds = Array.from({ length: 50 }, (): Row[] => line(600, 's', 'friend', 's')).flat();
  expect(await tracedUsd([...line(600, 'thief', 'm', 's'), ...rounds])).toBeCloseTo(600, 6);
});

it('stolen money that comes for clean money counts', async () => {
  expect(await tracedUsd([...line(600, 'exchange', 's', 'friend', 'exchange'), ...line(600, 'thief', 'm', 'friend', 's')])).toBeCloseTo(
    600,
    6,
  );
});

it('a payment of unknown value lends nothing', async () => {
  const rows: Row[] = [...line(600, 'thief', 'm', 's'), ['s', 'friend', null], ...line(600, 'thief', 'n', 'friend', 's')];
  expect(await tracedUsd(rows)).toBeGreaterThan(900);
});

it('nobody lends more than what he held: not what he paid out beyond his known receipts', async () => {
  const spent: Row[] = [...line(600, 'thief', 'm', 's'), ['s', 'shop', 600], ['s', 'friend', 600]];
  expect(await tracedUsd([...spent, ...line(600, 'thief', 'n', 'friend', 's')])).toBeGreaterThan(1_000);
});

it('money back from a service is held again, and counts no second time when a friend returns it', async () => {
  const rounds = Array.from({ length: 20 }, (): Row[] => [...line(600, 's', 'exchange', 's'), ...line(600, 's', 'friend', 's')]).flat();
  expect(await tracedUsd([...line(600, 'thief', 'm', 's'), ...rounds])).toBeCloseTo(600, 6);
});
