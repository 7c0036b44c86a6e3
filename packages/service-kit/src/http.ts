import { createAdaptorServer } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { HTTPException } from 'hono/http-exception';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { Logger } from './logger.ts';
import { isPassing } from './passing.ts';

/** The server could not listen; the message is one line for whoever started it. */
export class ListenError extends Error {
  readonly code: 'PORT_IN_USE' | 'PORT_UNUSABLE';
  readonly retriable = false;

  constructor(code: 'PORT_IN_USE' | 'PORT_UNUSABLE', message: string, options: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** An RFC 9457 problem. `code` is what programs look at, `detail` what people read. */
export function problem(
  c: Context,
  status: ContentfulStatusCode,
  code: string,
  detail: string,
  more: Record<string, unknown> = {},
): Response {
  return c.json({ type: 'about:blank', title: titles[status] ?? 'Error', status, code, detail, ...more }, status, {
    'content-type': 'application/problem+json',
  });
}

const titles: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  410: 'Gone',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};

/** An app whose failures are problem details: what is not found, and what goes wrong inside, which is logged and not told. */
export function createApp(logger: Logger): Hono {
  const app = new Hono();
  app.notFound((c) => problem(c, 404, 'NOT_FOUND', `there is no ${c.req.method} ${c.req.path}`));
  app.onError((error, c) => {
    if (error instanceof HTTPException) return problem(c, error.status, 'HTTP_ERROR', error.message);
    logger.error({ err: error, method: c.req.method, path: c.req.path }, 'request failed');
    if (isPassing(error)) {
      return problem(c, 503, 'UNAVAILABLE', 'something this needs is away; try again');
    }
    return problem(c, 500, 'INTERNAL', 'something went wrong here');
  });
  return app;
}

export interface HealthOptions {
  /** Names what this depends on and cannot reach; an empty list means ready. */
  away(): Promise<readonly string[]>;
  /** Names what is away and is done without for now: said, and ready all the same, for a balancer must not turn callers away for it. */
  impaired?(): Promise<readonly string[]>;
  scrape(): Promise<string>;
  /** What is wrong and keeps it from nothing. */
  remarks?(): readonly string[];
}

/** `/healthz`, `/readyz` and `/metrics`. */
export function healthRoutes(options: HealthOptions): Hono {
  const app = new Hono();
  app.get('/healthz', (c) => c.json({ status: 'ok' }));
  app.get('/readyz', async (c) => {
    const [away, impaired] = await Promise.all([options.away(), options.impaired?.()]);
    const status = away.length === 0 ? 'ready' : 'not ready';
    const remarks = options.remarks?.() ?? [];
    const more = { ...(impaired && { impaired }), ...(remarks.length > 0 && { remarks }) };
    return c.json({ status, away, ...more }, away.length === 0 ? 200 : 503);
  });
  app.get('/metrics', async (c) => c.text(await options.scrape(), 200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }));
  return app;
}

export interface RunningServer {
  readonly port: number;
  /** Takes no new requests, lets those under way end (at most `graceMs`), then closes. */
  close(graceMs?: number): Promise<void>;
}

/** Listens; rejects with `ListenError` when the port is taken. */
export async function serve(app: { fetch: Hono['fetch'] }, options: { host: string; port: number }): Promise<RunningServer> {
  const server = createAdaptorServer({ fetch: app.fetch, serverOptions: { requestTimeout: 30_000, headersTimeout: 10_000 } });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const inUse = error.code === 'EADDRINUSE';
      const said = inUse
        ? `port ${options.port} is in use; choose another`
        : `cannot listen on ${options.host}:${options.port} (WEIR_HOST, WEIR_PORT): ${error.code}`;
      reject(new ListenError(inUse ? 'PORT_IN_USE' : 'PORT_UNUSABLE', said, { cause: error }));
    });
    server.listen(options.port, options.host, resolve);
  });
  const { port } = server.address() as { port: number };
  return {
    port,
    close: (graceMs = 5_000) =>
      new Promise((resolve) => {
        const drop = AbortSignal.timeout(graceMs);
        drop.addEventListener('abort', () => 'closeAllConnections' in server && server.closeAllConnections());
        server.close(() => resolve());
        if ('closeIdleConnections' in server) server.closeIdleConnections();
      }),
  };
}
