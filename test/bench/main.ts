/** `npm run bench`: a table on stdout and bench/results.json. Figures of one run stand beside each other; only their ratios travel. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { type Measured, measureDecisions } from './decisions.ts';
import { measureInserts } from './inserts.ts';
import { startSystem } from './system.ts';

const rounds = 3;
const count = 3_000;

const system = await startSystem();
const results: Measured[] = [];
try {
  // The first, shorter round warms up and is not counted.
  for (let round = 0; round <= rounds; round += 1) {
    const size = round === 0 ? 500 : count;
    const path = await measureDecisions(system, size, `r${round}`);
    const inserts = await measureInserts(system, size * 10, 400, `r${round}`);
    if (round > 0) results.push(path, inserts);
  }
} finally {
  await system.close();
}

const paths = results.filter(({ name }) => name === 'deposits to decisions').map(({ perSecond }) => perSecond);
const inserts = results.filter(({ name }) => name === 'plain batched inserts').map(({ perSecond }) => perSecond);
const rows = [
  { name: 'deposits to decisions, embedded, instant upstream', per_second: Math.round(median(paths)) },
  { name: 'plain batched inserts of one row, same PostgreSQL', per_second: Math.round(median(inserts)) },
];
const ratio = median(paths.map((path, n) => path / (inserts[n] ?? Number.NaN)));
for (const row of rows) process.stdout.write(`${row.name.padEnd(52)} ${String(row.per_second).padStart(8)} /s\n`);
process.stdout.write(
  `${'decisions per inserted row'.padEnd(52)} ${ratio.toFixed(3).padStart(8)}    (median of ${rounds} rounds, ${cpus().length} cores)\n`,
);
const folder = join(import.meta.dirname, '..', '..', 'bench');
mkdirSync(folder, { recursive: true });
writeFileSync(
  join(folder, 'results.json'),
  `${JSON.stringify({ rounds, count, cores: cpus().length, rows, ratio, raw: results }, null, 2)}\n`,
);

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
