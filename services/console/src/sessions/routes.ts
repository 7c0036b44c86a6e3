import type { Queryable } from '@weir/postgres';
import {
  admission,
  type Caller,
  type Callers,
  everybody,
  findToken,
  hashToken,
  isJwt,
  type Operation,
  operation,
  problem,
  readers,
} from '@weir/service-kit';
import {
  cookieFor,
  cookieName,
  type Holder,
  isOwnRequest,
  type NewSession,
  type Sessions,
  type SessionTimes,
  type TimeLimit,
} from '@weir/sessions';
import type { Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { decodeJwt } from 'jose';
import { z } from 'zod';
import { redeemSignInLink } from './links.ts';

export interface SessionApiOptions {
  readonly db: Queryable;
  readonly access: Callers;
  readonly callers: Callers;
  readonly sessions: Sessions;
}

const sessionView = z
  .strictObject({
    name: z.string().describe("The person's."),
    role: z.enum(['reviewer', 'approver', 'auditor', 'admin']),
    ends_at: z.iso.datetime().nullable().describe('Null: the caller has a bearer token instead.'),
    idle: z
      .strictObject({
        limit_ms: z.int().describe('A session without use for this time ends.'),
        left_ms: z.int().describe('What is left of it. A request of a person begins it again, at most once in a minute.'),
      })
      .nullable()
      .describe('Null: the caller has a bearer token instead.'),
    absolute: z
      .strictObject({
        limit_ms: z.int().describe('The session ends after this time, however it is used.'),
        left_ms: z.int().describe('What is left of it.'),
      })
      .nullable()
      .describe('Null: the caller has a bearer token instead.'),
  })
  .meta({ id: 'Session' });
const example = {
  name: 'Reviewer',
  role: 'reviewer',
  ends_at: '2026-02-01T21:00:00.000Z',
  idle: { limit_ms: 1_800_000, left_ms: 1_795_000 },
  absolute: { limit_ms: 43_200_000, left_ms: 43_195_000 },
};

const begun = z.strictObject({ link: z.string().max(100).nullish().describe('The secret of a sign-in link, in place of a bearer token.') });
const crossSite = { CROSS_SITE: [403, 'A page of another site asked.'] } as const;

/** Signing in to the web console, and out of it. */
export function sessionOperations({ db, access, callers, sessions }: SessionApiOptions): readonly Operation[] {
  const path = '/v1/session';
  const tag = 'session';
  const begin = operation({
    name: 'begin_session',
    method: 'POST',
    path,
    tag,
    summary: 'Signs in: exchanges a bearer token, or a sign-in link, for a session cookie.',
    description: `Roles: ${readers.join(', ')}. The cookie is HttpOnly and SameSite=Strict, and serves the console's own pages alone.`,
    admission: everybody,
    body: { schema: begun, what: 'a sign-in', example: { link: null } },
    answers: [{ status: 201, description: 'Signed in.', schema: sessionView, example }],
    problems: {
      ...crossSite,
      UNAUTHENTICATED: [401, 'The token is not valid.'],
      LINK_USED: [410, 'The link was used, or is older than ten minutes.'],
      FORBIDDEN: [403, 'The role may not read.'],
      TOO_MANY_FAILURES: [429, 'Too many tokens from this address were not good.'],
      UNAVAILABLE: [503, 'The token cannot be checked now.'],
    },
    repeats: 'Begins another session.',
    respond: async (c, { body: { link } }) => {
      if (!isOwnRequest(c) && c.req.header('origin') !== undefined)
        return problem(c, 403, 'CROSS_SITE', 'sign in on a page of this console');
      const session = link == null ? await beginByToken(c, { access, sessions }) : await beginByLink(link, { db, sessions });
      if (session instanceof Response) return session;
      if (session === undefined) return problem(c, 410, 'LINK_USED', 'the link was used, or is older than ten minutes');
      setCookie(c, cookieName, session.secret, { ...cookieFor(c), expires: session.endsAt });
      return answer(c, session.caller, session, 201);
    },
  });
  const get = operation({
    name: 'get_session',
    method: 'GET',
    path,
    tag,
    summary: 'Tells who the caller is.',
    admission: admission(callers, readers),
    answers: [{ status: 200, description: 'The caller.', schema: sessionView, example }],
    respond: (c) => answer(c, c.get('caller'), c.get('session'), 200),
  });
  const end = operation({
    name: 'end_session',
    method: 'DELETE',
    path,
    tag,
    summary: 'Signs out.',
    admission: everybody,
    answers: [{ status: 200, description: 'There is no session any more.', schema: z.strictObject({}), example: {} }],
    problems: crossSite,
    repeats: 'Changes nothing.',
    respond: async (c) => {
      const secret = getCookie(c, cookieName);
      if (secret !== undefined && !isOwnRequest(c)) return problem(c, 403, 'CROSS_SITE', 'sign out on a page of this console');
      if (secret !== undefined) await sessions.end(secret);
      deleteCookie(c, cookieName, cookieFor(c));
      return c.json({});
    },
  });
  return [begin, get, end];
}

/** Undefined for a link that is not good any more, and for one of a revoked token. */
async function beginByLink(link: string, { db, sessions }: Pick<SessionApiOptions, 'db' | 'sessions'>): Promise<NewSession | undefined> {
  const tokenSha256 = await redeemSignInLink(db, link);
  const caller = tokenSha256 && (await findToken(db, tokenSha256));
  return caller && sessions.begin({ caller, tokenSha256 });
}

/** A new session for the request's bearer token, or the problem with it. */
async function beginByToken(
  c: Context,
  { access, sessions }: Pick<SessionApiOptions, 'access' | 'sessions'>,
): Promise<NewSession | Response> {
  const caller = await access.callerOf(c);
  if (caller instanceof Response) return caller;
  if (!readers.includes(caller.role)) return problem(c, 403, 'FORBIDDEN', `the role ${caller.role} may not read`);
  return sessions.begin(holderOf(c.req.header('authorization')?.replace(/^Bearer +/i, '') ?? '', caller));
}

function holderOf(token: string, caller: Caller): Holder {
  return isJwt(token) ? { caller, until: new Date((decodeJwt(token).exp ?? 0) * 1_000) } : { caller, tokenSha256: hashToken(token) };
}

function answer(c: Context, { name, role }: Caller, times: SessionTimes | undefined, status: 200 | 201): Response {
  c.header('cache-control', 'no-store');
  const view = (limit: TimeLimit | undefined) => (limit === undefined ? null : { limit_ms: limit.limitMs, left_ms: limit.leftMs });
  const endsAt = times?.endsAt.toISOString() ?? null;
  return c.json({ name, role, ends_at: endsAt, idle: view(times?.idle), absolute: view(times?.absolute) }, status);
}
