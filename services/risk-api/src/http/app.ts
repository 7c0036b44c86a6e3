import type { Clock } from '@weir/clock';
import type { Queryable } from '@weir/postgres';
import { healthRoutes, type Logger, withoutQueryValues } from '@weir/service-kit';
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { Registry } from 'prom-client';
import { Failure } from '../failure.ts';
import { paymentInfo, wellKnownPage } from '../pay/discovery.ts';
import { type PaySurface, paymentCors, payRoutes } from '../pay/routes.ts';
import { taskPage } from '../pay/task-page.ts';
import type { Reports } from '../reports/index.ts';
import { listTargets } from '../sandbox/targets.ts';
import { docsPaths, docsRoutes } from './docs/routes.ts';
import { sendFailure, toFailure } from './envelope.ts';
import type { RequestMetrics } from './metrics.ts';
import { type Description, type Operation, perform } from './operation.ts';
import { type Origin, originOf } from './origin.ts';
import { targetsPage } from './sandbox.ts';

export interface AppOptions {
  readonly db: Queryable;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly registry: Registry;
  readonly metrics: RequestMetrics;
  readonly operations: readonly Operation[];
  /** Names the unavailable components. */
  readonly unavailable: () => Promise<readonly string[]>;
  /** Names the unavailable components that the service can do without. */
  readonly degraded: () => Promise<readonly string[]>;
  /** Warnings that leave the service ready. */
  readonly warnings: () => Promise<readonly string[]>;
  readonly reports: Reports;
  /** Empty: the URL that the caller used. */
  readonly publicUrl: string;
  readonly pay?: PayPages;
}

export interface PayPages extends PaySurface {
  readonly resources: (origin: Origin) => object;
  readonly task: (taskId: string, origin: Origin) => Promise<object>;
}

/** The largest useful body has 400 bytes. */
const maxBodyBytes = 16_384;

export function createRiskApp(options: AppOptions): Hono {
  const { db, logger, registry, operations, publicUrl, pay } = options;
  const hasSandbox = operations.some(({ surface }) => surface === 'sandbox');
  const paid = pay?.operations ?? [];
  const pages = [
    ...operations,
    ...paid.map((page) => ({ ...page, extensions: paymentInfo(page, pay?.prices) })),
    ...(hasSandbox ? [targetsPage] : []),
    ...(pay === undefined ? [] : [wellKnownPage, taskPage]),
  ];
  const openPaths = [
    ...(hasSandbox ? [targetsPage.path] : []),
    ...(pay === undefined ? [] : [wellKnownPage.path]),
    ...docsPaths,
    '/v1/risk_report',
    '/healthz',
    '/readyz',
    '/metrics',
  ];
  const app = new Hono();
  app.use(observe(options, openPaths));
  if (pay !== undefined) for (const path of ['/x402/*', wellKnownPage.path]) app.use(path, paymentCors());
  app.use(answerOptions([...operations, ...paid], openPaths));
  app.use(
    bodyLimit({
      maxSize: maxBodyBytes,
      onError: () => {
        throw new Failure('PayloadTooLarge');
      },
    }),
  );
  for (const operation of operations) {
    app.on(operation.method, operation.path, (c) => perform(c, db, operation, originOf(c, publicUrl)));
  }
  if (pay !== undefined) {
    const origin = (c: Context): Origin => originOf(c, publicUrl);
    payRoutes(app, pay, origin);
    app.get(wellKnownPage.path, (c) => c.json(pay.resources(origin(c))));
    app.get(taskPage.path.replace('{task_id}', ':task_id'), async (c) => c.json(await pay.task(c.req.param('task_id') ?? '', origin(c))));
  }
  if (hasSandbox) app.get(targetsPage.path, (c) => c.json({ targets: listTargets() }));
  options.reports.routes(app);
  app.route('/', docsRoutes(pages));
  app.route('/', healthRoutes({ ...options, scrape: () => registry.metrics() }));
  app.notFound((c) => sendFailure(c, new Failure('PageNotFound')));
  app.onError((error, c) => {
    const failure = toFailure(error);
    // The service's own refusals, such as a full queue or a caller that disconnected, need no alert.
    const level = error instanceof Failure ? 'warn' : 'error';
    if (failure.status >= 500) {
      const url = isTask.test(c.req.path) ? taskPage.path : withoutQueryValues(c.req.path);
      logger[level]({ err: error, method: c.req.method, url }, 'request failed');
    }
    return sendFailure(c, failure);
  });
  return app;
}

/** The last segment of such a path is a secret. */
const isTask = /^\/x402\/tasks\/[^/]+$/;

/** One log line and two metrics a request, under the operation's name. An unknown path is the caller's text and is left out. */
function observe({ clock, logger, metrics, operations, pay }: AppOptions, openPaths: readonly string[]): MiddlewareHandler {
  const names = new Map([
    ...[...operations, ...(pay?.operations ?? [])].map(({ path, name }) => [path, name] as const),
    ...openPaths.map((path) => [path, path.slice(1)] as const),
  ]);
  return async (c, next) => {
    const start = clock.monotonic();
    await next();
    // Answers belong to the holder of a key, so no cache may store them.
    if (!c.res.headers.has('cache-control')) c.header('cache-control', 'no-store');
    const operation = names.get(c.req.path) ?? (isTask.test(c.req.path) ? taskPage.name : 'other');
    const seconds = (clock.monotonic() - start) / 1000;
    metrics.requests.inc({ operation, status: String(c.res.status) });
    metrics.duration.observe({ operation }, seconds);
    const level = openPaths.includes(c.req.path) ? 'debug' : 'info';
    logger[level]({ method: c.req.method, operation, status: c.res.status, duration_ms: Math.round(seconds * 1000) }, 'request');
  };
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
