/** The restore drill: see `help`, and docs/backup.md. Prints a table in Markdown. */
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import type { Drill } from './drill.ts';
import { runEmbedded } from './embedded.ts';
import { runKafka } from './kafka.ts';

const help = `npm run drill:restore -- [--tier embedded|kafka] [--points N] [--seed S]

Runs a small exchange under load, restores it to N points in time (10 when left out), to the latest, and in place after a kill of
everything, and repeats every call that it ever made after each. Ends with 0 when nothing was lost, doubled or redeemed twice, else with 1.
`;
const { values } = parseArgs({
  options: {
    tier: { type: 'string', default: 'embedded' },
    points: { type: 'string', default: '10' },
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
    help: { type: 'boolean', default: false },
  },
});
const { tier, points, seed } = values;
const isAsked = /^(embedded|kafka)$/.test(tier) && /^\d{1,3}$/.test(points) && /^\d{1,10}$/.test(seed);
if (values.help || !isAsked) {
  process.stdout.write(help);
  process.exit(values.help ? 0 : 2);
}
const run = tier === 'kafka' ? runKafka : runEmbedded;
process.stdout.write(`seed ${seed}\n\n| Restore | Kept | Forgotten redemptions | Left afterwards | Violations |\n|---|---|---|---|---|\n`);
const drill: Drill = await run({ points: Number(points), actions: 60, seed: Number(seed) });
try {
  const restores: [string, () => ReturnType<Drill['restore']>][] = [
    ...drill.points.map((point, n): [string, () => ReturnType<Drill['restore']>] => [`to point ${n + 1}`, () => drill.restore(point)]),
    ['to the latest, in another folder', () => drill.restore(undefined)],
    ['to the latest, in place after kill -9 of all', () => drill.restoreAfterKill()],
  ];
  for (const [name, restore] of restores) {
    const { kept, forgotten, redeemedLater, violations } = await restore();
    process.stdout.write(`| ${name} | ${kept} | ${forgotten} | ${redeemedLater} | ${violations.length} |\n`);
    for (const violation of violations) process.stderr.write(`${violation}\n`);
    if (violations.length > 0) process.exitCode = 1;
  }
} finally {
  await drill.close();
}
