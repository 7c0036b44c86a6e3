import { randomUUID } from 'node:crypto';
import type { Clock } from '@weir/clock';
import type { Context, MiddlewareHandler } from 'hono';
import { type Logger, loggerOf } from '../logger.ts';
import type { Metrics } from '../metrics.ts';

declare module 'hono' {
  interface ContextVariableMap {
    /** The path of the operation, as described. */
    route: string;
    /** The service of the operation, where a process has several. */
    service: string | undefined;
    /** Whether callers repeat it, so that its successes are of little interest. */
    isPolled: boolean;
    /** The screening that the request is about. */
    screeningId: string;
  }
}

export interface ObserveOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** Of an identifier that a caller may choose. */
const requestIdForm = /^[\w.:-]{1,128}$/;
/** W3C Trace Context, version 00. */
const traceparentForm = /^00-(?!0{32})([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$/;

/**
 * Measures each request and writes a line about it. Failures and acts are written at `info`, successes of what callers repeat at `debug`.
 * The answer carries `X-Request-Id`: the caller's, or a new one. A path without an operation is the caller's text and is left out.
 */
export function observeRequests({ clock, logger, metrics }: ObserveOptions): MiddlewareHandler {
  return async (c, next) => {
    const begun = clock.monotonic();
    const given = c.req.header('x-request-id') ?? '';
    const requestId = requestIdForm.test(given) ? given : randomUUID();
    await next();
    c.header('x-request-id', requestId);
    const { method } = c.req;
    const { status } = c.res;
    const route = c.get('route') ?? (status === 404 ? 'none' : 'page');
    const role = c.get('caller')?.role ?? 'none';
    const ms = clock.monotonic() - begun;
    const trace = traceOf(c);
    metrics.requestDuration.observe({ method, route, status: String(status), role }, ms / 1_000, trace.trace_id);
    const isQuiet = status < 400 && (c.get('isPolled') || route === 'page');
    const service = c.get('service');
    (service === undefined ? logger : loggerOf(logger, service))[isQuiet ? 'debug' : 'info'](
      { method, route, status, role, duration_ms: Math.round(ms * 10) / 10, request_id: requestId, ...trace },
      'request',
    );
  };
}

function traceOf(c: Context): { trace_id?: string; screening_id?: string } {
  const screeningId = c.get('screeningId');
  const traceId = traceparentForm.exec(c.req.header('traceparent') ?? '')?.[1] ?? screeningId?.replaceAll('-', '');
  return { ...(traceId !== undefined && { trace_id: traceId }), ...(screeningId !== undefined && { screening_id: screeningId }) };
}
