import { words } from '../words/en.ts';

/** An answer that is no success. `status` 0: there was no answer. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, detail: string) {
    super(detail);
    this.status = status;
    this.code = code;
  }
}

/** Asked again, the same may be answered. */
export const retryMs = 5_000;

export const isTemporary = (error: unknown): boolean => error instanceof ApiError && (error.status === 0 || error.status >= 500);

/** A `refetchInterval`: what failed for the moment is read again. */
export const untilAnswered = ({ state: { error } }: { readonly state: { readonly error: Error | null } }): number | false =>
  isTemporary(error) && retryMs;

const usualLimitMs = 20_000;

/** A request keeps the session alive only within this time of the reader's last input. The server notes use once in a minute. */
const attendedMs = 60_000;
let isAttended = true;
let away: number | undefined;

function noteInput(): void {
  isAttended = true;
  window.clearTimeout(away);
  away = window.setTimeout(() => void (isAttended = false), attendedMs);
}

/** A page is loaded by somebody. */
noteInput();
for (const input of ['pointermove', 'pointerdown', 'click', 'keydown', 'wheel', 'touchmove'])
  window.addEventListener(input, noteInput, { capture: true, passive: true });

export interface Asked {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** How long the answer may take; default 20 s. */
  readonly limitMs?: number;
}

/** JSON of this origin. Rejects with `ApiError`. */
export async function request<T>(path: string, asked: Asked = {}): Promise<T> {
  const answer = await send(path, asked);
  const read = (await answer.json().catch(() => undefined)) as Record<string, unknown> | undefined;
  if (answer.ok) return read as T;
  throw errorOf(answer.status, read);
}

/** Text of this origin. Rejects with `ApiError`. */
export async function requestText(path: string, signal: AbortSignal): Promise<string> {
  const answer = await send(path, { signal });
  if (answer.ok) return answer.text();
  throw errorOf(answer.status, await answer.json().catch(() => undefined));
}

async function send(path: string, { method = 'GET', body, headers = {}, signal, limitMs = usualLimitMs }: Asked): Promise<Response> {
  const limit = AbortSignal.timeout(limitMs);
  return fetch(path, {
    method,
    headers: {
      ...headers,
      ...(!isAttended && { 'weir-unattended': 'true' }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
  }).catch((error: unknown) => {
    if (signal?.aborted === true) throw error;
    throw new ApiError(0, 'NO_ANSWER', words.states.noAnswer);
  });
}

function errorOf(status: number, read: unknown): ApiError {
  const { code, detail } = { code: 'UNREADABLE', detail: words.states.answered(status), ...(read as { code?: string; detail?: string }) };
  return new ApiError(status, code, detail);
}

/** For a `catch`: null where the answer had this status. */
export function unlessStatus(status: number): (error: unknown) => null {
  return (error) => {
    if (error instanceof ApiError && error.status === status) return null;
    throw error;
  };
}

/** `/path?a=b`, without empty values. */
export function withQuery(path: string, query: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== '');
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given).toString()}`;
}
