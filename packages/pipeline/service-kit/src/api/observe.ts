import { randomUUID } from 'node:crypto';
import type { Clock } from '@weir/clock';
import { isTracing, parseTraceparent, requestSpan, rootSpan, startSpan, withRequest } from '@weir/tracing';
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
    /** Whether the request has brought it. */
    isNewTransfer: boolean;
  }
}

export interface ObserveOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** Of an identifier that a caller may choose. */
const requestIdForm = /^[\w.:-]{1,128}$/;

/** The caller's `X-Request-Id`, or a new one. */
export function requestIdOf(c: Context): string {
  const given = c.req.header('x-request-id') ?? '';
  return requestIdForm.test(given) ? given : randomUUID();
}

/** Of a log line: the caller's trace, else `own`. */
export function traceFieldOf(c: Context, own: string | undefined): { trace_id?: string } {
  const traceId = parseTraceparent(c.req.header('traceparent'))?.traceId ?? own;
  return traceId === undefined ? {} : { trace_id: traceId };
}

/**
 * Measures each request and writes a line about it. Failures and acts are written at `info`, successes of what callers repeat at `debug`.
 * The answer carries `X-Request-Id`: the caller's, or a new one. A path without an operation is the caller's text and is left out.
 */
export function observeRequests({ clock, logger, metrics }: ObserveOptions): MiddlewareHandler {
  return async (c, next) => {
    const begun = clock.monotonic();
    const startedAt = clock.now();
    const requestId = requestIdOf(c);
    const span = isTracing() ? requestSpan(c.req.header('traceparent')) : undefined;
    await (span === undefined ? next() : withRequest(span, next));
    c.header('x-request-id', requestId);
    const { method } = c.req;
    const { status } = c.res;
    const route = c.get('route') ?? (status === 404 ? 'none' : 'page');
    const role = c.get('caller')?.role ?? 'none';
    const ms = clock.monotonic() - begun;
    const isQuiet = status < 400 && (c.get('isPolled') || route === 'page');
    const trace = traceOf(c, isQuiet ? undefined : span);
    metrics.requestDuration.observe({ method, route, status: String(status), role }, ms / 1_000, trace.trace_id);
    const service = c.get('service');
    if (span !== undefined && !isQuiet)
      traceRequest(c, { service: service ?? String(logger.bindings()['service']), route, startedAt, span });
    (service === undefined ? logger : loggerOf(logger, service))[isQuiet ? 'debug' : 'info'](
      { method, route, status, role, duration_ms: Math.round(ms * 10) / 10, request_id: requestId, ...trace },
      'request',
    );
  };
}

interface TracedRequest {
  readonly service: string;
  readonly route: string;
  /** Unix milliseconds. */
  readonly startedAt: number;
  /** What the request has recorded names this one as its cause. */
  readonly span: ReturnType<typeof requestSpan>;
}

/**
 * Its trace is that of the log line: the caller's, else the transfer's, else one of its own. Where it has brought a new transfer, it is the
 * first span there. It is written at its end, because the transfer is known only then.
 */
function traceRequest(c: Context, { service, route, startedAt, span }: TracedRequest): void {
  const screeningId = c.get('screeningId');
  const isNew = c.get('isNewTransfer');
  const root = screeningId === undefined ? undefined : rootSpan(screeningId);
  const caller = parseTraceparent(c.req.header('traceparent'));
  const of = {
    service,
    name: `${c.req.method} ${route}`,
    kind: 'server' as const,
    startedAt,
    attributes: {
      'http.request.method': c.req.method,
      'http.route': route,
      'http.response.status_code': c.res.status,
      ...(screeningId !== undefined && { 'weir.screening_id': screeningId }),
    },
  };
  if (caller !== undefined) startSpan({ ...of, ids: span, parent: caller, ...(root && { links: [root] }) })?.end();
  // A repeat or a question is a further span of the transfer.
  else if (root === undefined || isNew) startSpan({ ...of, ids: root ?? span, parent: 'none' })?.end();
  else startSpan({ ...of, parent: root })?.end();
  if (caller !== undefined && root !== undefined && isNew) startSpan({ ...of, parent: 'none', ids: root, links: [caller] })?.end();
}

function traceOf(c: Context, span: TracedRequest['span'] | undefined): { trace_id?: string; screening_id?: string } {
  const screeningId = c.get('screeningId');
  const trace = traceFieldOf(c, screeningId?.replaceAll('-', '') ?? span?.traceId);
  return { ...trace, ...(screeningId !== undefined && { screening_id: screeningId }) };
}
