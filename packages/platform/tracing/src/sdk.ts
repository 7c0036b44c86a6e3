import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, RandomIdGenerator, TraceIdRatioBasedSampler, TracerProvider } from '@opentelemetry/sdk-trace';
import type { SpanSource, TracingOptions } from './tracing.ts';

/** A batch of the pipeline links to each of its records. */
const mostLinks = 1_000;
/** Spans that wait to be exported; further ones are dropped. */
const mostWaiting = 8_192;
const exportTimeoutMs = 5_000;

/** Only `startTracing` loads this file. */
export function openSdk({ endpoint, headers, ratio }: TracingOptions): SpanSource {
  const exporter = new OTLPTraceExporter({
    url: `${endpoint.replace(/\/+$/, '')}/v1/traces`,
    headers: headersOf(headers),
    timeoutMillis: exportTimeoutMs,
  });
  const processor = new BatchSpanProcessor({ exporter, maxQueueSize: mostWaiting, exportTimeoutMillis: exportTimeoutMs });
  const random = new RandomIdGenerator();
  let ids: { traceId?: string | undefined; spanId?: string | undefined } = {};
  const idGenerator = {
    generateTraceId: () => ids.traceId ?? random.generateTraceId(),
    generateSpanId: () => ids.spanId ?? random.generateSpanId(),
  };
  // By the trace id alone, so that all services choose the same transfers.
  const sampler = new TraceIdRatioBasedSampler(ratio);
  const providers = new Map<string, TracerProvider>();
  const providerOf = (service: string): TracerProvider => {
    let provider = providers.get(service);
    if (provider === undefined) {
      const resource = resourceFromAttributes({ 'service.namespace': 'weir', 'service.name': `weir-${service}` });
      provider = new TracerProvider({
        resource,
        sampler,
        idGenerator,
        spanProcessors: [processor],
        spanLimits: { linkCountLimit: mostLinks },
      });
      providers.set(service, provider);
    }
    return provider;
  };
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  return {
    start: (service, name, options, parent, chosen) => {
      ids = chosen;
      try {
        return providerOf(service).getTracer('weir').startSpan(name, options, parent);
      } finally {
        ids = {};
      }
    },
    stop: async () => {
      await processor.shutdown();
      context.disable();
    },
  };
}

/** `name=value,name=value`, values percent-encoded, as the specification of OpenTelemetry has it. */
function headersOf(text: string): Record<string, string> {
  const pairs = text.split(',').filter((pair) => pair.includes('='));
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=');
      return [pair.slice(0, at).trim(), decodeURIComponent(pair.slice(at + 1).trim())];
    }),
  );
}
