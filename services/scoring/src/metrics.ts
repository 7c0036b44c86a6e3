import { createScreeningGauges, type Metrics } from '@weir/service-kit';

export function createScoringMetrics(metrics: Metrics) {
  const { counter, gauge, histogram } = metrics;
  const created = {
    ...createScreeningGauges(metrics),
    screenings: counter('weir_screenings_total', 'Screenings that came to an outcome', ['kind', 'outcome']),
    upstreamRequests: counter('weir_upstream_requests_total', 'Calls of the risk API', ['operation', 'outcome']),
    upstreamDuration: histogram(
      'weir_upstream_duration_seconds',
      'Duration of calls of the risk API',
      ['operation'],
      [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    ),
    budgetRemaining: gauge('weir_budget_remaining', 'Calls of the risk API that may still be made', ['window', 'lane']),
    budgetLimit: gauge('weir_budget_limit', 'The limit of the risk API', ['window']),
    fallbackLookups: counter(
      'weir_fallback_lookups_total',
      'Questions sent to the fallback provider, for the first one is unavailable',
      [],
    ),
    comparisons: counter('weir_shadow_comparisons_total', 'Results compared with those of the provider in shadow, by level or outcome', [
      'first',
      'second',
      'categories',
    ]),
    staleGrants: counter('weir_budget_stale_grants_total', 'Grants dropped because this process was too slow to use them at once', []),
    tokenOverShare: counter(
      'weir_token_over_share_total',
      'Lookups moved from this lane to that of re-screenings, for their token has spent its share of the day; those under way included',
      ['lane'],
    ),
    singleFlight: counter(
      'weir_single_flight_total',
      'Screenings answered from the cache (hit), by a call under way (joined), or by a call of their own (miss)',
      ['result'],
    ),
    rescreens: counter('weir_rescreens_total', 'Screenings asked for once more, for a score may have changed', ['kind']),
    rescreenSubjects: gauge(
      'weir_rescreen_subjects',
      'Subjects whose score has changed and whose screenings are still to be asked for once more',
      [],
    ),
    rescreenFeed: gauge(
      'weir_rescreen_feed_seconds',
      'Since when the changed scores of the risk API were last read to their end; 0 where it lists none',
      [],
    ),
  };
  // `rate` and `increase` see the first increment only if the series existed before.
  for (const kind of ['deposit', 'withdrawal'] as const) created.rescreens.inc({ kind }, 0);
  for (const level of ['Low', 'Moderate', 'High', 'Severe'])
    created.comparisons.inc({ first: level, second: level, categories: 'same' }, 0);
  for (const first of ['Low', 'Moderate', 'NO_DATA'])
    for (const categories of ['same', 'different']) created.comparisons.inc({ first, second: 'Severe', categories }, 0);
  return created;
}

export type ScoringMetrics = ReturnType<typeof createScoringMetrics>;
