import { cpus } from 'node:os';
import { knownSenders, type Measured, measureDecisions, measurePosts } from './decisions.ts';
import { measureInserts } from './inserts.ts';
import { type Costed, withCpu } from './costed.ts';
import { latencyLines, measureLatency } from './latency.ts';
import { type Line, median } from './line.ts';
import { measurePermits, permitLines } from './permits.ts';
import { type EmbeddedSystem, startSystem, untilSettled } from './system.ts';
import { type DecisionWatch, watchDecisions } from './watch.ts';

const rounds = 3;
const count = 3_000;
const latencySeconds = 15;

const loads: readonly {
  readonly name: string;
  readonly measure: (system: EmbeddedSystem, watch: DecisionWatch, count: number, run: string) => Promise<Measured>;
}[] = [
  { name: 'deposits to decisions, embedded, instant upstream', measure: measureDecisions },
  {
    name: 'deposits to decisions, embedded, known answers',
    measure: (system, watch, size, run) => measureDecisions(system, watch, size, `${run}-known`, knownSenders),
  },
  {
    name: 'posted deposits to decisions, embedded',
    measure: (system, watch, size, run) => measurePosts(system, watch, size, `${run}-posted`),
  },
];

/** Throughput from deposits to decisions beside plain inserts into the same PostgreSQL, and the latency of a request. */
export async function benchPipeline(print: (line: Line) => void): Promise<{ lines: Line[]; raw: Measured[] }> {
  const system = await startSystem();
  const watch = await watchDecisions(system.pipeline);
  const results = new Map<string, Costed[]>();
  const inserts: Measured[] = [];
  try {
    // The first, shorter round is warm-up.
    for (let round = 0; round <= rounds; round += 1) {
      const size = round === 0 ? 1_000 : count;
      for (const { name, measure } of loads) {
        const measured = await withCpu(system, () => measure(system, watch, size, `r${round}`));
        if (round > 0) results.set(name, [...(results.get(name) ?? []), measured]);
      }
      const insert = await measureInserts(system, size * 10, 400, `r${round}`);
      if (round > 0) inserts.push(insert);
    }
    await untilSettled(system);
    const latency = await measureLatency(system, watch, latencySeconds, 'latency');
    await untilSettled(system);
    const permits = await measurePermits(system, latencySeconds);
    const lines = [...rateLines(results, inserts), ...latencyLines('embedded', latency, 100), ...permitLines(permits)];
    lines.forEach(print);
    return { lines, raw: [...[...results.values()].flat(), ...inserts] };
  } finally {
    await watch.stop();
    await system.close();
  }
}

function rateLines(results: ReadonlyMap<string, readonly Costed[]>, inserts: readonly Measured[]): Line[] {
  const rates = (measured: readonly Measured[]): number[] => measured.map(({ perSecond }) => perSecond);
  const ofLoads = [...results].flatMap(([name, measured]): Line[] => {
    const cpu = (kind: 'weir' | 'postgres'): number => median(measured.map(({ cpuMs }) => cpuMs[kind]));
    const note = `node ${cpu('weir').toFixed(2)}, PostgreSQL ${cpu('postgres').toFixed(2)}`;
    return [
      { name, value: median(rates(measured)), unit: '/s' },
      { name: `CPU of a decision: ${name}`, value: cpu('weir') + cpu('postgres'), unit: 'ms', note },
    ];
  });
  const paths = rates(results.get(loads[0]?.name ?? '') ?? []);
  const ratio = median(paths.map((path, n) => path / (rates(inserts)[n] ?? Number.NaN)));
  return [
    ...ofLoads,
    { name: 'plain batched inserts of one row, same PostgreSQL', value: median(rates(inserts)), unit: '/s' },
    {
      name: 'decisions per thousand inserted rows',
      value: ratio * 1_000,
      unit: '',
      note: `median of ${rounds} rounds, ${cpus().length} cores`,
    },
  ];
}
