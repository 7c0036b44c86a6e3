import { type Clock, within } from '@weir/clock';
import type { Endpoint } from './config.ts';

/**
 * Why an attempt failed.
 *
 * | Code | |
 * |---|---|
 * | `UNREACHABLE` | no address, or no connection |
 * | `TLS` | the certificate or the handshake |
 * | `TIMEOUT` | no answer in time |
 * | `CUT` | the connection ended without an answer |
 * | `REDIRECT` | 3xx: never followed |
 * | `GONE` | 410: nothing more is sent there |
 * | `REFUSED` | any other status outside 2xx |
 */
type Fault = 'UNREACHABLE' | 'TLS' | 'TIMEOUT' | 'CUT' | 'REDIRECT' | 'GONE' | 'REFUSED';

/** The result of one attempt; a null `fault` means success. */
export interface Attempt {
  readonly status: number | null;
  readonly fault: Fault | null;
  /** The fault, with the system's error code if any. Never holds an address, a header or the receiver's text. */
  readonly error: string | null;
  /** The receiver's Retry-After, bounded. */
  readonly retryAfterMs: number;
}

/** Statuses that blame the receiver, not the message. */
const busy: ReadonlySet<number | null> = new Set([429, 502, 503, 504]);

/** Whether only the receiver can be at fault, not the message. */
export function blamesReceiver(attempt: Attempt): boolean {
  return attempt.fault === 'UNREACHABLE' || attempt.fault === 'TLS' || attempt.retryAfterMs > 0 || busy.has(attempt.status);
}

/** Reads the body to reuse the connection, up to this size. */
const mostAnswerBytes = 65_536;
/** Upper bound of Retry-After. */
const longestRetryAfterMs = 3_600_000;

/** One attempt; never rejects. Only the status counts, so a body that hangs does not matter. */
export async function send(endpoint: Endpoint, clock: Clock, message: { id: string; body: Buffer }, signal: AbortSignal): Promise<Attempt> {
  let response: Response | undefined;
  const attempt = async (over: AbortSignal): Promise<void> => {
    response = await post(endpoint, clock.now(), message, over);
    await drain(response);
  };
  try {
    await within(clock, endpoint.timeoutMs, attempt, { late: () => undefined, signal });
    return response === undefined ? failed('TIMEOUT') : answered(response, clock.now());
  } catch (error) {
    const code = systemCode(error);
    return failed(faultOf(code), code);
  }
}

function post({ url, signers }: Endpoint, now: number, { id, body }: { id: string; body: Buffer }, signal: AbortSignal): Promise<Response> {
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'weir',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(now / 1_000)),
    'webhook-signature': signers.map((signer) => signer.sign(id, new Date(now), body)).join(' '),
  };
  return fetch(url, { method: 'POST', headers, body: new Uint8Array(body), redirect: 'manual', signal });
}

async function drain(response: Response): Promise<void> {
  let size = 0;
  try {
    for await (const chunk of response.body ?? []) {
      size += chunk.byteLength;
      if (size > mostAnswerBytes) return;
    }
  } catch {
    // The status has arrived before.
  }
}

function answered({ status, headers }: Response, now: number): Attempt {
  if (status >= 200 && status < 300) return { status, fault: null, error: null, retryAfterMs: 0 };
  const fault = status === 410 ? 'GONE' : status >= 300 && status < 400 ? 'REDIRECT' : 'REFUSED';
  return { status, fault, error: fault, retryAfterMs: retryAfterMs(headers.get('retry-after'), now) };
}

/** RFC 9110: seconds or a date; 0 for anything else. */
function retryAfterMs(text: string | null, now: number): number {
  const value = text?.trim() ?? '';
  const ms = /^[0-9]+$/.test(value) ? Number(value) * 1_000 : /[a-z]/i.test(value) ? Date.parse(value) - now : 0;
  return Number.isNaN(ms) ? 0 : Math.min(Math.max(ms, 0), longestRetryAfterMs);
}

function failed(fault: Fault, code?: string): Attempt {
  return { status: null, fault, error: code === undefined ? fault : `${fault} ${code}`, retryAfterMs: 0 };
}

/** Omits messages, which can hold addresses and headers. */
function systemCode(error: unknown): string | undefined {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: { code?: unknown } };
  return [cause?.code, code].find((found): found is string => typeof found === 'string' && /^[A-Z][A-Z0-9_]{2,60}$/.test(found));
}

function faultOf(code = ''): Fault {
  if (/^(ENOTFOUND|EAI_|ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)/.test(code)) return 'UNREACHABLE';
  return /CERT|TLS|SSL|^EPROTO|^UNABLE_TO_/.test(code) ? 'TLS' : 'CUT';
}
