import { createHash } from 'node:crypto';
import { systemClock } from '@weir/clock';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Subject } from '../subject.ts';
import { type ChangesWorld, openChangesWorld } from './changes.testing.ts';

const edges = 100_000;
/** Realistic addresses: the index of edges needs distinct prefixes. */
const addressOf = (n: number): string => `0x${createHash('md5').update(String(n)).digest('hex')}00000000`;
const subjectOf = (n: number): Subject => ({ chain: 'ethereum', kind: 'address', value: addressOf(n), direction: 'deposit' });
const hub = 0;
/** Watched peers, some on each side of the chunk boundaries, in any order of the edges. */
const watched = [1, 2, 999, 1_000, 1_001, 20_000, 50_000, 77_777, 99_999, 100_000];

let world: ChangesWorld;
beforeAll(async () => {
  world = await openChangesWorld();
  // The edges of 100,000 imported transfers. The test reads no sums.
  await world.database.pool.query(
    `INSERT INTO chain.edges SELECT 'ethereum', pair.address, pair.side, pair.peer, false, 1, 0, 1 FROM generate_series(1, $1) n
     CROSS JOIN LATERAL (SELECT '0x' || md5(n::text) || '00000000' AS other) o
     CROSS JOIN LATERAL (VALUES ($2, 1::smallint, o.other), (o.other, 0::smallint, $2)) pair (address, side, peer)`,
    [edges, addressOf(hub)],
  );
  await world.database.pool.query('ANALYZE chain.edges');
  for (const n of watched) await world.score(subjectOf(n));
  for (let n = 0; n < 500; n += 1) await world.score(subjectOf(1_000_000 + n));
});
afterAll(() => world.close());

it('a label of an address with 100,000 edges is dealt with in parts, and told to exactly those who looked at it', async () => {
  const load = systemClock.monotonic();
  await world.label(hub, { category: 'scam', address: addressOf(hub) });
  const loadMs = Math.round(systemClock.monotonic() - load);
  const processor = world.processor();
  const steps: number[] = [];
  for (;;) {
    const start = systemClock.monotonic();
    const more = await processor.step();
    steps.push(Math.round(systemClock.monotonic() - start));
    if (!more) break;
  }
  process.stdout.write(`a hub of ${edges} edges: its label is loaded in ${loadMs} ms, and dealt with in steps of ${steps.join(', ')} ms\n`);
  const { rows } = await world.database.pool.query<{ subject: string }>(
    'SELECT subject FROM risk.watches WHERE changed_number IS NOT NULL',
  );
  expect(rows.map(({ subject }) => subject).toSorted()).toEqual(watched.map(addressOf).toSorted());
  expect(steps.length).toBeGreaterThanOrEqual(edges / 20_000);
});
