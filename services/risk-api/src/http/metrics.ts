import type { Metrics } from '@weir/service-kit';

/** Metrics of the risk API. Labels hold operations and statuses, no content of a request. */
export function createRequestMetrics({ counter, tracedHistogram }: Pick<Metrics, 'counter' | 'tracedHistogram'>) {
  return {
    requests: counter('weir_risk_api_requests_total', 'Requests answered by the risk API', ['operation', 'status']),
    duration: tracedHistogram(
      'weir_risk_api_duration_seconds',
      'From a request to its answer',
      ['operation'],
      [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    ),
    runs: counter(
      'weir_risk_api_runs_total',
      'Turns at a score: computed (done), given up (failed), made again later (again), nothing to do (left)',
      ['outcome'],
    ),
  };
}

export type RequestMetrics = ReturnType<typeof createRequestMetrics>;
