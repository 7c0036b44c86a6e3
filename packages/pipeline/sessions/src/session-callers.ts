import { type Caller, type Callers, problem } from '@weir/service-kit';
import type { Context } from 'hono';
import { getCookie } from 'hono/cookie';
import type { Sessions, SessionTimes } from './sessions.ts';

declare module 'hono' {
  interface ContextVariableMap {
    /** Set by `SessionCallers` where the caller has a session. */
    session: SessionTimes | undefined;
  }
}

export const cookieName = 'weir_session';

/** Pages send it with what they ask while their reader is away, such as polls. */
const unattendedHeader = 'weir-unattended';

/** Without TLS a browser keeps cookies for a server on the same machine alone. */
export function isLocal(c: Context): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(new URL(c.req.url).hostname);
}

export function cookieFor(c: Context) {
  return { httpOnly: true, sameSite: 'Strict', path: '/', secure: !isLocal(c) } as const;
}

/**
 * Callers with a bearer token, and people with a session of the web console. A session counts only for requests of the console's own pages:
 * browsers send its cookie along whoever made the request.
 */
export class SessionCallers implements Callers {
  readonly #access: Callers;
  readonly #sessions: Sessions;

  constructor(access: Callers, sessions: Sessions) {
    this.#access = access;
    this.#sessions = sessions;
  }

  async callerOf(c: Context): Promise<Caller | Response> {
    const secret = getCookie(c, cookieName);
    if (secret === undefined || c.req.header('authorization') !== undefined) return this.#access.callerOf(c);
    if (!isOwnRequest(c)) return problem(c, 403, 'CROSS_SITE', 'a session serves the pages of this console alone');
    const session = await this.#sessions.find(secret, isUse(c));
    if (session !== undefined) {
      c.set('session', session);
      return session.caller;
    }
    c.header('www-authenticate', 'Bearer');
    return problem(c, 401, 'SESSION_ENDED', 'the session has ended: sign in again');
  }

  limit(c: Context, caller: Caller): Response | undefined {
    return this.#access.limit(c, caller);
  }
}

/** A page that is open on an unattended screen must not keep its session alive. An `EventSource` sends no headers of the page's own. */
function isUse(c: Context): boolean {
  return c.req.header(unattendedHeader) === undefined && c.req.header('accept') !== 'text/event-stream';
}

/** By Fetch Metadata; browsers without it send `Origin` with each request that changes something. */
export function isOwnRequest(c: Context): boolean {
  const isReading = c.req.method === 'GET' || c.req.method === 'HEAD';
  const site = c.req.header('sec-fetch-site');
  if (site !== undefined) return site === 'same-origin' || (site === 'none' && isReading);
  const origin = c.req.header('origin');
  if (origin === undefined) return isReading;
  return URL.parse(origin)?.host === c.req.header('host');
}
