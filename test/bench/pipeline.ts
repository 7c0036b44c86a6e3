import { cpus } from 'node:os';
import { type Measured, measureDecisions } from './decisions.ts';
import { measureInserts } from './inserts.ts';
import { latencyLines, measureLatency } from './latency.ts';
import { type Line, median } from './line.ts';
import { startSystem } from './system.ts';
import { watchDecisions } from './watch.ts';

const rounds = 3;
const count = 3_000;
const latencySeconds = 15;

/** Throughput from deposits to decisions beside plain inserts into the same PostgreSQL, and the latency of a request. */
export async function benchPipeline(print: (line: Line) => void): Promise<{ lines: Line[]; raw: Measured[] }> {
  const system = await startSystem();
  const watch = await watchDecisions(system.pipeline);
  const [paths, inserts]: [Measured[], Measured[]] = [[], []];
  try {
    // The first, shorter round is warm-up.
    for (let round = 0; round <= rounds; round += 1) {
      const size = round === 0 ? 1_000 : count;
      const path = await measureDecisions(system, watch, size, `r${round}`);
      const insert = await measureInserts(system, size * 10, 400, `r${round}`);
      if (round === 0) continue;
      paths.push(path);
      inserts.push(insert);
    }
    const latency = await measureLatency(system, watch, latencySeconds, 'latency');
    const lines = [...rateLines(paths, inserts), ...latencyLines('embedded', latency, 100)];
    lines.forEach(print);
    return { lines, raw: [...paths, ...inserts] };
  } finally {
    await watch.stop();
    await system.close();
  }
}

function rateLines(paths: readonly Measured[], inserts: readonly Measured[]): Line[] {
  const rates = (measured: readonly Measured[]): number[] => measured.map(({ perSecond }) => perSecond);
  const ratio = median(rates(paths).map((path, n) => path / (rates(inserts)[n] ?? Number.NaN)));
  return [
    { name: 'deposits to decisions, embedded, instant upstream', value: median(rates(paths)), unit: '/s' },
    { name: 'plain batched inserts of one row, same PostgreSQL', value: median(rates(inserts)), unit: '/s' },
    {
      name: 'decisions per thousand inserted rows',
      value: ratio * 1_000,
      unit: '',
      note: `median of ${rounds} rounds, ${cpus().length} cores`,
    },
  ];
}
