import {
  type DataSourceRef,
  GraphGradientMode,
  LegendDisplayMode,
  LegendPlacement,
  StackingMode,
  TooltipDisplayMode,
  VisibilityMode,
  VizLegendOptionsBuilder,
  VizTooltipOptionsBuilder,
  StackingConfigBuilder,
} from '@grafana/grafana-foundation-sdk/common';
import { DashboardLinkBuilder, DashboardLinkType } from '@grafana/grafana-foundation-sdk/dashboard';
import { DataqueryBuilder } from '@grafana/grafana-foundation-sdk/prometheus';
import { PanelBuilder as StatBuilder } from '@grafana/grafana-foundation-sdk/stat';
import { PanelBuilder as TimeSeriesBuilder } from '@grafana/grafana-foundation-sdk/timeseries';

/** A panel: each expression has the legend of its series. */
export interface View {
  readonly title: string;
  readonly description: string;
  /** Page of docs/runbooks, without its ending. */
  readonly runbook: string;
  /** Grafana's unit id, e.g. `s`. */
  readonly unit?: string;
  /** Of the dashboard's 24 columns. */
  readonly width: number;
  readonly stacked?: true;
  readonly coloured?: true;
  readonly queries: readonly (readonly [expression: string, legend: string])[];
}

const height = 8;
/** The data source that the reader selects. */
export const datasource: DataSourceRef = { type: 'prometheus', uid: `\${datasource}` };

const colours: Readonly<Record<string, string>> = {
  block: 'red',
  review: 'orange',
  allow: 'green',
  Severe: 'red',
  High: 'orange',
  Moderate: 'yellow',
  Low: 'green',
  none: 'text',
};

/** A time series with a table of last and highest values. */
export function overTime(view: View): TimeSeriesBuilder {
  const panel = new TimeSeriesBuilder()
    .title(view.title)
    .description(view.description)
    .links([runbookOf(view)])
    .datasource(datasource)
    .unit(view.unit ?? 'short')
    .min(0)
    .span(view.width)
    .height(height)
    .lineWidth(1)
    .fillOpacity(view.stacked ? 40 : 8)
    .gradientMode(GraphGradientMode.None)
    .showPoints(VisibilityMode.Never)
    .tooltip(new VizTooltipOptionsBuilder().mode(TooltipDisplayMode.Multi))
    .legend(
      new VizLegendOptionsBuilder()
        .displayMode(LegendDisplayMode.Table)
        .placement(LegendPlacement.Bottom)
        .showLegend(true)
        .calcs(['lastNotNull', 'max']),
    );
  if (view.stacked) panel.stacking(new StackingConfigBuilder().mode(StackingMode.Normal));
  for (const [name, color] of coloursOf(view)) panel.overrideByName(name, [{ id: 'color', value: { mode: 'fixed', fixedColor: color } }]);
  for (const query of queriesOf(view)) panel.withTarget(query);
  return panel;
}

export function latest(view: View): StatBuilder {
  const panel = new StatBuilder()
    .title(view.title)
    .description(view.description)
    .links([runbookOf(view)])
    .datasource(datasource)
    .unit(view.unit ?? 'short')
    .span(view.width)
    .height(4);
  for (const [name, color] of coloursOf(view)) panel.overrideByName(name, [{ id: 'color', value: { mode: 'fixed', fixedColor: color } }]);
  for (const query of queriesOf(view)) panel.withTarget(query);
  return panel;
}

function runbookOf({ runbook }: View): DashboardLinkBuilder {
  return new DashboardLinkBuilder('Runbook').type(DashboardLinkType.Link).url(`\${handbook}/runbooks/${runbook}.md`).targetBlank(true);
}

function coloursOf(view: View): (readonly [series: string, colour: string])[] {
  return view.coloured ? Object.entries(colours) : [];
}

function queriesOf(view: View): DataqueryBuilder[] {
  return view.queries.map(([expression, legend], index) =>
    new DataqueryBuilder()
      .refId(String.fromCharCode(65 + index))
      .datasource(datasource)
      .expr(expression)
      .legendFormat(legend)
      .range(),
  );
}

/** A counter's events per minute, by a label. */
export function perMinute(label: string, counter: string, matching = ''): [expression: string, legend: string] {
  return [
    `60 * sum by (${label}) (rate(${counter}${matching === '' ? '' : `{${matching}}`}[$__rate_interval]))`,
    label
      .split(', ')
      .map((name) => `{{${name}}}`)
      .join(' '),
  ];
}
