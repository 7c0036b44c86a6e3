import type { Clock } from './clock.ts';
import { errorOf, WeirError } from './errors.ts';

export interface HttpOptions {
  readonly base: URL;
  readonly token: () => string | Promise<string>;
  readonly clock: Clock;
  readonly fetch: typeof fetch;
  readonly maxBytes: number;
}

export interface HttpRequest {
  readonly method: string;
  /** Encoded, with a leading slash. */
  readonly path: string;
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Throws `TypeError` for an address that is not plain HTTP(S). The message does not contain it. */
export function baseOf(baseUrl: string): URL {
  const base = URL.parse(baseUrl);
  const isPlain = base !== null && /^https?:$/.test(base.protocol) && !base.username && !base.password && !base.search && !base.hash;
  if (!isPlain) throw new TypeError('the base URL must be http or https, without user, query or fragment');
  return base;
}

/** One request with a whole answer within `timeoutMs`. Rejects with `WeirError`. */
export async function exchange(options: HttpOptions, request: HttpRequest, timeoutMs: number, signal?: AbortSignal): Promise<unknown> {
  return withLimit(options.clock, timeoutMs, signal, async (over) => {
    const response = await open(options, request, over);
    const body = await readBody(response, options.maxBytes);
    return parseBody(response.headers.get('content-type'), body);
  });
}

/** Sends the request. Rejects with `WeirError` unless the status is 2xx; the body is then unread. Follows no redirect, so the token stays. */
export async function open(
  options: HttpOptions,
  { method, path, query, headers, body }: HttpRequest,
  signal: AbortSignal,
): Promise<Response> {
  const url = new URL(options.base);
  url.pathname = `${options.base.pathname.replace(/\/+$/, '')}${path}`;
  for (const [name, value] of Object.entries(query ?? {}))
    if (value !== undefined && value !== null) url.searchParams.set(name, `${value as string | number | boolean}`);
  const token = await options.token();
  const all: Record<string, string> = { ...(token === '' ? {} : { authorization: `Bearer ${token}` }), ...headers };
  if (body !== undefined) all['content-type'] = 'application/json';
  const response = await options
    .fetch(url, { method, headers: all, redirect: 'manual', signal, ...(body === undefined ? {} : { body: JSON.stringify(body) }) })
    .catch((error: unknown) => {
      throw networkError(error);
    });
  if (response.ok) return response;
  const text = await readBody(response, options.maxBytes);
  const isJson = /^application\/(problem\+)?json\b/.test(response.headers.get('content-type') ?? '');
  throw errorOf(response.status, isJson ? parseJson(text) : undefined, retryAfterOf(response, options.clock));
}

/** Rejects with `TIMEOUT` or `ABORTED`, and aborts the signal of `work`, when the limit or the caller ends it. */
export async function withLimit<T>(
  clock: Clock,
  timeoutMs: number,
  signal: AbortSignal | undefined,
  work: (over: AbortSignal) => Promise<T>,
): Promise<T> {
  const over = new AbortController();
  const timer = new AbortController();
  const aborted = (): WeirError => new WeirError('ABORTED', 'the caller has aborted it');
  if (signal?.aborted) throw aborted();
  const callerAborts = Promise.withResolvers<never>();
  const onAbort = (): void => callerAborts.reject(aborted());
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([
      work(over.signal),
      clock.sleep(timeoutMs, timer.signal).then((): T => {
        if (timer.signal.aborted) return undefined as T;
        throw new WeirError('TIMEOUT', `no whole answer within ${timeoutMs} ms`, { retriable: true });
      }),
      callerAborts.promise,
    ]);
  } finally {
    signal?.removeEventListener('abort', onAbort);
    timer.abort('over');
    over.abort('over');
  }
}

async function readBody(response: Response, maxBytes: number): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const piece of response.body ?? []) {
      size += piece.byteLength;
      if (size > maxBytes) throw new WeirError('UNREADABLE', `the answer has more than ${maxBytes} bytes`, { status: response.status });
      pieces.push(piece);
    }
  } catch (error) {
    throw error instanceof WeirError ? error : networkError(error);
  }
  return Buffer.concat(pieces);
}

function parseBody(type: string | null, body: Buffer): unknown {
  if (/^application\/([\w.-]+\+)?json\b/i.test(type ?? '')) {
    const value = parseJson(body);
    if (value === undefined) throw new WeirError('UNREADABLE', 'the answer is not JSON');
    return value;
  }
  return /^text\/plain\b/i.test(type ?? '') ? body.toString() : new Uint8Array(body);
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return undefined;
  }
}

/** System codes of attempts that sent nothing. */
const neverSent = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT)$/;

/** Leaves messages out: they can contain URLs and headers. */
export function networkError(error: unknown): WeirError {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: { code?: unknown } };
  const found = [cause?.code, code].find((own): own is string => typeof own === 'string' && /^[A-Z][A-Z0-9_]{2,40}$/.test(own));
  return new WeirError('NETWORK', found ?? 'no connection, or it was cut', { retriable: true, isUnprocessed: neverSent.test(found ?? '') });
}

/** RFC 9110: seconds or a date. */
function retryAfterOf(response: Response, clock: Clock): number | undefined {
  const text = response.headers.get('retry-after')?.trim() ?? '';
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - clock.now();
  return Number.isNaN(ms) ? undefined : Math.max(ms, 0);
}
