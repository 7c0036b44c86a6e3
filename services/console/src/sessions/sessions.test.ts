import { randomBytes } from 'node:crypto';
import { type Access, revokeToken, tokenId, hashToken } from '@weir/service-kit';
import { SessionCallers, Sessions } from '@weir/sessions';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestApi, type TestApi } from '../routes.testing.ts';
import { screeningOperations } from '../routes.ts';
import { createSignInLink } from './links.ts';
import { sessionOperations } from './routes.ts';

let api: TestApi;
beforeAll(async () => {
  api = await openTestApi((db, access: Access) => {
    const sessions = new Sessions({ db, limits: { idleMs: 1_800_000, maxMs: 43_200_000 }, random: randomBytes });
    const callers = new SessionCallers(access, sessions);
    return [...sessionOperations({ db, access, callers, sessions }), ...screeningOperations(db, callers)];
  });
});
afterAll(() => api.close());

const own = { 'sec-fetch-site': 'same-origin' };

const signIn = (headers: Record<string, string>, body: object = {}): Promise<Response> =>
  api.send('/v1/session', { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) });

/** The cookie of a new session, as a browser sends it back. */
async function cookieOf(role = 'reviewer'): Promise<string> {
  const answer = await signIn({ authorization: `Bearer token-${role}` });
  expect(answer.status).toBe(201);
  return answer.headers.get('set-cookie')?.split(';')[0] ?? '';
}

const read = (cookie: string, headers: Record<string, string> = own, path = '/v1/session'): Promise<Response> =>
  api.send(path, { headers: { cookie, ...headers } });

test('a token becomes a session that reads as its holder, and ends with signing out', async () => {
  const cookie = await cookieOf();
  expect(await (await read(cookie)).json()).toEqual({
    name: 'reviewer',
    role: 'reviewer',
    ends_at: expect.any(String),
    idle: { limit_ms: 1_800_000, left_ms: expect.any(Number) },
    absolute: { limit_ms: 43_200_000, left_ms: expect.any(Number) },
  });
  expect((await read(cookie, own, '/v1/screenings')).status).toBe(200);
  expect((await api.send('/v1/session', { method: 'DELETE', headers: { cookie, ...own } })).status).toBe(200);
  const after = await read(cookie);
  expect([after.status, await after.json()]).toEqual([401, expect.objectContaining({ code: 'SESSION_ENDED' })]);
});

test('scripts cannot read the cookie, other sites do not send it, and it needs TLS beyond this machine', async () => {
  const cookie = async (host: string): Promise<string | null> =>
    (
      await api.send(`http://${host}/v1/session`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: 'Bearer token-auditor' },
        body: '{}',
      })
    ).headers.get('set-cookie');
  expect(await cookie('127.0.0.1:4000')).toMatch(/^weir_session=[\w-]{43}; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Strict$/);
  expect(await cookie('weir.example')).toMatch(/; HttpOnly; Secure; SameSite=Strict$/);
});

test.each([
  ['a bad token', 401, { authorization: 'Bearer nobody' }],
  ['no token', 401, {}],
  ['a machine', 403, { authorization: 'Bearer token-gate' }],
  [
    'a page of another site',
    403,
    { authorization: 'Bearer token-reviewer', origin: 'https://other.example', 'sec-fetch-site': 'cross-site' },
  ],
])('%s cannot sign in', async (_, status, headers) => {
  const answer = await signIn(headers);
  expect([answer.status, answer.headers.get('set-cookie')]).toEqual([status, null]);
});

test.each([
  ['another site', { 'sec-fetch-site': 'cross-site' }],
  ['another host of this site', { 'sec-fetch-site': 'same-site' }],
  ['another site, asked by a browser without Fetch Metadata', { origin: 'https://other.example' }],
])('a session does not serve %s', async (_, headers) => {
  expect((await read(await cookieOf(), headers)).status).toBe(403);
});

test('only a page of this console may change something by a session', async () => {
  const cookie = await cookieOf();
  const end = (headers: Record<string, string>): Promise<Response> =>
    api.send('/v1/session', { method: 'DELETE', headers: { cookie, ...headers } });
  for (const headers of [{}, { 'sec-fetch-site': 'none' }, { origin: 'https://other.example' }]) {
    expect((await end(headers as Record<string, string>)).status).toBe(403);
  }
  expect((await read(cookie)).status).toBe(200);
  expect((await end({ origin: 'http://localhost', host: 'localhost' })).status).toBe(200);
});

test.each([
  ['after the idle time', `used_at = clock_timestamp() - interval '1801 seconds'`],
  ['after its longest time', `ends_at = clock_timestamp() - interval '1 second'`],
])('a session ends %s', async (_, change) => {
  const cookie = await cookieOf();
  await api.db.pool.query(`UPDATE console.sessions SET ${change} WHERE session_sha256 = $1`, [hashToken(cookie.split('=')[1] ?? '')]);
  expect((await read(cookie)).status).toBe(401);
});

test.each([
  ['a session that is used stays', {}, true],
  ['the polls of a page that nobody attends to do not keep a session', { 'weir-unattended': 'true' }, false],
  ['a stream of events does not keep a session', { accept: 'text/event-stream' }, false],
])('%s', async (_, headers, fresh) => {
  const cookie = await cookieOf();
  const hash = hashToken(cookie.split('=')[1] ?? '');
  await api.db.pool.query(`UPDATE console.sessions SET used_at = used_at - interval '29 minutes' WHERE session_sha256 = $1`, [hash]);
  expect((await read(cookie, { ...own, ...headers })).status).toBe(200);
  const { rows } = await api.db.pool.query(
    `SELECT clock_timestamp() - used_at < interval '1 minute' AS fresh FROM console.sessions WHERE session_sha256 = $1`,
    [hash],
  );
  expect(rows).toEqual([{ fresh }]);
});

test('a revoked token ends its sessions', async () => {
  const cookie = await cookieOf('approver');
  await revokeToken(api.db.pool, tokenId(hashToken('token-approver')));
  expect((await read(cookie)).status).toBe(401);
});

test('a session tells what is left of its idle time, which a request of its person begins again', async () => {
  const cookie = await cookieOf();
  const hash = hashToken(cookie.split('=')[1] ?? '');
  await api.db.pool.query(`UPDATE console.sessions SET used_at = clock_timestamp() - interval '29 minutes' WHERE session_sha256 = $1`, [
    hash,
  ]);
  const left = async (headers: Record<string, string>): Promise<number> =>
    ((await (await read(cookie, { ...own, ...headers })).json()) as { idle: { left_ms: number } }).idle.left_ms;
  const seen = await left({ 'weir-unattended': 'true' });
  expect(seen).toBeGreaterThan(0);
  expect(seen).toBeLessThanOrEqual(60_000);
  expect(await left({})).toBe(1_800_000);
});

test('a link signs in once', async () => {
  const link = await createSignInLink(api.db.pool, randomBytes, 'token-admin');
  const first = await signIn(own, { link });
  expect([first.status, await first.json()]).toEqual([201, expect.objectContaining({ name: 'admin', role: 'admin' })]);
  const second = await signIn(own, { link });
  expect([second.status, await second.json()]).toEqual([410, expect.objectContaining({ code: 'LINK_USED' })]);
});

test('a link of eleven minutes signs nobody in, and neither does one of a revoked token', async () => {
  const old = await createSignInLink(api.db.pool, randomBytes, 'token-admin');
  await api.db.pool.query(`UPDATE console.sign_in_links SET ends_at = ends_at - interval '11 minutes'`);
  expect((await signIn(own, { link: old })).status).toBe(410);
  const revoked = await createSignInLink(api.db.pool, randomBytes, 'token-auditor');
  await revokeToken(api.db.pool, tokenId(hashToken('token-auditor')));
  expect((await signIn(own, { link: revoked })).status).toBe(410);
});

test('no secret is stored', async () => {
  const secret = (await cookieOf()).split('=')[1] ?? '';
  const link = await createSignInLink(api.db.pool, randomBytes, 'token-admin');
  const { rows } = await api.db.pool.query('SELECT s::text FROM console.sessions s UNION ALL SELECT l::text FROM console.sign_in_links l');
  expect(rows.length).toBeGreaterThan(1);
  for (const text of [secret, link, Buffer.from(secret).toString('hex')]) expect(JSON.stringify(rows)).not.toContain(text);
});
