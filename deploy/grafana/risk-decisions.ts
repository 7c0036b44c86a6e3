import {
  type Dashboard,
  DashboardBuilder,
  DashboardCursorSync,
  DatasourceVariableBuilder,
  QueryVariableBuilder,
  RowBuilder,
  VariableRefresh,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { addMachinery } from './machinery-panels.ts';
import { latest, overTime, perMinute } from './panels.ts';
import { addUpstream } from './upstream-panels.ts';

/**
 * Replicas report equal values of gauges that are read from a database. Panels take their `max` (`min` for remaining budget), not `sum`.
 */
export function riskDecisions(): Dashboard {
  const dashboard = new DashboardBuilder('Risk decisions')
    .uid('weir-risk-decisions')
    .description('What Weir decides, how fast, what waits, and what is left of the risk API')
    .tags(['weir'])
    .timezone('browser')
    .readonly()
    .refresh('30s')
    .time({ from: 'now-6h', to: 'now' })
    .tooltip(DashboardCursorSync.Crosshair)
    .withVariable(new DatasourceVariableBuilder('datasource').label('Prometheus').type('prometheus'))
    .withVariable(
      new QueryVariableBuilder('kind')
        .label('Kind')
        .datasource({ type: 'prometheus', uid: `\${datasource}` })
        .query({ qryType: 1, query: 'label_values(weir_screenings_open, kind)', refId: 'kind' })
        .refresh(VariableRefresh.OnTimeRangeChanged)
        .multi(true)
        .includeAll(true)
        .allValue('.+')
        .current({ selected: true, text: 'All', value: '$__all' }),
    );
  addNow(dashboard);
  addDecisions(dashboard);
  addWaiting(dashboard);
  addUpstream(dashboard);
  addMachinery(dashboard);
  return dashboard.build();
}

const decisions = 'weir_decisions_total{kind=~"$kind"}';

function addNow(dashboard: DashboardBuilder): void {
  dashboard
    .withPanel(
      latest({
        title: 'Decisions in the last hour',
        coloured: true,
        width: 8,
        queries: [[`sum by (action) (increase(${decisions}[1h]))`, '{{action}}']],
      }),
    )
    .withPanel(
      latest({
        title: 'Without a decision',
        width: 4,
        queries: [['sum(max by (kind) (weir_screenings_open{kind=~"$kind", state="pending"}))', 'pending']],
      }),
    )
    .withPanel(
      latest({
        title: 'Held for a person',
        width: 4,
        queries: [['sum(max by (kind) (weir_screenings_open{kind=~"$kind", state="held"}))', 'held']],
      }),
    )
    .withPanel(latest({ title: 'Oldest without a decision', unit: 's', width: 4, queries: [[oldest('pending'), '{{kind}}']] }))
    .withPanel(
      latest({ title: 'Alerts', width: 4, queries: [['count(ALERTS{alertstate="firing", alertname=~"Weir.*"}) or vector(0)', 'firing']] }),
    );
}

function addDecisions(dashboard: DashboardBuilder): void {
  dashboard
    .withRow(new RowBuilder('Decisions'))
    .withPanel(
      overTime({ title: 'By action, per minute', coloured: true, width: 12, stacked: true, queries: [perMinute('action', decisions)] }),
    )
    .withPanel(
      overTime({
        title: 'By level, per minute',
        coloured: true,
        description: 'none: there was no result with a level',
        width: 12,
        stacked: true,
        queries: [perMinute('level', decisions)],
      }),
    )
    .withPanel(overTime({ title: 'By rule, per minute', width: 12, stacked: true, queries: [perMinute('rule', decisions)] }))
    .withPanel(overTime({ title: 'By kind, per minute', width: 12, stacked: true, queries: [perMinute('kind', decisions)] }))
    .withPanel(
      overTime({
        title: 'From the request to the first decision',
        unit: 's',
        width: 12,
        queries: [0.5, 0.95, 0.99].map((quantile) => [
          `histogram_quantile(${quantile}, sum by (le) (rate(weir_screening_duration_seconds_bucket{kind=~"$kind"}[$__rate_interval])))`,
          `p${quantile * 100}`,
        ]),
      }),
    )
    .withPanel(
      overTime({
        title: 'Outcomes of scoring, per minute',
        width: 12,
        stacked: true,
        queries: [perMinute('outcome', 'weir_screenings_total{kind=~"$kind"}')],
      }),
    );
}

function oldest(state: 'pending' | 'held' | 'rescreen'): string {
  return `max by (kind) (weir_screening_oldest_seconds{kind=~"$kind", state="${state}"})`;
}

function addWaiting(dashboard: DashboardBuilder): void {
  dashboard
    .withRow(new RowBuilder('Waiting'))
    .withPanel(overTime({ title: 'Oldest without a decision', unit: 's', width: 8, queries: [[oldest('pending'), '{{kind}}']] }))
    .withPanel(overTime({ title: 'Oldest held for a person', unit: 's', width: 8, queries: [[oldest('held'), '{{kind}}']] }))
    .withPanel(
      overTime({
        title: 'Open',
        width: 8,
        queries: [['max by (kind, state) (weir_screenings_open{kind=~"$kind"})', '{{kind}} {{state}}']],
      }),
    )
    .withPanel(
      overTime({
        title: 'Oldest to be screened again',
        description: 'A label has changed; the decision stands until the new result',
        unit: 's',
        width: 8,
        queries: [
          [oldest('rescreen'), '{{kind}}'],
          ['max(weir_rescreen_feed_seconds)', 'changes last read'],
        ],
      }),
    )
    .withPanel(
      overTime({ title: 'Screened again, per minute', width: 8, queries: [perMinute('kind', 'weir_rescreens_total{kind=~"$kind"}')] }),
    )
    .withPanel(
      overTime({ title: 'Changed subjects in hand', unit: 'short', width: 8, queries: [['max(weir_rescreen_subjects)', 'subjects']] }),
    );
}
