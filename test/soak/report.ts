import { median } from './judge.ts';
import type { Judged } from './judgement.ts';
import type { Sample } from './samples.ts';

const figure = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });
const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const shown = (value: number | null): string => (value === null ? '–' : value >= 1_000 ? whole.format(value) : figure.format(value));

/** Tables in Markdown. */
export function tablesOf(judged: readonly Judged[], samples: readonly Sample[]): string {
  const rows = judged.map(
    ({ what, rule, unit, before, after, holds, slowest }) =>
      `| ${what} | ${unit} | ${shown(before)} | ${shown(after)} | ${rule}${slowest === undefined ? '' : `, slowest ${shown(slowest)} s`} | ${words(holds)} |`,
  );
  const loops = eventLoops(samples).map(([name, middle, most]) => `| ${name} | ${shown(middle)} | ${shown(most)} |`);
  return [
    '| | Unit | Earlier | Later | Rule | Holds |',
    '|---|---|---|---|---|---|',
    ...rows,
    '',
    '| Event loop | p99, ms, middle | Most |',
    '|---|---|---|',
    ...loops,
    '',
  ].join('\n');
}

function words(holds: boolean | null): string {
  return holds === null ? 'too short' : holds ? 'yes' : '**no**';
}

function eventLoops(samples: readonly Sample[]): [string, number, number][] {
  const names = [...new Set(samples.flatMap(({ eventLoopMs }) => Object.keys(eventLoopMs)))].toSorted();
  return names.map((name) => {
    const values = samples.flatMap(({ eventLoopMs }) => eventLoopMs[name] ?? []);
    return [name, median(values), Math.max(...values)];
  });
}
