import {
  AnnotationQueryBuilder,
  type Dashboard,
  DashboardBuilder,
  DashboardCursorSync,
  DatasourceVariableBuilder,
  RowBuilder,
  TextBoxVariableBuilder,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { datasource, overTime, type View } from './panels.ts';

interface About {
  readonly title: string;
  readonly uid: string;
  readonly description: string;
}

/** An empty dashboard with the variables and annotations that all have. `handbook` is the address of the folder docs, for the runbooks. */
export function createDashboard({ title, uid, description }: About): DashboardBuilder {
  return new DashboardBuilder(title)
    .uid(uid)
    .description(description)
    .tags(['weir'])
    .timezone('browser')
    .readonly()
    .refresh('30s')
    .time({ from: 'now-6h', to: 'now' })
    .tooltip(DashboardCursorSync.Crosshair)
    .annotation(
      changes('Policy', 'blue', 'max by (policy_hash) (weir_policy_info) unless max by (policy_hash) (weir_policy_info offset 2m)'),
    )
    .annotation(changes('Changed scores', 'purple', 'sum(increase(weir_risk_api_scores_changed_total[2m])) > 0'))
    .withVariable(new DatasourceVariableBuilder('datasource').label('Prometheus').type('prometheus'))
    .withVariable(new TextBoxVariableBuilder('handbook').label('Handbook').defaultValue('docs'));
}

/** A dashboard of time series, a third of the width each. */
export function dashboardOf(about: About, rows: readonly (readonly [title: string, views: readonly Omit<View, 'width'>[]])[]): Dashboard {
  const dashboard = createDashboard(about);
  for (const [title, views] of rows) {
    dashboard.withRow(new RowBuilder(title));
    for (const view of views) dashboard.withPanel(overTime({ ...view, width: 8 }));
  }
  return dashboard.build();
}

function changes(name: string, colour: string, expression: string): AnnotationQueryBuilder {
  return new AnnotationQueryBuilder()
    .name(name)
    .datasource(datasource)
    .enable(true)
    .iconColor(colour)
    .expr(expression)
    .step('60s')
    .titleFormat(name);
}
