import type { Dashboard } from '@grafana/grafana-foundation-sdk/dashboard';
import { dashboardOf } from './dashboard.ts';
import { perMinute } from './panels.ts';

export function stores(): Dashboard {
  return dashboardOf({ title: 'PostgreSQL, Kafka and Redis', uid: 'weir-stores', description: 'The stores as the services see them' }, [
    [
      'Log',
      [
        {
          title: 'Consumer lag',
          description: 'Records that each group has yet to handle',
          runbook: 'WeirConsumerLag',
          queries: [['max by (group, topic) (weir_consumer_lag)', '{{group}} {{topic}}']],
        },
        {
          title: 'Stopped partitions',
          description: 'Records are gone that the group had yet to read',
          runbook: 'WeirLogGap',
          queries: [['max by (group, topic) (weir_log_gaps)', '{{group}} {{topic}}']],
        },
        {
          title: 'Connections to PostgreSQL',
          description: 'Of each process: busy, idle, and work that waits for one',
          runbook: 'WeirConsumerLag',
          queries: [['sum by (service, state) (weir_pool_connections)', '{{service}} {{state}}']],
        },
        {
          title: 'Refusals of the log, per minute',
          description: 'By the code of the log',
          runbook: 'WeirOutboxRefused',
          queries: [perMinute('topic, reason', 'weir_outbox_refused_total')],
        },
      ],
    ],
    [
      'Jobs',
      [
        {
          title: 'Since the last success',
          description: 'Of each job; one that is due again and does not succeed raises an alert',
          runbook: 'WeirJobFailing',
          unit: 's',
          queries: [['time() - max by (name) (weir_job_last_success_timestamp_seconds)', '{{name}}']],
        },
        {
          title: 'Failed runs, per minute',
          description: 'They are tried again',
          runbook: 'WeirJobFailing',
          queries: [perMinute('name', 'weir_job_runs_total', 'result="failed"')],
        },
        {
          title: 'Certificates',
          description: 'Until the certificate that a service shows ends; only with TLS',
          runbook: 'WeirCertificateExpires',
          unit: 's',
          queries: [['min by (service) (weir_tls_certificate_expiry_timestamp_seconds) - time()', '{{service}}']],
        },
      ],
    ],
    [
      'Services',
      [
        {
          title: 'Event loop lag, p99',
          description: 'A busy or blocked process answers late',
          runbook: 'WeirServiceDown',
          unit: 's',
          queries: [['max by (service) (nodejs_eventloop_lag_p99_seconds{job="weir"})', '{{service}}']],
        },
        {
          title: 'Processor time',
          description: 'Cores that a service uses',
          runbook: 'WeirServiceDown',
          queries: [['sum by (service) (rate(process_cpu_seconds_total{job="weir"}[$__rate_interval]))', '{{service}}']],
        },
        {
          title: 'Garbage collection',
          description: 'Share of the time that a process spends on it, the worst replica',
          runbook: 'WeirServiceDown',
          unit: 'percentunit',
          queries: [
            [
              'max by (service) (sum by (service, instance) (rate(nodejs_gc_duration_seconds_sum{job="weir"}[$__rate_interval])))',
              '{{service}}',
            ],
          ],
        },
        {
          title: 'Resident memory',
          description: 'Of all replicas of a service together',
          runbook: 'WeirServiceDown',
          unit: 'bytes',
          queries: [['sum by (service) (process_resident_memory_bytes{job="weir"})', '{{service}}']],
        },
        {
          title: 'Open sockets and handles',
          description: 'Of PostgreSQL, Kafka, Redis and callers together',
          runbook: 'WeirServiceDown',
          queries: [['sum by (service) (nodejs_active_handles_total{job="weir"})', '{{service}}']],
        },
        {
          title: 'Restarts',
          description: 'Starts of a process in the last hour',
          runbook: 'WeirServiceDown',
          queries: [['sum by (service) (changes(process_start_time_seconds{job="weir"}[1h]))', '{{service}}']],
        },
        {
          title: 'Replicas that answer',
          description: 'Replicas of each service that Prometheus can scrape',
          runbook: 'WeirServiceDown',
          queries: [['sum by (service) (up{job="weir"})', '{{service}}']],
        },
      ],
    ],
  ]);
}
