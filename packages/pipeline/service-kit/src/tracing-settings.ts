import type { TracingOptions } from '@weir/tracing';
import type { Schema } from 'convict';

/** Named as in OpenTelemetry. */
export interface TracingSettings {
  otlpEndpoint: string;
  otlpHeaders: string;
  tracesRatio: number;
}

export const tracingSchema: Schema<TracingSettings> = {
  otlpEndpoint: {
    doc: 'Receiver of traces by OTLP/HTTP, without /v1/traces, http://…:4318; empty: no tracing',
    format: 'http-url',
    default: '',
    env: 'OTEL_EXPORTER_OTLP_ENDPOINT',
  },
  otlpHeaders: {
    doc: 'Headers for the receiver of traces, name=value,name=value with percent-encoded values',
    format: String,
    default: '',
    env: 'OTEL_EXPORTER_OTLP_HEADERS',
    sensitive: true,
  },
  tracesRatio: {
    doc: 'The part of all transfers that is traced, 0 to 1. The id of the transfer decides, so all services choose the same ones',
    format: 'ratio',
    default: 1,
    env: 'OTEL_TRACES_SAMPLER_ARG',
  },
};

export function tracingOptions({ otlpEndpoint, otlpHeaders, tracesRatio }: TracingSettings): TracingOptions {
  return { endpoint: otlpEndpoint, headers: otlpHeaders, ratio: tracesRatio };
}
