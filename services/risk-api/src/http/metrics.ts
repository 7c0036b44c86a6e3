import { Counter, Histogram, type Registry } from 'prom-client';

/** Metrics of the risk API. Labels hold operations and statuses, no content of a request. */
export function createRequestMetrics(registry: Registry) {
  return {
    requests: new Counter({
      name: 'weir_risk_api_requests_total',
      help: 'Requests answered by the risk API',
      labelNames: ['operation', 'status'] as const,
      registers: [registry],
    }),
    duration: new Histogram({
      name: 'weir_risk_api_duration_seconds',
      help: 'From a request to its answer',
      labelNames: ['operation'] as const,
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
      registers: [registry],
    }),
    runs: new Counter({
      name: 'weir_risk_api_runs_total',
      help: 'Turns at a score: computed (done), given up (failed), made again later (again), nothing to do (left)',
      labelNames: ['outcome'] as const,
      registers: [registry],
    }),
  };
}

export type RequestMetrics = ReturnType<typeof createRequestMetrics>;
