/** The restore drill: `node test/restore/main.ts [points] [seed]`. Prints a table in Markdown; exit code 1 after a violation. */
import { randomInt } from 'node:crypto';
import { type Drill, runEmbedded } from './embedded.ts';

const [points = '10', seed = String(randomInt(2 ** 31))] = process.argv.slice(2);
process.stdout.write(`seed ${seed}\n\n| Restore | Kept | Forgotten redemptions | Left afterwards | Violations |\n|---|---|---|---|---|\n`);
const drill: Drill = await runEmbedded({ points: Number(points), actions: 60, seed: Number(seed) });
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
