import { cpus } from 'node:os';
import { type Costed, withCpu } from './costed.ts';
import { knownSenders, measureDecisions } from './decisions.ts';
import { type Line, median } from './line.ts';
import { startSystem } from './system.ts';
import { watchDecisions } from './watch.ts';

const curve = [1, 2, 4] as const;
const rounds = 2;
const count = 3_000;
const warmUp = 1_000;
const answers = [
  ['own question', undefined],
  ['known answer', knownSenders],
] as const;

/** Decisions a second, and their CPU time, of `weir start --processes N`. */
export async function benchProcessCurve(print: (line: Line) => void): Promise<Line[]> {
  const lines: Line[] = [];
  for (const processes of curve) {
    const measured = await measureProcesses(processes);
    for (const [answer] of answers) lines.push(...linesOf(processes, answer, measured.get(answer) ?? []));
    lines.slice(-2 * answers.length).forEach(print);
  }
  return lines;
}

async function measureProcesses(processes: number): Promise<ReadonlyMap<string, readonly Costed[]>> {
  const system = await startSystem({ processes });
  const watch = await watchDecisions(system.pipeline);
  const measured = new Map<string, Costed[]>();
  try {
    // The first, shorter round is warm-up.
    for (let round = 0; round <= rounds; round += 1) {
      for (const [answer, senders] of answers) {
        const run = `${processes}-${answer === 'known answer' ? 'known' : 'own'}-${round}`;
        const one = await withCpu(system, () => measureDecisions(system, watch, round === 0 ? warmUp : count, run, senders));
        if (round > 0) measured.set(answer, [...(measured.get(answer) ?? []), one]);
      }
    }
    return measured;
  } finally {
    await watch.stop();
    await system.close();
  }
}

function linesOf(processes: number, answer: string, measured: readonly Costed[]): Line[] {
  const name = `embedded, ${answer}, ${processes === 1 ? '1 process' : `${processes} processes`}`;
  const cpu = (kind: keyof Costed['cpuMs']): number => median(measured.map(({ cpuMs }) => cpuMs[kind]));
  return [
    { name: `decisions, ${name}`, value: median(measured.map(({ perSecond }) => perSecond)), unit: '/s', note: `${cpus().length} cores` },
    {
      name: `CPU of a decision, ${name}`,
      value: cpu('weir') + cpu('postgres'),
      unit: 'ms',
      note: `node ${cpu('weir').toFixed(2)}, PostgreSQL ${cpu('postgres').toFixed(2)}`,
    },
  ];
}
