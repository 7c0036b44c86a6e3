import { backoff, systemClock } from '@weir/clock';
import { callerIdOf } from '@weir/service-kit';
import { UsageError } from './failure.ts';
import type { PlaceFlags } from './flags.ts';
import { untilInterrupted } from './installation.ts';
import { type AllSettings, loadSettings } from './settings.ts';
import { findRunning } from '@weir/installation';

/** An answer of the console; `body` is a problem when the status is 400 or more. */
export interface Reply {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** The console does not know the token (401), or its role may not do this (403). */
export class ConsoleDenied extends Error {
  readonly code = 'DENIED';
  readonly retriable = false;
  readonly status: 401 | 403;

  constructor(status: 401 | 403, message: string) {
    super(message);
    this.status = status;
  }
}

/** A client of the console with the caller's own token. */
export interface Client {
  /** The caller's name in the console, without the role. */
  readonly callerId: string;
  get(path: string): Promise<Reply>;
  post(path: string, body: object): Promise<Reply>;
  put(path: string, body: object): Promise<Reply>;
}

/** Retry period while the console is unavailable. */
const patienceMs = 30_000;
const pauses = { firstMs: 250, longestMs: 4_000 } as const;
const attemptMs = 10_000;

/** Rejects with a one-line error when no console is configured, the token is missing or rejected, or the console stays unavailable. */
export function openClient(flags: PlaceFlags, settings: AllSettings, signal: AbortSignal): Client {
  const url = findConsole(flags, settings);
  const { token } = settings;
  if (token === '') throw new Error('setting WEIR_TOKEN is not set: your own token; what you do is done in its name');
  const ask = async (path: string, body?: object, method = 'POST'): Promise<Reply> => {
    const end = systemClock.monotonic() + patienceMs;
    for (let attempt = 1; ; attempt += 1) {
      const reply = await askOnce(`${url}${path}`, body === undefined ? {} : { method, body: JSON.stringify(body) }, token, signal);
      if (reply !== undefined && reply.status < 500) return refuseIfDenied(reply);
      signal.throwIfAborted();
      if (systemClock.monotonic() > end) throw new Error(`the console at ${url} cannot be reached; run the same command again to continue`);
      await systemClock.sleep(backoff(attempt, pauses), signal);
    }
  };
  return {
    callerId: callerIdOf(token),
    get: (path) => ask(path),
    post: (path, body) => ask(path, body),
    put: (path, body) => ask(path, body, 'PUT'),
  };
}

/** The console of WEIR_CONSOLE_URL, unless it is unset or a data folder is named: then that of the Weir on the folder. */
function findConsole(flags: PlaceFlags, { consoleUrl, dataDir }: AllSettings): string {
  if (flags.dataDir === undefined && consoleUrl !== '') return consoleUrl.replace(/\/+$/, '');
  const running = findRunning(dataDir);
  if (running === undefined)
    throw new Error(`no Weir runs on ${dataDir}; start it (npm start), name its --data-dir, or set WEIR_CONSOLE_URL`);
  return running.url;
}

/** Undefined without an answer. */
async function askOnce(
  url: string,
  sent: { readonly method?: string; readonly body?: string },
  token: string,
  signal: AbortSignal,
): Promise<Reply | undefined> {
  try {
    const headers = { authorization: `Bearer ${token}`, ...(sent.body !== undefined && { 'content-type': 'application/json' }) };
    const response = await fetch(url, {
      ...sent,
      headers,
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(attemptMs)]),
    });
    const answer: unknown = await response.json().catch(() => null);
    const isObject = typeof answer === 'object' && answer !== null;
    return isObject ? { status: response.status, body: answer as Reply['body'] } : { status: Math.max(response.status, 500), body: {} };
  } catch {
    return undefined;
  }
}

function refuseIfDenied(reply: Reply): Reply {
  const { code, detail } = reply.body;
  if (reply.status === 401) throw new ConsoleDenied(401, 'the console does not know the token of WEIR_TOKEN');
  if (code === 'FORBIDDEN') throw new ConsoleDenied(403, `the token may not do this: ${String(detail)}`);
  return reply;
}

export function codeOf({ status, body }: Reply): string {
  return typeof body['code'] === 'string' ? body['code'] : `HTTP ${status}`;
}

/** Runs `work` with a client that an interruption stops. */
export async function withConsole(flags: PlaceFlags, work: (client: Client) => Promise<void>): Promise<void> {
  const settings = loadSettings(flags);
  await untilInterrupted(async (undo) => {
    const stop = new AbortController();
    undo.push(async () => stop.abort());
    await work(openClient(flags, settings, stop.signal));
  });
}

/** Rejects with a one-line error unless the console has it. */
export async function readOne<T extends object>(client: Client, path: string): Promise<T> {
  const { status, body } = await client.get(path);
  if (status !== 200) throw new Error(`the console refused: ${codeOf({ status, body })}, ${String(body['detail'])}`);
  return body as T;
}

/** All items of a console list, page by page. Rejects with a one-line error, `UsageError` for a filter that the console does not take. */
export async function* pagesOf<T>(
  client: Client,
  path: string,
  given: Readonly<Record<string, string | undefined>>,
): AsyncGenerator<T, void, void> {
  const wanted = Object.entries(given).filter((pair): pair is [string, string] => pair[1] !== undefined);
  for (let cursor = ''; ; ) {
    const query = new URLSearchParams([...wanted, ['limit', '200'], ['cursor', cursor]]);
    const { status, body } = await client.get(`${path}?${query.toString()}`);
    // Its parameters are the flags.
    if (status === 400) throw new UsageError(String(body['detail']));
    if (status !== 200) throw new Error(`the console refused: ${codeOf({ status, body })}, ${String(body['detail'])}`);
    const page = body as unknown as { items: T[]; next_cursor: string | null };
    yield* page.items;
    if (page.next_cursor === null) return;
    cursor = page.next_cursor;
  }
}

export async function* firstOf<T>(items: AsyncIterable<T>, most: number): AsyncGenerator<T, void, void> {
  let left = most;
  for await (const item of items) {
    yield item;
    left -= 1;
    if (left === 0) return;
  }
}
