import type { Clock } from '@weir/clock';
import {
  type ChainLagView,
  docsPaths,
  docsRoutes,
  type Exposition,
  healthRoutes,
  type Logger,
  requestIdOf,
  traceFieldOf,
  withoutQueryValues,
} from '@weir/service-kit';
import { endFailed, inSpan, isTracing, parseTraceparent } from '@weir/tracing';
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { Failure } from '../failure.ts';
import { type ListedTarget, openApiOf } from './description/openapi.ts';
import { riskPage } from './docs/page.ts';
import { sendFailure, toFailure } from './envelope.ts';
import type { RequestMetrics } from './metrics.ts';
import type { Description } from './operation.ts';
import { type Origin, originOf } from './origin.ts';
import type { Surface } from './surface.ts';

export interface AppOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: RequestMetrics;
  /** All metrics of the process, in the best form that an `Accept` header takes. */
  readonly expose: (accept: string | undefined) => Promise<Exposition>;
  readonly surfaces: readonly Surface[];
  /** Served beside every surface. */
  readonly reports: Pick<Surface, 'pages' | 'openPaths' | 'routes'>;
  /** Listed in the description. */
  readonly targets: readonly ListedTarget[];
  /** Names the unavailable components. */
  readonly unavailable: () => Promise<readonly string[]>;
  /** Names the unavailable components that the service can do without. */
  readonly degraded: () => Promise<readonly string[]>;
  /** Warnings that leave the service ready. */
  readonly warnings: () => Promise<readonly string[]>;
  /** How far followed chains are stored. */
  readonly chains: () => Promise<readonly ChainLagView[]>;
  /** Empty: the URL that the caller used. */
  readonly publicUrl: string;
}

/** The largest useful body has 400 bytes. */
const maxBodyBytes = 16_384;

export function createRiskApp(options: AppOptions): Hono {
  const { logger, surfaces, reports, targets, publicUrl } = options;
  const operations = surfaces.flatMap((surface) => surface.operations);
  const pages = surfaces.flatMap((surface) => surface.pages);
  const openPaths = [...surfaces, reports].flatMap((surface) => surface.openPaths).concat(docsPaths, ['/healthz', '/readyz', '/metrics']);
  const secret = secretPages(pages);
  const app = new Hono();
  app.use(observe(options, operations, openPaths));
  for (const { use } of surfaces) use?.(app);
  app.use(answerOptions(operations, openPaths));
  app.use(
    bodyLimit({
      maxSize: maxBodyBytes,
      onError: () => {
        throw new Failure('PayloadTooLarge');
      },
    }),
  );
  const origin = (c: Context): Origin => originOf(c, publicUrl);
  for (const surface of [...surfaces, reports]) surface.routes(app, origin);
  const described = [...operations, ...pages, ...reports.pages];
  app.route('/', docsRoutes({ describe: () => openApiOf(described, targets), page: () => riskPage(described, targets) }));
  app.route('/', healthRoutes(options));
  app.notFound((c) => sendFailure(c, new Failure('PageNotFound')));
  app.onError((error, c) => {
    const failure = toFailure(error);
    // The service's own refusals, such as a full queue or a caller that disconnected, need no alert.
    const level = error instanceof Failure ? 'warn' : 'error';
    if (failure.status >= 500) {
      const url = secret(c.req.path)?.path ?? withoutQueryValues(c.req.path);
      logger[level]({ err: error, method: c.req.method, url }, 'request failed');
    }
    return sendFailure(c, failure);
  });
  return app;
}

/** Finds the page whose path has a variable segment in that place. */
function secretPages(pages: readonly Description[]): (path: string) => Description | undefined {
  const patterns = pages
    .filter(({ path }) => path.includes('{'))
    .map((page) => ({ page, pattern: new RegExp(`^${page.path.replace(/\{\w+\}/g, '[^/]+')}$`) }));
  return (path) => patterns.find(({ pattern }) => pattern.test(path))?.page;
}

/**
 * One log line and two metrics a request, under the operation's name. The answer carries `X-Request-Id`, as those of the pipeline do. An
 * unknown path is the caller's text and is left out.
 */
function observe(
  { clock, logger, metrics, surfaces }: AppOptions,
  operations: readonly Description[],
  openPaths: readonly string[],
): MiddlewareHandler {
  const secret = secretPages(surfaces.flatMap(({ pages }) => pages));
  const names = new Map([
    ...operations.map(({ path, name }) => [path, name] as const),
    ...openPaths.map((path) => [path, path.slice(1)] as const),
  ]);
  return async (c, next) => {
    const start = clock.monotonic();
    const requestId = requestIdOf(c);
    const isOpen = openPaths.includes(c.req.path);
    const name = names.get(c.req.path);
    let ownTrace: string | undefined;
    if (isTracing() && name !== undefined && !isOpen) ownTrace = await traced(c, name, next);
    else await next();
    c.header('x-request-id', requestId);
    // Answers belong to the holder of a key, so no cache may store them.
    if (!c.res.headers.has('cache-control')) c.header('cache-control', 'no-store');
    const operation = name ?? secret(c.req.path)?.name ?? 'other';
    const seconds = (clock.monotonic() - start) / 1000;
    metrics.requests.inc({ operation, status: String(c.res.status) });
    const trace = traceFieldOf(c, ownTrace);
    metrics.duration.observe({ operation }, seconds, trace.trace_id);
    const { method } = c.req;
    const line = { method, operation, status: c.res.status, duration_ms: Math.round(seconds * 1000), request_id: requestId, ...trace };
    logger[isOpen ? 'debug' : 'info'](line, 'request');
  };
}

/** The span continues the caller's trace. Returns the id of its trace. */
function traced(c: Context, operation: string, next: () => Promise<void>): Promise<string | undefined> {
  const { method } = c.req;
  const attributes = { 'http.request.method': method, 'http.route': c.req.path };
  const parent = parseTraceparent(c.req.header('traceparent')) ?? 'none';
  return inSpan({ service: 'risk-api', name: `${method} ${operation}`, kind: 'server', parent, attributes }, async (span) => {
    await next();
    span?.setAttribute('http.response.status_code', c.res.status);
    if (span !== undefined && c.res.status >= 500) endFailed(span, { code: String(c.res.status) });
    return span?.spanContext().traceId;
  });
}

/** OPTIONS lists the methods of a page; it needs no key and is not counted. */
function answerOptions(operations: readonly Description[], openPaths: readonly string[]): MiddlewareHandler {
  const methods = new Map<string, string>(openPaths.map((path) => [path, 'GET, HEAD, OPTIONS']));
  for (const { path, method } of operations) methods.set(path, method === 'GET' ? 'GET, HEAD, OPTIONS' : 'POST, OPTIONS');
  return async (c, next) => {
    const allow = c.req.method === 'OPTIONS' ? methods.get(c.req.path) : undefined;
    if (allow === undefined) return next();
    return c.body(null, 204, { allow });
  };
}
