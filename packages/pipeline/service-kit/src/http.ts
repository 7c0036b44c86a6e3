import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import type { Socket } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { type Clock, repeat, systemClock } from '@weir/clock';
import { Hono, type MiddlewareHandler } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { mount, type Operation } from './api/operation.ts';
import { ConfigError } from './config.ts';
import { discardRest, hasUnreadBody, lastAnswer } from './linger.ts';
import type { Logger } from './logger.ts';
import { isPassing } from './passing.ts';
import { problem, problemOf, problemType } from './problem.ts';
import { readServerCertificate, type ServerCertificate, type TlsSettings } from './server-tls.ts';
import { defaultMaxConnections } from './settings.ts';

/** The server could not listen; the message is one line for the operator. */
export class ListenError extends Error {
  readonly code: 'PORT_IN_USE' | 'PORT_UNUSABLE';
  readonly retriable = false;

  constructor(code: 'PORT_IN_USE' | 'PORT_UNUSABLE', message: string, options: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** An app of these operations; `observe` sees every request. It answers with problem details for unknown routes and internal errors, which it logs and does not reveal. */
export function createApp(logger: Logger, operations: readonly Operation[] = [], observe?: MiddlewareHandler): Hono {
  const app = new Hono();
  if (observe !== undefined) app.use(observe);
  mount(app, operations);
  app.notFound((c) => problem(c, 404, 'NOT_FOUND', `there is no ${c.req.method} ${c.req.path}`));
  app.onError((error, c) => {
    if (error instanceof HTTPException) return problem(c, error.status, 'HTTP_ERROR', error.message);
    logger.error({ err: error, method: c.req.method, path: c.req.path }, 'request failed');
    if (isPassing(error)) {
      return problem(c, 503, 'UNAVAILABLE', 'a dependency is unavailable; try again');
    }
    return problem(c, 500, 'INTERNAL', 'something went wrong here');
  });
  return app;
}

/** Alive, and 503 with this problem to everything else. */
export function closedApp(code: string, detail: string): Hono {
  const app = new Hono();
  app.get('/healthz', (c) => c.json({ status: 'ok' }));
  app.all('*', (c) => problem(c, 503, code, detail));
  return app;
}

export interface RunningServer {
  readonly port: number;
  /** Accepts no more requests, waits at most `graceMs` for current ones, then closes. */
  close(graceMs?: number): Promise<void>;
}

export interface ServeOptions extends Partial<Omit<TlsSettings, 'tlsPort'>> {
  readonly host: string;
  readonly port: number;
  /** Concurrent connections; further ones are closed at once. */
  readonly maxConnections?: number;
  /** The longest time for a request to arrive; then 408. */
  readonly requestTimeoutMs?: number;
  readonly clock?: Clock;
  /** Receives the certificate at the start and after each change of its files. */
  readonly onCertificate?: (certificate: ServerCertificate) => void;
  /** Receives the error of reading the files again; the server keeps its certificate. */
  readonly onCertificateError?: (error: unknown) => void;
}

const readCertificateEveryMs = 60_000;

/**
 * Longer than proxies and clients keep an idle connection (60 s is common), so that they end it. Otherwise a request may meet a connection
 * that the server is just closing.
 */
const keepAliveMs = 75_000;

/**
 * Rejects with `ListenError` if the port is taken. An answer to a partly unread request says `Connection: close`, so that no client sends
 * another into it.
 */
export async function serve(app: { fetch: Hono['fetch'] }, options: ServeOptions): Promise<RunningServer> {
  const { host, port: wantedPort, requestTimeoutMs = 30_000, maxConnections = defaultMaxConnections } = options;
  const files = { tlsCertFile: options.tlsCertFile ?? '', tlsKeyFile: options.tlsKeyFile ?? '' };
  const certificate = await readServerCertificate(files);
  const limits = {
    requestTimeout: requestTimeoutMs,
    headersTimeout: Math.min(requestTimeoutMs, 10_000),
    keepAliveTimeout: keepAliveMs,
    connectionsCheckingInterval: Math.min(requestTimeoutMs, 30_000),
  };
  const secure =
    certificate && createTlsServer({ ...limits, cert: certificate.cert, key: certificate.key, handshakeTimeout: limits.headersTimeout });
  const server = secure ?? createServer(limits);
  server.maxConnections = maxConnections;
  answerAll(server, app);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const inUse = error.code === 'EADDRINUSE';
      const said = inUse
        ? `port ${wantedPort} is in use; choose another`
        : `cannot listen on ${host}:${wantedPort} (WEIR_HOST, WEIR_PORT): ${error.code}`;
      reject(new ListenError(inUse ? 'PORT_IN_USE' : 'PORT_UNUSABLE', said, { cause: error }));
    });
    // A burst of clients waits in the kernel's queue. Node's default is 511, and the connections beyond it are reset.
    server.listen({ port: wantedPort, host, backlog: maxConnections }, resolve);
  });
  const { port } = server.address() as { port: number };
  const closing = new AbortController();
  if (secure && certificate) void keepCertificate(secure, { certificate, files, options, signal: closing.signal });
  return {
    port,
    close: (graceMs = 5_000) =>
      new Promise((resolve) => {
        closing.abort();
        const drop = AbortSignal.timeout(graceMs);
        drop.addEventListener('abort', () => server.closeAllConnections());
        server.close(() => resolve());
      }),
  };
}

/** Serves HTTPS on `tlsPort` beside plain HTTP on `port`; with 0 on `port` alone, as `serve` does. */
export async function serveBoth(app: { fetch: Hono['fetch'] }, options: ServeOptions & TlsSettings): Promise<RunningServer> {
  const { tlsPort } = options;
  if (tlsPort === 0) return serve(app, options);
  if (options.tlsCertFile === '') throw new ConfigError('setting WEIR_TLS_CERT_FILE is not set, and WEIR_TLS_PORT is');
  const secure = await serve(app, { ...options, port: tlsPort });
  const plain = await serve(app, { ...options, tlsCertFile: '', tlsKeyFile: '' }).catch(async (error: unknown) => {
    // An open port would keep the process alive.
    await secure.close(0);
    throw error;
  });
  return { port: plain.port, close: async (graceMs) => void (await Promise.all([plain.close(graceMs), secure.close(graceMs)])) };
}

/** Serves new connections with the renewed certificate. */
async function keepCertificate(
  server: TlsServer,
  at: { certificate: ServerCertificate; files: Omit<TlsSettings, 'tlsPort'>; options: ServeOptions; signal: AbortSignal },
): Promise<void> {
  const { files, signal } = at;
  const { clock = systemClock, onCertificate, onCertificateError } = at.options;
  let { certificate } = at;
  onCertificate?.(certificate);
  const onError = (error: unknown): void => onCertificateError?.(error);
  await repeat({ clock, every: readCertificateEveryMs, firstAfter: readCertificateEveryMs, signal, onError }, async () => {
    const found = await readServerCertificate(files);
    if (found === undefined || (found.cert === certificate.cert && found.key === certificate.key)) return;
    server.setSecureContext({ cert: found.cert, key: found.key });
    certificate = found;
    onCertificate?.(found);
  });
}

function answerAll(server: Server | TlsServer, app: { fetch: Hono['fetch'] }): void {
  const latest = new WeakMap<Socket, ServerResponse>();
  const listener = getRequestListener(async (request, bindings) => {
    const incoming = bindings.incoming as IncomingMessage;
    const answer = await app.fetch(request, bindings);
    return hasUnreadBody(incoming) ? lastAnswer(answer, incoming) : answer;
  });
  server.on('request', (incoming, outgoing) => {
    latest.set(incoming.socket, outgoing);
    // `server.close` ends what is idle; a connection whose answer ends later becomes idle only then.
    outgoing.once('close', () => {
      if (!server.listening) setImmediate(() => server.closeIdleConnections());
    });
    void listener(incoming, outgoing);
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const outgoing = latest.get(socket);
    const isAnswering = outgoing?.headersSent === true && !outgoing.writableFinished;
    if (!socket.writable || isAnswering || error.code === 'ECONNRESET') {
      socket.destroy();
      return;
    }
    socket.end(refusal(error.code));
    void discardRest(socket).then(() => socket.destroy());
  });
}

/** Answers to requests that no route receives, by the error of Node's HTTP parser. */
const refusals: Readonly<Record<string, readonly [status: number, code: string, detail: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'HEADERS_TOO_LARGE', 'the headers of a request may have 16 KiB'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'BODY_TOO_LARGE', 'the chunk extensions are too large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'REQUEST_TIMEOUT', 'the request did not arrive in time'],
};

function refusal(cause: string | undefined): string {
  const [status, code, detail] = refusals[cause ?? ''] ?? [400, 'MALFORMED', 'this is not HTTP'];
  const body = JSON.stringify(problemOf(status, code, detail));
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Connection: close',
    `Content-Type: ${problemType}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}
