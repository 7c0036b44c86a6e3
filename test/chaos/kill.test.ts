import { expect, test } from 'vitest';
import { killUnderLoad } from './kill.ts';

const seed = Number(process.env['WEIR_CHAOS_SEED'] ?? 20_261);

test('killed twelve times under load: nothing acknowledged is lost, nothing is decided twice', async () => {
  const run = await killUnderLoad({ seed, kills: 12, say: (line) => process.stdout.write(`${line}\n`) });
  process.stdout.write(
    `seed ${run.seed}: ${run.kills} kills, ${run.acknowledged} deposits acknowledged, ${run.books.decided} decided, ${run.creates} creates, at most ${run.mostInSecond} in a second\n`,
  );
  expect(run.acknowledged).toBeGreaterThan(100);
  expect(run.books).toEqual({
    decided: run.acknowledged,
    lost: [],
    twice: [],
    contradicted: [],
    unpublished: [],
    unfounded: [],
    auditGaps: [],
    deadLetters: 0,
  });
  expect(run.mostInSecond).toBeLessThanOrEqual(50);
  expect(run.limited).toBe(0);
}, 300_000);
