import { type Metric, type OpenMetricsContentType, Registry } from 'prom-client';

/** Metrics as text, and its media type. */
export interface Exposition {
  readonly type: string;
  readonly text: string;
}

/** OpenMetrics, which carries exemplars, if the `Accept` header names it; else the text format of Prometheus. */
export async function expose(registry: Registry, accept: string | undefined): Promise<Exposition> {
  const form = new Registry();
  if (accept?.includes('application/openmetrics-text') === true) keepsExemplars(form);
  // Stand-ins, because prom-client renames counters in place for OpenMetrics.
  for (const { name } of registry.getMetricsAsArray()) form.registerMetric(Object.create(registry.getSingleMetric(name) as Metric));
  return { type: form.contentType, text: await form.metrics() };
}

/** Only the metrics of such a registry may have exemplars. */
export function keepsExemplars(registry: Registry): void {
  (registry as unknown as Registry<OpenMetricsContentType>).setContentType(Registry.OPENMETRICS_CONTENT_TYPE);
}
