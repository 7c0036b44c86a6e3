import {
  type Attributes,
  type Context,
  context,
  createContextKey,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  type SpanOptions,
  SpanStatusCode,
  trace,
  TraceFlags,
} from '@opentelemetry/api';
import { type Clock, within } from '@weir/clock';
import { importOptional, optionalPackages } from '@weir/optional-packages';

export interface TracingOptions {
  /** Of an OTLP/HTTP receiver, without `/v1/traces`. Empty: off. */
  readonly endpoint: string;
  /** As in OTEL_EXPORTER_OTLP_HEADERS. */
  readonly headers: string;
  /** The part of all traces that is exported, 0 to 1. */
  readonly ratio: number;
}

export interface SpanSource {
  start(service: string, name: string, options: SpanOptions, parent: Context, ids: { traceId?: string; spanId?: string }): Span;
  stop(): Promise<void>;
}

export interface NewSpan {
  /** Default: that of the active span. */
  readonly service?: string;
  readonly name: string;
  readonly kind?: 'internal' | 'server' | 'client' | 'producer' | 'consumer';
  /** Ids of its own, instead of random ones. `traceId` counts only without `parent`. */
  readonly ids?: { readonly traceId?: string; readonly spanId?: string };
  /** `none`: a new trace. Default: the active span. */
  readonly parent?: SpanContext | 'none' | undefined;
  readonly links?: readonly SpanContext[];
  readonly attributes?: Attributes;
  /** Unix milliseconds. */
  readonly startedAt?: number;
}

const flushLimitMs = 5_000;
const kinds = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
} as const;

let source: SpanSource | undefined;
const serviceKey = createContextKey('weir service');

function activeService(): string {
  return (context.active().getValue(serviceKey) as string | undefined) ?? 'unknown';
}

export function isTracing(): boolean {
  return source !== undefined;
}

/** Spans of this process are exported until `stop`, which waits a limited time for the last ones. Loads nothing when `endpoint` is empty. */
export async function startTracing(options: TracingOptions, clock: Clock): Promise<{ stop(): Promise<void> }> {
  if (options.endpoint === '') return { stop: async () => undefined };
  const { openSdk } = await importOptional('Tracing', optionalPackages.tracing, () => import('./sdk.ts'));
  const own = openSdk(options);
  source = own;
  return {
    stop: async () => {
      if (source === own) source = undefined;
      // A receiver that is away loses the last spans, and nothing else.
      const stopped = own.stop().catch(() => undefined);
      await within(clock, flushLimitMs, stopped, { late: () => undefined });
    },
  };
}

/** Undefined when tracing is off. The caller ends it. */
export function startSpan({
  service,
  name,
  kind = 'internal',
  ids = {},
  parent,
  links = [],
  attributes,
  startedAt,
}: NewSpan): Span | undefined {
  if (source === undefined) return undefined;
  const of = parent === undefined ? context.active() : parent === 'none' ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent);
  const options: SpanOptions = {
    kind: kinds[kind],
    links: links.map((to) => ({ context: to })),
    ...(attributes && { attributes }),
    ...(startedAt !== undefined && { startTime: startedAt }),
  };
  return source.start(service ?? activeService(), name, options, of, ids);
}

/** Runs `work` within a span. When tracing is off it only runs `work`. */
export async function inSpan<T>(of: NewSpan, work: (span: Span | undefined) => Promise<T>): Promise<T> {
  const span = startSpan(of);
  return span === undefined ? work(undefined) : runIn(span, of.service ?? activeService(), work);
}

async function runIn<T>(span: Span, service: string, work: (span: Span) => Promise<T>): Promise<T> {
  try {
    const own = trace.setSpan(context.active(), span).setValue(serviceKey, service);
    return await context.with(own, () => work(span));
  } catch (error) {
    endFailed(span, error);
    throw error;
  } finally {
    span.end();
  }
}

/** Messages of errors may contain addresses, so only the kind is kept. */
export function endFailed(span: Span, error: unknown): void {
  const { code } = (error ?? {}) as { code?: unknown };
  span.setStatus({ code: SpanStatusCode.ERROR });
  span.setAttribute('error.type', typeof code === 'string' ? code : error instanceof Error ? error.name : 'unknown');
}

/** Of the active span. */
export function activeSpan(): SpanContext | undefined {
  return source === undefined ? undefined : trace.getSpanContext(context.active());
}

const requestKey = createContextKey('weir request');

/** Runs `work` for a request whose span is written at its end, so that it cannot be the active one. */
export function withRequest<T>(span: SpanContext, work: () => T): T {
  return source === undefined ? work() : context.with(context.active().setValue(requestKey, span), work);
}

/** Of the active span, else of the request in hand, to keep it for work that is done later. */
export function activeTraceparent(): string | undefined {
  if (source === undefined) return undefined;
  const span = activeSpan() ?? (context.active().getValue(requestKey) as SpanContext | undefined);
  return span && toTraceparent(span);
}

/** Runs `work` as if within this span. */
export function runWithin<T>(parent: SpanContext | undefined, work: () => T): T {
  return source === undefined || parent === undefined ? work() : context.with(trace.setSpanContext(ROOT_CONTEXT, parent), work);
}

const form = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/;

/** W3C Trace Context, version 00. Undefined for anything else. */
export function parseTraceparent(text: string | undefined): SpanContext | undefined {
  const [, traceId, spanId, flags] = form.exec(text ?? '') ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & TraceFlags.SAMPLED, isRemote: true };
}

export function toTraceparent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}

/** Spans of the records in hand, by the id of their trace. */
export type RecordSpans = ReadonlyMap<string, SpanContext>;
const recordSpansKey = createContextKey('weir records');

export function withRecordSpans<T>(spans: RecordSpans, work: () => T): T {
  return source === undefined ? work() : context.with(context.active().setValue(recordSpansKey, spans), work);
}

export function recordSpans(): RecordSpans | undefined {
  return source === undefined ? undefined : (context.active().getValue(recordSpansKey) as RecordSpans | undefined);
}
