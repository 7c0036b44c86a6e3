import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { addressOf, type ChangesWorld, nameOf, openChangesWorld, txidOf } from './changes.testing.ts';

const addresses = 24;
const first = 1_000;

const place = fc.integer({ min: 0, max: addresses - 1 });
const transfer = fc.tuple(place, place, fc.constantFrom(1, 10, 1_000, 1_000_000));
const category = fc.constantFrom('theft', 'sanctioned', 'mixer', 'exchange', 'gambling', 'token', 'ordinary');
const change = fc.record({ of: place, category, confidence: fc.constantFrom(0.3, 1), ends: fc.boolean() });

let worlds: ChangesWorld[] = [];
beforeAll(() => {
  worlds = [];
});
afterAll(async () => {
  for (const world of worlds) await world.close();
});

it('every score that a label changes is told as changed', async () => {
  let [differing, told, all] = [0, 0, 0];
  const property = fc.asyncProperty(
    fc.array(transfer, { minLength: 20, maxLength: 60 }),
    fc.array(fc.tuple(place, category), { maxLength: 6 }),
    fc.array(change, { minLength: 1, maxLength: 4 }),
    async (transfers, labels, changes) => {
      const world = await openChangesWorld();
      worlds.push(world);
      const distinct = transfers.filter(([from, to]) => from !== to);
      await world.transfers(distinct.map(([from, to, usd]) => [first + from, first + to, usd] as const));
      for (const [of, kind] of labels) await world.label(first + of, { category: kind, name: 'known' });
      await world.settle();
      const subjects = [
        ...Array.from({ length: addresses }, (_, n) => addressOf(first + n)),
        ...distinct.slice(0, 6).flatMap((_, n) => [txidOf(n + 1, 'deposit'), txidOf(n + 1, 'withdraw')]),
      ];
      let number = 0n;
      for (const { of, category: kind, confidence, ends } of changes) {
        const before = new Map<string, string>();
        for (const subject of subjects) before.set(nameOf(subject), JSON.stringify(await world.score(subject)));
        await world.label(first + of, { category: kind, confidence, name: 'changed', ...(ends ? { valid_to: '2024-06-01' } : {}) });
        const count = await world.settle();
        const changed = new Set(await world.changed('k', number));
        expect(changed.size).toBe(count);
        number += BigInt(count);
        told += count;
        all += subjects.length;
        // Recomputes every score, fresh or not.
        await world.database.pool.query('UPDATE risk.runs SET outdated = true');
        for (const subject of subjects) {
          if (JSON.stringify(await world.score(subject)) === before.get(nameOf(subject))) continue;
          differing += 1;
          expect([nameOf(subject), changed.has(nameOf(subject))]).toEqual([nameOf(subject), true]);
        }
      }
    },
  );
  const result = await fc.check(property, { numRuns: 6 });
  process.stdout.write(`seed ${result.seed}: of ${all} scores ${told} were told as changed, and ${differing} had changed\n`);
  expect(fc.defaultReportMessage(result) ?? '').toBe('');
  // Guards the test itself: some scores changed, and not all were published.
  expect(differing).toBeGreaterThan(0);
  expect(told).toBeLessThan(all);
});
