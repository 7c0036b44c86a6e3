import { type Caller, type Logger, readers } from '@weir/service-kit';
import { cookieFor, cookieName, isLocal, type Sessions } from '@weir/sessions';
import { type Context, Hono } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { z } from 'zod';
import type { Attempt, ProviderSignIn } from './provider-sign-in.ts';

export interface ProviderPagesOptions {
  readonly signIn: ProviderSignIn;
  readonly sessions: Sessions;
  /** How long a session of a person of the provider lasts at most. */
  readonly maxMs: number;
  readonly now: () => number;
  readonly logger: Logger;
}

const callbackPath = '/sign-in/callback';
/** Holds what the callback compares. Lax: the provider's page sends the browser back. */
const attemptCookie = 'weir_sign_in';
const attemptSeconds = 600;
const attemptSchema = z.strictObject({ state: z.string(), nonce: z.string(), verifier: z.string(), to: z.string().default('') });
const firstPage = '/app/now';
/** A cookie has 4 kB. */
const longestPage = 1_500;

/** `/sign-in` sends the browser to the provider, which sends it back to `/sign-in/callback`. */
export function providerPages({ signIn, sessions, maxMs, now, logger }: ProviderPagesOptions): Hono {
  const app = new Hono();
  const fail = (c: Context, why: 'unavailable' | 'refused' | 'no_role', to?: string, error?: unknown): Response => {
    logger.info({ err: error, why }, 'a person could not be signed in by the OIDC provider');
    const page = pageOf(to);
    return c.redirect(`${page}${page.includes('?') ? '&' : '?'}sign-in=${why}`);
  };
  app.get('/sign-in', async (c) => {
    c.header('cache-control', 'no-store');
    try {
      const { url, attempt } = await signIn.begin(addressOf(c, callbackPath).href);
      const kept = { ...attempt, to: pageOf(c.req.query('to')) };
      setCookie(c, attemptCookie, Buffer.from(JSON.stringify(kept)).toString('base64url'), {
        ...attemptCookieFor(c),
        maxAge: attemptSeconds,
      });
      return c.redirect(url.href);
    } catch (error) {
      return fail(c, 'unavailable', c.req.query('to'), error);
    }
  });
  app.get(callbackPath, async (c) => {
    c.header('cache-control', 'no-store');
    const attempt = readAttempt(getCookie(c, attemptCookie));
    deleteCookie(c, attemptCookie, attemptCookieFor(c));
    if (attempt === undefined) return fail(c, 'refused');
    try {
      const address = addressOf(c, callbackPath);
      address.search = new URL(c.req.url).search;
      const { role, ...person } = await signIn.finish(address, attempt);
      if (role === undefined || !readers.includes(role)) return fail(c, 'no_role', attempt.to);
      const caller: Caller = { ...person, role };
      const session = await sessions.begin({ caller, until: new Date(now() + maxMs) });
      setCookie(c, cookieName, session.secret, { ...cookieFor(c), expires: session.endsAt });
      return c.redirect(pageOf(attempt.to));
    } catch (error) {
      return fail(c, 'refused', attempt.to, error);
    }
  });
  return app;
}

function attemptCookieFor(c: Context) {
  return { httpOnly: true, sameSite: 'Lax', path: '/sign-in', secure: !isLocal(c) } as const;
}

/** A page of this console, from which a person came to sign in; any other address is the first page. */
export function pageOf(to: string | undefined): string {
  const base = 'http://console.invalid';
  const url = to !== undefined && to.length <= longestPage && URL.canParse(to, base) ? new URL(to, base) : undefined;
  return url?.origin === base && url.pathname.startsWith('/app/') ? url.pathname + url.search : firstPage;
}

function readAttempt(cookie: string | undefined): (Attempt & { readonly to: string }) | undefined {
  try {
    return attemptSchema.safeParse(JSON.parse(Buffer.from(cookie ?? '', 'base64url').toString())).data;
  } catch {
    return undefined;
  }
}

/** Beyond the same machine a browser reaches this console over TLS. */
function addressOf(c: Context, path: string): URL {
  const { host } = new URL(c.req.url);
  return new URL(path, `${isLocal(c) ? 'http' : 'https'}://${host}`);
}
