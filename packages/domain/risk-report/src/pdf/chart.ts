import type { RiskType } from '@weir/risk-engine';
import { type ReportExposure, shareOf } from '../report.ts';
import { percent } from '../words/numbers.ts';
import { ink } from './style.ts';

/** Further bars are too thin to read; the table has all entities. */
export const chartBars = 12;
const rowHeight = 21;
const barHeight = 12;
const axisHeight = 40;
/** Room for the names on the left, and for the share behind the longest bar. */
const left = 168;
const right = 52;
const top = 4;
const maxName = 34;

/** The lighter colour is for indirect exposure. */
const colours: Readonly<Record<RiskType, readonly [direct: string, indirect: string]>> = {
  sanctioned_entity: ['#a81c1c', '#dc9a9a'],
  illicit_activity: ['#b3490b', '#e3b08f'],
  mixer: ['#5b3f8c', '#b6a6d3'],
  gambling: ['#80650a', '#cdbd86'],
  risk_exchange: ['#1f5f8b', '#98bdd5'],
  bridge: ['#5a6472', '#b7bdc6'],
};

export function colourOfExposure({ risk_type, exposure_type }: Pick<ReportExposure, 'risk_type' | 'exposure_type'>): string {
  return colours[risk_type][exposure_type === 'direct' ? 0 : 1];
}

/** The largest exposures in `unit`, as an SVG of `width` points: fills and text only, which a PDF takes. Names must be printable. */
export function exposureChart(exposures: readonly ReportExposure[], { width, unit }: { width: number; unit: string }): string {
  const bars = exposures.toSorted((a, b) => shareOf(b) - shareOf(a)).slice(0, chartBars);
  const bottom = top + bars.length * rowHeight;
  const { step, steps } = scaleOf(bars[0] === undefined ? 0 : shareOf(bars[0]));
  const x = (share: number): number => left + ((width - left - right) * share) / (step * steps);
  const ticks = Array.from({ length: steps + 1 }, (_, at) => Number((at * step).toPrecision(3)));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${bottom + axisHeight - top}">`,
    ...ticks.flatMap((tick) => [
      rect({ x: x(tick) - 0.5, y: top, width: 1, height: bottom - top, fill: tick === 0 ? '#9aa4b1' : '#e3e7ec' }),
      text(`${tick} %`, { x: x(tick), y: bottom + 13, anchor: 'middle' }),
    ]),
    text(unit, { x: (left + width - right) / 2, y: bottom + 28, anchor: 'middle' }),
    ...bars.flatMap((bar, at) => {
      const y = top + at * rowHeight;
      const baseline = y + rowHeight / 2 + 3;
      return [
        text(nameOf(bar), { x: left - 8, y: baseline, anchor: 'end' }),
        rect({
          x: left,
          y: y + (rowHeight - barHeight) / 2,
          width: x(shareOf(bar)) - left,
          height: barHeight,
          fill: colourOfExposure(bar),
        }),
        text(percent(shareOf(bar)), { x: x(shareOf(bar)) + 5, y: baseline, anchor: 'start' }),
      ];
    }),
    '</svg>',
  ].join('');
}

/** Steps of 1, 2 or 5 times a power of ten, at most six, up to the largest share or beyond. */
function scaleOf(largest: number): { step: number; steps: number } {
  const least = Math.max(largest, 0.01) / 6;
  const power = 10 ** Math.floor(Math.log10(least));
  const step = ([1, 2, 5].find((factor) => factor * power >= least) ?? 10) * power;
  // Without the tolerance 30 / 5 may need a seventh step.
  return { step, steps: Math.max(1, Math.ceil(largest / step - 1e-9)) };
}

function rect(attributes: { x: number; y: number; width: number; height: number; fill: string }): string {
  return `<rect ${Object.entries(attributes)
    .map(([name, value]) => `${name}="${typeof value === 'number' ? Number(value.toFixed(2)) : value}"`)
    .join(' ')}/>`;
}

function text(content: string, { x, y, anchor }: { x: number; y: number; anchor: 'start' | 'middle' | 'end' }): string {
  return `<text x="${x.toFixed(2)}" y="${y}" text-anchor="${anchor}" font-family="Roboto" font-size="8" fill="${ink}">${escaped(content)}</text>`;
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function escaped(content: string): string {
  return content.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '');
}

function nameOf({ entity, exposure_type, side }: ReportExposure): string {
  const name = entity.length > maxName ? `${entity.slice(0, maxName - 1)}…` : entity;
  const notes = [...(exposure_type === 'direct' ? [] : ['indirect']), ...(side === 'out' ? ['paid'] : [])];
  return notes.length === 0 ? name : `${name} (${notes.join(', ')})`;
}
