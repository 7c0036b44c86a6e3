import { createRequire } from 'node:module';
import type * as ECharts from 'echarts';
import type { Exposure, RiskType } from '@weir/risk-engine';
import { percent } from '../words/numbers.ts';

/** The bundle loads in a tenth of the time that the modules take. */
const load = (): typeof ECharts => createRequire(import.meta.url)('echarts/dist/echarts.common.min.js') as typeof ECharts;

/** Bars of more entities are too thin to read; the table has them. */
export const chartBars = 12;
const barHeight = 21;
const axisHeight = 40;
const maxName = 34;

/** A colour for each type, and a lighter one for what is indirect. */
const colours: Readonly<Record<RiskType, readonly [direct: string, indirect: string]>> = {
  sanctioned_entity: ['#a81c1c', '#dc9a9a'],
  illicit_activity: ['#b3490b', '#e3b08f'],
  mixer: ['#5b3f8c', '#b6a6d3'],
  gambling: ['#80650a', '#cdbd86'],
  risk_exchange: ['#1f5f8b', '#98bdd5'],
  bridge: ['#5a6472', '#b7bdc6'],
};

export function colourOfExposure({ riskType, exposureType }: Pick<Exposure, 'riskType' | 'exposureType'>): string {
  return colours[riskType][exposureType === 'direct' ? 0 : 1];
}

/**
 * Shares of the largest exposures, in that unit, as an SVG of that width (points), in fills and text only, as a PDF takes them. Names must be printable.
 */
export function exposureChart(exposures: readonly Exposure[], { width, unit }: { width: number; unit: string }): string {
  const bars = exposures.toSorted((a, b) => b.percent - a.percent).slice(0, chartBars);
  const chart = load().init(null, null, { renderer: 'svg', ssr: true, width, height: bars.length * barHeight + axisHeight });
  try {
    chart.setOption(optionsOf(bars, unit));
    return chart.renderToSVGString();
  } finally {
    chart.dispose();
  }
}

function optionsOf(bars: readonly Exposure[], unit: string): ECharts.EChartsOption {
  const text = { fontFamily: 'Roboto', fontSize: 8, color: '#1d2733' };
  return {
    animation: false,
    textStyle: text,
    grid: { left: 168, right: 52, top: 4, bottom: axisHeight - 6 },
    xAxis: {
      type: 'value',
      min: 0,
      name: unit,
      nameLocation: 'middle',
      nameGap: 20,
      nameTextStyle: text,
      axisLabel: { ...text, formatter: '{value} %' },
      splitLine: { lineStyle: { color: '#e3e7ec' } },
    },
    yAxis: {
      type: 'category',
      inverse: true,
      data: bars.map(nameOf),
      axisLabel: { ...text, interval: 0 },
      axisTick: { show: false },
      axisLine: { lineStyle: { color: '#9aa4b1' } },
    },
    series: [
      {
        type: 'bar',
        barWidth: 12,
        data: bars.map((bar) => ({ value: bar.percent, itemStyle: { color: colourOfExposure(bar) } })),
        label: { ...text, show: true, position: 'right', formatter: ({ dataIndex }) => percent(bars[dataIndex]?.percent ?? 0) },
      },
    ],
  };
}

/**
 * The library keeps widths of texts in a plain object, by text: a name such as `__proto__` would change every object of the process. With a
 * blank at its end no name is a property of all objects.
 */
function nameOf({ entity, exposureType }: Exposure): string {
  const name = entity.length > maxName ? `${entity.slice(0, maxName - 1)}…` : entity;
  return `${name}${exposureType === 'direct' ? '' : ' (indirect)'}\u00a0`;
}
