import { type SpanContext, TraceFlags } from '@opentelemetry/api';
import { parseTraceparent } from './tracing.ts';

/** One screening is one trace, and all ids in it derive from ids of Weir. So no service has to tell another one about a span. */
export function traceIdOf(screeningId: string): string {
  return screeningId.replaceAll('-', '');
}

/** The span of an event: it begins with the event's id. */
export function eventSpan(screeningId: string, eventId: string): SpanContext {
  return spanIn(screeningId, eventId.replaceAll('-', '').slice(0, 16));
}

/** The first span of a transfer: the request or the record that brought it. */
export function rootSpan(screeningId: string): SpanContext {
  return spanIn(screeningId, traceIdOf(screeningId).slice(16));
}

/** The header of an event, also when tracing is off: logs and the audit log find the screening by it. */
export function eventTraceparent(screeningId: string, eventId: string): string {
  const { traceId, spanId } = eventSpan(screeningId, eventId);
  return `00-${traceId}-${spanId}-01`;
}

function spanIn(screeningId: string, spanId: string): SpanContext {
  return { traceId: traceIdOf(screeningId), spanId, traceFlags: TraceFlags.SAMPLED, isRemote: true };
}

/** The span that wrote a record; undefined when its headers name none. */
export function writerOf(headers: Readonly<Record<string, string>>): SpanContext | undefined {
  return parseTraceparent(headers['traceparent']);
}
