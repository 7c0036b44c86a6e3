import { randomBytes } from 'node:crypto';
import { type SpanContext, TraceFlags } from '@opentelemetry/api';
import { parseTraceparent, toTraceparent } from './tracing.ts';

/** One screening is one trace, and all ids in it derive from ids of Weir. So no service has to tell another one about a span. */
export function traceIdOf(screeningId: string): string {
  return screeningId.replaceAll('-', '');
}

export function eventSpan(screeningId: string, eventId: string): SpanContext {
  return spanIn(screeningId, spanIdOf(eventId));
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

/** For a request: in the trace of its `traceparent`, else the first of a new trace. */
export function requestSpan(traceparent: string | undefined): SpanContext {
  const traceId = parseTraceparent(traceparent)?.traceId ?? randomBytes(16).toString('hex');
  return { traceId, spanId: randomBytes(8).toString('hex'), traceFlags: TraceFlags.SAMPLED };
}

/** The header of an event that belongs to no screening, in the trace of what led to it. Undefined where `cause` is no traceparent. */
export function eventTraceparentIn(cause: string | undefined, eventId: string): string | undefined {
  const span = parseTraceparent(cause);
  return span && toTraceparent({ ...span, spanId: spanIdOf(eventId) });
}

/** It begins with the event's id. */
function spanIdOf(eventId: string): string {
  return eventId.replaceAll('-', '').slice(0, 16);
}

function spanIn(screeningId: string, spanId: string): SpanContext {
  return { traceId: traceIdOf(screeningId), spanId, traceFlags: TraceFlags.SAMPLED, isRemote: true };
}

/** The span that wrote a record; undefined when its headers name none. */
export function writerOf(headers: Readonly<Record<string, string>>): SpanContext | undefined {
  return parseTraceparent(headers['traceparent']);
}
