import { type Reply, unavailable } from './http.ts';
import type { Clock, Refusal } from './types.ts';

const limits: Readonly<Record<string, 'second' | 'day'>> = { ExceededRateLimit: 'second', ExceededDailyRateLimit: 'day' };
const unsupported = new Set(['UnsupportedToken', 'UnsupportedAddressType']);
const invalid = new Set(['InvalidAddress', 'InvalidParameter']);
const serverFaults = new Set(['InternalError', 'ServiceUnavailable']);
/** Temporary statuses among the 4xx. */
const passing = new Set([408, 421, 425]);

export interface ErrorBody {
  readonly msg?: unknown;
  readonly retry_after?: unknown;
}

/** Classifies an answer that is no success. Without a readable `body` the status decides. */
export function refusalOf(reply: Reply, body: ErrorBody | undefined, { clock, apiKey }: { clock: Clock; apiKey: string }): Refusal {
  const { status } = reply;
  const code = codeOf(body?.msg);
  if (status >= 500 || (status >= 300 && status < 400)) return unavailable('HTTP_STATUS', `HTTP ${status}`);
  const window = limits[code ?? ''] ?? (status === 429 ? 'second' : undefined);
  if (window !== undefined)
    return { kind: 'limited', window, retryAfterMs: retryAfterMs(window, body?.retry_after, reply.retryAfter, clock) };
  if (code !== undefined && unsupported.has(code)) return { kind: 'unsupported', code };
  if (code !== undefined && invalid.has(code)) return { kind: 'invalid', code };
  if (code !== undefined && serverFaults.has(code)) return unavailable('HTTP_STATUS', `HTTP ${status} ${code}`);
  if (passing.has(status) || (status < 400 && status !== 200)) return unavailable('HTTP_STATUS', `HTTP ${status}`);
  const isSafe = code !== undefined && (apiKey === '' || !code.includes(apiKey));
  return { kind: 'rejected', status, code: isSafe ? code : `HTTP_${status}` };
}

/** The API's codes are words in camel case. Other text could be a path or a key, so it is left out. */
function codeOf(msg: unknown): string | undefined {
  return typeof msg === 'string' && /^(?:[A-Z][a-z]{1,20}){1,6}$/.test(msg) ? msg : undefined;
}

/** The longest accepted delay; afterwards the API may limit again. */
const longestMs = { second: 3_600_000, day: 86_400_000 } as const;

function retryAfterMs(window: 'second' | 'day', inBody: unknown, header: string | null, clock: Clock): number {
  const stated = secondsOf(inBody) ?? secondsOf(header) ?? secondsUntil(header, clock);
  if (stated !== undefined && stated > 0) return Math.min(Math.ceil(stated * 1_000), longestMs[window]);
  return window === 'second' ? 1_000 : 86_400_000 - (clock.now() % 86_400_000);
}

function secondsOf(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  return typeof value === 'string' && /^\d{1,12}(\.\d{1,6})?$/.test(value.trim()) ? Number(value) : undefined;
}

/** An HTTP date; `Date.parse` alone accepts almost anything. */
function secondsUntil(header: string | null, clock: Clock): number | undefined {
  const at = /^[A-Za-z]{3,9}, .+ GMT$/.test(header ?? '') ? Date.parse(header ?? '') : Number.NaN;
  return Number.isNaN(at) ? undefined : (at - clock.now()) / 1_000;
}
