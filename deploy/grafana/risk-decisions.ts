import {
  type Dashboard,
  type DashboardBuilder,
  QueryVariableBuilder,
  RowBuilder,
  VariableRefresh,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { createDashboard } from './dashboard.ts';
import { addMachinery } from './machinery-panels.ts';
import { latest, overTime, perMinute } from './panels.ts';
import { addUpstream } from './upstream-panels.ts';

/**
 * Replicas report equal values of gauges that are read from a database. Panels take their `max` (`min` for remaining budget), not `sum`.
 */
export function riskDecisions(): Dashboard {
  const dashboard = createDashboard({
    title: 'Risk decisions',
    uid: 'weir-risk-decisions',
    description: 'What Weir decides, how fast, what waits, and what is left of the risk API',
  }).withVariable(
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
  addOutcome(dashboard);
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
        runbook: 'WeirNoDecisions',
        description: 'Revisions by action, superseded ones included',
        coloured: true,
        width: 8,
        queries: [[`sum by (action) (increase(${decisions}[1h]))`, '{{action}}']],
      }),
    )
    .withPanel(
      latest({
        title: 'Without a decision',
        runbook: 'WeirScreeningNearDeadline',
        description: 'Screenings that wait for their first decision',
        width: 4,
        queries: [['sum(max by (kind) (weir_screenings_open{kind=~"$kind", state="pending"}))', 'pending']],
      }),
    )
    .withPanel(
      latest({
        title: 'Held for a person',
        runbook: 'WeirHeldForADay',
        description: 'Transfers whose latest decision is review',
        width: 4,
        queries: [['sum(max by (kind) (weir_screenings_open{kind=~"$kind", state="held"}))', 'held']],
      }),
    )
    .withPanel(
      latest({
        title: 'Oldest without a decision',
        runbook: 'WeirScreeningNearDeadline',
        description: 'Past its deadline a transfer is held',
        unit: 's',
        width: 4,
        queries: [[oldest('pending'), '{{kind}}']],
      }),
    )
    .withPanel(
      latest({
        title: 'Alerts',
        runbook: 'README',
        description: 'Alerts of Weir that fire now',
        width: 4,
        queries: [['count(ALERTS{alertstate="firing", alertname=~"Weir.*"}) or vector(0)', 'firing']],
      }),
    );
}

function addDecisions(dashboard: DashboardBuilder): void {
  dashboard
    .withRow(new RowBuilder('Decisions'))
    .withPanel(
      overTime({
        title: 'By action, per minute',
        runbook: 'WeirNoDecisions',
        description: 'Revisions by their action',
        coloured: true,
        width: 12,
        stacked: true,
        queries: [perMinute('action', decisions)],
      }),
    )
    .withPanel(
      overTime({
        title: 'By level, per minute',
        runbook: 'WeirChainDataEmpty',
        coloured: true,
        description: 'none: there was no result with a level',
        width: 12,
        stacked: true,
        queries: [perMinute('level', decisions)],
      }),
    )
    .withPanel(
      overTime({
        title: 'By rule, per minute',
        runbook: 'WeirPoliciesDiffer',
        description: 'Revisions by the rule of the policy that decided',
        width: 12,
        stacked: true,
        queries: [perMinute('rule', decisions)],
      }),
    )
    .withPanel(
      overTime({
        title: 'By kind, per minute',
        runbook: 'WeirNoDecisions',
        description: 'Revisions of deposits and of withdrawals',
        width: 12,
        stacked: true,
        queries: [perMinute('kind', decisions)],
      }),
    )
    .withPanel(
      overTime({
        title: 'From the request to the first decision',
        runbook: 'WeirDecisionsLate',
        description: 'Quantiles of the time to the first decision',
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
        runbook: 'WeirUpstreamErrors',
        description: 'Only SCORED has a level; every other outcome holds by default',
        width: 12,
        stacked: true,
        queries: [perMinute('outcome', 'weir_screenings_total{kind=~"$kind"}')],
      }),
    );
}

function addOutcome(dashboard: DashboardBuilder): void {
  dashboard
    .withRow(new RowBuilder('Value and rules'))
    .withPanel(
      overTime({
        title: 'Value in 24 hours, by action',
        runbook: 'WeirHeldForADay',
        description: 'USD of the transfers of the last 24 hours by the action in force: what is blocked, held and let through',
        unit: 'currencyUSD',
        coloured: true,
        width: 8,
        stacked: true,
        queries: [['max by (action) (weir_transfers_usd)', '{{action}}']],
      }),
    )
    .withPanel(
      overTime({
        title: 'Held by rule, in 30 days',
        runbook: 'WeirHeldForADay',
        description: 'Transfers that a rule has held',
        width: 8,
        stacked: true,
        queries: [['sum by (rule) (max by (rule, ended) (weir_rule_holds))', '{{rule}}']],
      }),
    )
    .withPanel(
      overTime({
        title: 'Precision of rules, in 30 days',
        runbook: 'WeirHeldForADay',
        description: 'Of what a rule has held and people have decided, the share that they blocked; a low one holds innocents',
        unit: 'percentunit',
        width: 8,
        queries: [
          [
            '1 - (sum by (rule) (max by (rule, ended) (weir_rule_holds{ended="allow"})) or 0 * sum by (rule) (max by (rule, ended) (weir_rule_holds{ended="block"}))) / sum by (rule) (max by (rule, ended) (weir_rule_holds{ended=~"allow|block"}))',
            '{{rule}}',
          ],
        ],
      }),
    )
    .withPanel(
      overTime({
        title: 'Reviews ended, per minute',
        runbook: 'WeirReviewNotApplied',
        description: 'Resolutions of people that decision received',
        width: 8,
        queries: [perMinute('action, result', 'weir_resolutions_total')],
      }),
    )
    .withPanel(
      overTime({
        title: 'Age of reviews',
        runbook: 'WeirHeldForADay',
        description: 'Longest that a review has stood in its state',
        unit: 's',
        width: 8,
        queries: [['max by (kind, state) (weir_review_oldest_seconds{kind=~"$kind"})', '{{kind}} {{state}}']],
      }),
    )
    .withPanel(
      overTime({
        title: 'Shadow policy disagrees, per minute',
        runbook: 'WeirPoliciesDiffer',
        description: 'The action in force, and that of the candidate; only with `weir policy shadow`',
        width: 8,
        queries: [perMinute('action, shadow', 'weir_shadow_disagreements_total')],
      }),
    );
}

function oldest(state: 'pending' | 'held' | 'rescreen'): string {
  return `max by (kind) (weir_screening_oldest_seconds{kind=~"$kind", state="${state}"})`;
}

function addWaiting(dashboard: DashboardBuilder): void {
  dashboard
    .withRow(new RowBuilder('Waiting'))
    .withPanel(
      overTime({
        title: 'Oldest without a decision',
        runbook: 'WeirScreeningNearDeadline',
        description: 'Past its deadline a transfer is held',
        unit: 's',
        width: 8,
        queries: [[oldest('pending'), '{{kind}}']],
      }),
    )
    .withPanel(
      overTime({
        title: 'Oldest held for a person',
        runbook: 'WeirHeldForADay',
        description: 'Longest wait of a held transfer',
        unit: 's',
        width: 8,
        queries: [[oldest('held'), '{{kind}}']],
      }),
    )
    .withPanel(
      overTime({
        title: 'Open',
        runbook: 'WeirScreeningsStuck',
        description: 'Screenings that wait, by the reason',
        width: 8,
        queries: [['max by (kind, state) (weir_screenings_open{kind=~"$kind"})', '{{kind}} {{state}}']],
      }),
    )
    .withPanel(
      overTime({
        title: 'Oldest to be screened again',
        runbook: 'WeirRescreenWaits',
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
      overTime({
        title: 'Screened again, per minute',
        runbook: 'WeirRescreenWaits',
        description: 'New attempts because labels or transfers changed',
        width: 8,
        queries: [perMinute('kind', 'weir_rescreens_total{kind=~"$kind"}')],
      }),
    )
    .withPanel(
      overTime({
        title: 'Changed subjects in hand',
        runbook: 'WeirRescreenWaits',
        description: 'Subjects whose score changed and whose screenings are still to be asked for',
        unit: 'short',
        width: 8,
        queries: [['max(weir_rescreen_subjects)', 'subjects']],
      }),
    );
}
