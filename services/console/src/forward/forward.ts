import { type Callers, problem, requireRole, roles } from '@weir/service-kit';
import { type Context, Hono } from 'hono';
import { proxy } from 'hono/proxy';
import type { ForwardSettings } from './config.ts';

/** Where the operations are that pages of the console call and another service performs. */
const targets = [
  {
    service: 'decision',
    setting: 'WEIR_DECISION_URL',
    urlOf: ({ decisionUrl }: ForwardSettings) => decisionUrl,
    paths: ['/v1/policies'],
    exports: ['policy-disagreements'],
  },
  {
    service: 'audit-writer',
    setting: 'WEIR_AUDIT_URL',
    urlOf: ({ auditUrl }: ForwardSettings) => auditUrl,
    paths: ['/v1/audit'],
    exports: [],
  },
  {
    service: 'scoring',
    setting: 'WEIR_SCORING_URL',
    urlOf: ({ scoringUrl }: ForwardSettings) => scoringUrl,
    paths: ['/v1/analyses', '/v1/providers'],
    exports: ['provider-levels', 'provider-categories', 'provider-disagreements'],
  },
] as const;

/** Headers of a request that the other service gets. */
const passedOn = ['accept', 'authorization', 'content-type', 'cookie', 'traceparent', 'x-request-id'];

/** A backtest takes some seconds, a trace up to half a minute. */
const defaultLimitMs = 60_000;

export interface ForwardOptions {
  readonly settings: ForwardSettings;
  readonly access: Callers;
  readonly limitMs?: number;
}

/**
 * Forwards requests of known callers to the services that perform them, so that a browser needs one address. The service itself decides
 * what the caller may do. 502 when it cannot be reached, 504 when it does not answer in time.
 */
export function forwardRoutes({ settings, access, limitMs = defaultLimitMs }: ForwardOptions): Hono {
  const app = new Hono();
  const anyCaller = requireRole(access, roles);
  for (const { service, urlOf, paths, exports } of targets) {
    const url = urlOf(settings);
    if (url === '') continue;
    for (const route of [...paths.map((path) => `${path}/*`), ...exports.map((list) => `/v1/exports/${list}`)]) {
      app.use(route, (c, next) => {
        c.set('route', route);
        return next();
      });
      app.all(route, anyCaller, (c) => forward(c, { service, url, limitMs }));
    }
  }
  return app;
}

/** A line for each service that a console which runs by itself cannot reach. */
export function unreachable(settings: ForwardSettings): string[] {
  return targets.flatMap(({ service, setting, urlOf, paths }) =>
    urlOf(settings) === ''
      ? [`${setting} is not set: paths below ${paths.join(' and ')}, which ${service} serves, are not served here`]
      : [],
  );
}

async function forward(c: Context, { service, url, limitMs }: { service: string; url: string; limitMs: number }): Promise<Response> {
  const headers = new Headers();
  for (const name of passedOn) {
    const value = c.req.header(name);
    if (value !== undefined) headers.set(name, value);
  }
  // A session was accepted above, for a request of this console's own pages.
  headers.set('sec-fetch-site', 'same-origin');
  const asked = new URL(c.req.url);
  const target = new URL(`${asked.pathname}${asked.search}`, url);
  const { method, raw } = c.req;
  const limit = AbortSignal.timeout(limitMs);
  const body = method === 'GET' || method === 'HEAD' ? {} : { body: raw.body, duplex: 'half' };
  try {
    return await proxy(target, {
      method,
      headers,
      ...body,
      redirect: 'manual',
      signal: AbortSignal.any([limit, raw.signal]),
    } as Parameters<typeof proxy>[1]);
  } catch {
    if (limit.aborted) return problem(c, 504, 'SERVICE_SLOW', `${service} has not answered in time`);
    return problem(c, 502, 'SERVICE_AWAY', `${service} cannot be reached`);
  }
}
