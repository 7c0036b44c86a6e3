import { readFileSync } from 'node:fs';
import type { Pool } from '@weir/postgres';
import { Counter, collectDefaultMetrics, Gauge, Histogram, type Metric, Registry } from 'prom-client';
import { type Exposition, expose, keepsExemplars } from './expose.ts';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string };

/**
 * The metrics of a process: those of every service, and the means to register those of one. Labels never hold addresses, transaction
 * ids, users or keys. Alert on `weir_screening_oldest_seconds` (stuck) and `weir_dead_letters_total` (unreadable).
 */
export function createMetrics(registry: Registry = new Registry()) {
  keepsExemplars(registry);
  collectDefaultMetrics({ register: registry });
  const register = registerOn(registry);
  const { counter, gauge, tracedHistogram } = register;
  gauge('weir_build_info', 'Always 1; version: of Weir, node: of Node.js', ['version', 'node']).set({ version, node: process.version }, 1);
  const collectors: (() => Promise<void>)[] = [];
  const exposeAll = async (accept: string | undefined): Promise<Exposition> => {
    await Promise.allSettled(collectors.map((collect) => collect()));
    return expose(registry, accept);
  };
  return {
    ...register,
    registry,
    /** Runs before each scrape, to update gauges that need a query. A failure leaves its gauges unchanged. */
    onScrape: (collect: () => Promise<void>): void => {
      collectors.push(collect);
    },
    /** In the text format of Prometheus. */
    scrape: async (): Promise<string> => (await exposeAll(undefined)).text,
    /** In the best form that an `Accept` header takes. */
    expose: exposeAll,
    requestDuration: tracedHistogram(
      'weir_http_request_duration_seconds',
      'From a request to the begin of its answer, by operation (route: its path; page: of the console; none: unknown)',
      ['method', 'route', 'status', 'role'],
      [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
    ),
    consumerLagSeconds: gauge(
      'weir_consumer_lag_seconds',
      'How long ago the oldest record that a group has not dealt with was appended, as far as scrapes tell; 0 when there is none',
      ['topic', 'group'],
    ),
    poolConnections: gauge('weir_pool_connections', 'Connections to PostgreSQL (busy, idle), and work that waits for one (waiting)', [
      'state',
    ]),
    consumerLag: gauge('weir_consumer_lag', 'Records a group has not dealt with', ['topic', 'group']),
    logGaps: gauge('weir_log_gaps', 'Partitions that a group has stopped reading: records are gone that it had yet to read', [
      'topic',
      'group',
    ]),
    deadLetters: counter('weir_dead_letters_total', 'Records that could not be processed', ['topic', 'reason']),
    stageInfo: gauge('weir_stage_info', 'Always 1; the services that this process runs together (WEIR_STAGES)', ['stage']),
    stageFallbacks: counter(
      'weir_stage_fallbacks_total',
      'Batches that a later stage of the process (stage: its group, or log) could not handle in the transaction of the first, so that it reads them from the log',
      ['stage'],
    ),
    outboxRefused: counter(
      'weir_outbox_refused_total',
      'Times that the log refused a stored event (reason: code of the log), so that it is not published',
      ['topic', 'reason'],
    ),
    outboxRefusedEvents: gauge(
      'weir_outbox_refused_events',
      'Stored events that the log refuses; later events of their keys wait for them',
      ['topic'],
    ),
    tokenLimited: counter('weir_token_limited_total', 'Requests of a machine answered with 429: its token sends too many', ['role']),
    authFailures: counter(
      'weir_auth_failures_total',
      'Requests whose caller is not known: no token (missing), none that can be (malformed), not stored or revoked (unknown), of the OIDC provider and expired or invalid, refused unseen (limited), the provider away (unavailable)',
      ['reason'],
    ),
  };
}

export type Metrics = ReturnType<typeof createMetrics>;

interface TracedHistogram<L extends string> {
  /** `traceId`: 32 hexadecimal digits. */
  observe(labels: Readonly<Record<L, string>>, value: number, traceId: string | undefined): void;
}

/** Updates `weir_pool_connections` before each scrape. */
export function measurePool(
  { onScrape, poolConnections }: Pick<Metrics, 'onScrape' | 'poolConnections'>,
  pool: Pick<Pool, 'counts'>,
): void {
  onScrape(async () => {
    for (const [state, count] of Object.entries(pool.counts())) poolConnections.set({ state }, count);
  });
}

/** The screenings that wait. Each service that makes them wait sets its own states. */
export function createScreeningGauges({ gauge }: Pick<Metrics, 'gauge'>) {
  return {
    screeningsOpen: gauge(
      'weir_screenings_open',
      'Screenings that wait for their first decision or the one on an aged allow (pending), for a person (held), or for another result (rescreen)',
      ['kind', 'state'],
    ),
    screeningOldest: gauge('weir_screening_oldest_seconds', 'Age of the oldest of weir_screenings_open; 0 when there is none', [
      'kind',
      'state',
    ]),
  };
}

const exemplarOf = (traceId: string | undefined): object => (traceId === undefined ? {} : { trace_id: traceId });

/** The services of a process share its registry: a name that is registered gives the metric that has it. */
function registerOn(registry: Registry) {
  const once = <M extends Metric>(name: string, create: () => M): M => (registry.getSingleMetric(name) as M | undefined) ?? create();
  return {
    counter: <L extends string>(name: string, help: string, labelNames: readonly L[]): Counter<L> =>
      once(name, () => new Counter({ name, help, labelNames, registers: [registry] })),
    gauge: <L extends string>(name: string, help: string, labelNames: readonly L[]): Gauge<L> =>
      once(name, () => new Gauge({ name, help, labelNames, registers: [registry] })),
    /** A histogram whose buckets keep a trace each, as exemplars of OpenMetrics. `buckets`: upper bounds, in the unit of the name. */
    tracedHistogram: <L extends string>(name: string, help: string, labelNames: readonly L[], buckets: number[]): TracedHistogram<L> => {
      const histogram = once(name, () => new Histogram({ name, help, labelNames, buckets, enableExemplars: true, registers: [registry] }));
      return {
        observe: (labels, value, traceId) => histogram.observe({ labels, value, exemplarLabels: exemplarOf(traceId) }),
      };
    },
    /** `buckets`: upper bounds, in the unit of the name. */
    histogram: <L extends string>(name: string, help: string, labelNames: readonly L[], buckets: number[]): Histogram<L> =>
      once(name, () => new Histogram({ name, help, labelNames, buckets, registers: [registry] })),
  };
}
