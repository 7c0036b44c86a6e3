import { type DashboardBuilder, RowBuilder } from '@grafana/grafana-foundation-sdk/dashboard';
import { overTime } from './panels.ts';

export function addMachinery(dashboard: DashboardBuilder): void {
  addStreams(dashboard);
  addReplicas(dashboard);
}

function addStreams(dashboard: DashboardBuilder): void {
  dashboard
    .withRow(new RowBuilder('Machinery'))
    .withPanel(
      overTime({
        title: 'Consumer lag',
        runbook: 'WeirConsumerLag',
        description: 'Records that each group has yet to handle',
        unit: 'short',
        width: 8,
        queries: [['max by (group, topic) (weir_consumer_lag)', '{{group}} {{topic}}']],
      }),
    )
    .withPanel(
      overTime({
        title: 'Dead letters since the start',
        runbook: 'WeirDeadLetters',
        description: 'Records that could not be processed; `weir dlq list` shows them',
        width: 8,
        queries: [['sum by (topic, reason) (weir_dead_letters_total)', '{{topic}} {{reason}}']],
      }),
    )
    .withPanel(
      overTime({
        title: 'Audit entries, per minute',
        runbook: 'WeirAuditNotSigned',
        description: 'Events that the audit log took',
        width: 8,
        queries: [['60 * sum(rate(weir_audit_entries_total[$__rate_interval]))', 'entries']],
      }),
    )
    .withPanel(
      overTime({
        title: 'Oldest webhook that waits',
        runbook: 'WeirWebhooksBehind',
        description: 'Zero while none waits, and where webhooks are off',
        unit: 's',
        width: 8,
        queries: [['max(weir_webhook_oldest_seconds)', 'age']],
      }),
    );
}

function addReplicas(dashboard: DashboardBuilder): void {
  dashboard
    .withPanel(
      overTime({
        title: 'Replicas that answer',
        runbook: 'WeirServiceDown',
        description: 'Replicas of each service that Prometheus can scrape',
        width: 8,
        queries: [['sum by (service) (up{job="weir"})', '{{service}}']],
      }),
    )
    .withPanel(
      overTime({
        title: 'Resident memory',
        runbook: 'WeirServiceDown',
        description: 'Of all replicas of a service together',
        unit: 'bytes',
        width: 8,
        queries: [['sum by (service) (process_resident_memory_bytes{job="weir"})', '{{service}}']],
      }),
    )
    .withPanel(
      overTime({
        title: 'Policy in force',
        runbook: 'WeirPoliciesDiffer',
        description: 'Its hash',
        width: 8,
        queries: [['count by (policy_hash) (weir_policy_info)', '{{policy_hash}}']],
      }),
    );
}
