import { isUtf8 } from 'node:buffer';
import type { Clock, Fetch, FetchedResponse, Unavailable } from './types.ts';

export interface Request {
  readonly method: 'GET' | 'POST';
  /** Below the base URL, with a leading slash. */
  readonly path: string;
  /** Query for GET, JSON body for POST. */
  readonly fields: Readonly<Record<string, string>>;
  /** JSON text for POST, instead of `fields`. */
  readonly body?: string;
  /** Sent without the key. */
  readonly open?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
  /** The answer is a PDF; a refusal is JSON all the same. */
  readonly isPdf?: boolean;
}

/** `text` is the body if its type is JSON and it was read whole; else `problem` gives the reason. */
export interface Reply {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly headers: FetchedResponse['headers'];
  readonly body: { readonly text: string } | { readonly problem: string };
  /** The body of a PDF that was asked for and read whole. */
  readonly pdf?: Uint8Array;
}

export interface HttpOptions {
  readonly base: URL;
  readonly apiKey: string;
  readonly keyIn: 'spec' | 'header';
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly maxBytes: number;
  readonly fetch: Fetch;
}

/** Throws `TypeError` for an address that is not plain HTTP(S). The message does not contain it. */
export function baseOf(baseUrl: string): URL {
  const base = URL.parse(baseUrl);
  const isPlain = base !== null && /^https?:$/.test(base.protocol) && !base.username && !base.password && !base.search && !base.hash;
  if (!isPlain) throw new TypeError('the base URL must be http or https, without user, query or fragment');
  return base;
}

export function unavailable(reason: Unavailable['reason'], detail: string): Unavailable {
  return { kind: 'unavailable', reason, detail };
}

/** One call. Never rejects: every failure becomes a reason without the key, the URL or external text. */
export async function call(options: HttpOptions, request: Request, signal?: AbortSignal): Promise<Reply | Unavailable> {
  const aborted = unavailable('NETWORK', 'aborted by the caller');
  if (signal?.aborted) return aborted;
  const cut = new AbortController();
  const timer = new AbortController();
  const callerAborts = Promise.withResolvers<Unavailable>();
  const onAbort = (): void => callerAborts.resolve(aborted);
  signal?.addEventListener('abort', onAbort, { once: true });
  const late = options.clock
    .sleep(options.timeoutMs, timer.signal)
    .then(() => unavailable('TIMEOUT', `no whole answer within ${options.timeoutMs} ms`));
  try {
    return await Promise.race([exchange(options, request, cut.signal), late, callerAborts.promise]);
  } finally {
    signal?.removeEventListener('abort', onAbort);
    // With explicit reasons; without one each call would build two exceptions with stacks.
    timer.abort('done');
    // Frees the connection of a partly read answer.
    cut.abort('done');
  }
}

async function exchange(options: HttpOptions, request: Request, signal: AbortSignal): Promise<Reply | Unavailable> {
  let response: FetchedResponse;
  try {
    response = await send(options, request, signal);
  } catch (error) {
    return unavailable('NETWORK', networkCode(error));
  }
  const { status, headers } = response;
  const reply = (body: Reply['body']): Reply => ({ status, retryAfter: headers.get('retry-after'), headers, body });
  if (status >= 500 || (status >= 300 && status < 400)) return reply({ problem: 'not read' });
  const type = headers.get('content-type');
  if (request.isPdf && status === 200 && type?.split(';')[0]?.trim().toLowerCase() === 'application/pdf') {
    const read = await readBytes(response, options.maxBytes);
    return 'problem' in read ? reply(read) : { ...reply({ problem: 'a PDF' }), pdf: read.bytes };
  }
  if (!isJson(type)) return reply({ problem: 'the content type is not JSON' });
  return reply(await readBody(response, options.maxBytes));
}

/** The only place that joins the key and the URL. */
async function send(
  options: HttpOptions,
  { method, path, fields, body, open = false, headers: extra }: Request,
  signal: AbortSignal,
): Promise<FetchedResponse> {
  const { base, apiKey, keyIn } = options;
  const all = keyIn === 'spec' && !open ? { ...fields, api_key: apiKey } : fields;
  const headers: Record<string, string> = { accept: 'application/json', ...extra };
  if (keyIn === 'header' && !open) headers['x-api-key'] = apiKey;
  const url = new URL(base);
  url.pathname = `${base.pathname.replace(/\/+$/, '')}${path}`;
  if (method === 'GET') {
    url.search = new URLSearchParams(all).toString();
    return options.fetch(url, { method, headers, redirect: 'manual', signal });
  }
  headers['content-type'] = 'application/json';
  return options.fetch(url, { method, headers, body: body ?? JSON.stringify(all), redirect: 'manual', signal });
}

function isJson(contentType: string | null): boolean {
  const [type, ...parameters] = (contentType ?? '').toLowerCase().split(';');
  const charset = parameters.find((parameter) => parameter.trim().startsWith('charset='));
  return type?.trim() === 'application/json' && (charset === undefined || /^charset="?utf-?8"?$/.test(charset.trim()));
}

async function readBody(response: FetchedResponse, maxBytes: number): Promise<Reply['body']> {
  const read = await readBytes(response, maxBytes);
  if ('problem' in read) return read;
  return isUtf8(read.bytes) ? { text: read.bytes.toString() } : { problem: 'the body is not UTF-8' };
}

async function readBytes(response: FetchedResponse, maxBytes: number): Promise<{ bytes: Buffer } | { problem: string }> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of response.body ?? []) {
      size += chunk.byteLength;
      if (size > maxBytes) return { problem: `the body is larger than ${maxBytes} bytes` };
      chunks.push(chunk);
    }
  } catch {
    return { problem: 'the body was cut or is not what its encoding says' };
  }
  if (size === 0) return { problem: 'the body is empty' };
  return { bytes: Buffer.concat(chunks) };
}

/** The system's code (`ECONNREFUSED`, `UND_ERR_SOCKET`, …) if any. Messages are left out: they can contain URLs and headers. */
function networkCode(error: unknown): string {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: { code?: unknown } };
  const found = [cause?.code, code].find((candidate) => typeof candidate === 'string' && /^[A-Z][A-Z_]{2,40}$/.test(candidate));
  return typeof found === 'string' ? found : 'no connection';
}
