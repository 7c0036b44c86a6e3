import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Access, admission, createApp, createLogger, loadConfig, operation, type RunningServer, serve } from '@weir/service-kit';
import { SessionCallers, Sessions } from '@weir/sessions';
import { Hono } from 'hono';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { openTestApi, type TestApi } from '../routes.testing.ts';
import { sessionOperations } from '../sessions/routes.ts';
import { forwardSchema, type ForwardSettings } from './config.ts';
import { forwardRoutes, unreachable } from './forward.ts';

const limits = { idleMs: 1_800_000, maxMs: 43_200_000 };

let api: TestApi;
let other: RunningServer;
let given: Headers[];
let app: Hono;
beforeAll(async () => {
  let callers: SessionCallers | undefined;
  let access: Access | undefined;
  api = await openTestApi((db, own) => {
    access = own;
    const sessions = new Sessions({ db, limits, random: randomBytes });
    callers = new SessionCallers(own, sessions);
    return sessionOperations({ db, access: own, callers, sessions });
  });
  other = await serve(decision(api, access as Access), { host: '127.0.0.1', port: 0 });
  app = new Hono().route('/', forwardRoutes({ settings: at(`http://127.0.0.1:${other.port}`), access: callers as SessionCallers }));
});
beforeEach(() => (given = []));
afterAll(async () => {
  await other.close(0);
  await api.close();
});

const at = (decisionUrl: string): ForwardSettings => ({ ...loadConfig(forwardSchema, {}), decisionUrl });

/** Stands for the process of decision: its own check of tokens and sessions. */
function decision({ db }: TestApi, access: Access): Hono {
  const callers = new SessionCallers(access, new Sessions({ db: db.pool, limits, random: randomBytes, notesUse: false }));
  const of = { tag: 'policies', summary: 'Answers.', answers: [] } as const;
  return createApp(createLogger({ service: 'decision', level: 'silent' }), [
    operation({
      ...of,
      name: 'list',
      method: 'GET',
      path: '/v1/policies',
      admission: admission(callers, ['reviewer', 'auditor']),
      query: z.object({ since: z.string().optional() }),
      respond: (c, { query }) => {
        given.push(c.req.raw.headers);
        c.header('cache-control', 'no-store');
        return c.json({ caller: c.get('caller').name, ...query });
      },
    }),
    operation({
      ...of,
      name: 'export',
      method: 'GET',
      path: '/v1/exports/policy-disagreements',
      admission: admission(callers, ['auditor']),
      respond: (c) => c.body('screening_id', 200, { 'content-type': 'text/csv' }),
    }),
    operation({
      ...of,
      name: 'propose',
      method: 'POST',
      path: '/v1/policies/proposals',
      admission: admission(callers, ['reviewer']),
      body: { schema: z.strictObject({ text: z.string() }), what: 'a text', example: { text: 'a' } },
      respond: (c, { body }) => c.json({ length: body.text.length }, 201),
    }),
  ]);
}

async function cookieOf(role: string): Promise<string> {
  const answer = await api.send('/v1/session', {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer token-${role}` },
    body: '{}',
  });
  return answer.headers.get('set-cookie')?.split(';')[0] ?? '';
}

const own = { 'sec-fetch-site': 'same-origin' };
const propose = { method: 'POST', body: JSON.stringify({ text: 'x'.repeat(50_000) }) };

test('a person with a session uses the operations of another service, which decides what the role may do', async () => {
  const reviewer = await cookieOf('reviewer');
  const listed = await app.request('/v1/policies?since=now%2Fthen', { headers: { ...own, cookie: reviewer } });
  expect([listed.status, listed.headers.get('cache-control'), await listed.json()]).toEqual([
    200,
    'no-store',
    { caller: 'reviewer', since: 'now/then' },
  ]);
  const json = { ...own, 'content-type': 'application/json' };
  const proposed = await app.request('/v1/policies/proposals', { ...propose, headers: { ...json, cookie: reviewer } });
  expect([proposed.status, await proposed.json()]).toEqual([201, { length: 50_000 }]);
  const refused = await app.request('/v1/policies/proposals', { ...propose, headers: { ...json, cookie: await cookieOf('auditor') } });
  expect([refused.status, await refused.json()]).toEqual([403, expect.objectContaining({ code: 'FORBIDDEN' })]);
});

test('a machine uses them by its token', async () => {
  const answer = await app.request('/v1/policies', { headers: { authorization: 'Bearer token-auditor' } });
  expect([answer.status, await answer.json()]).toEqual([200, { caller: 'auditor' }]);
});

test('an export of another service is forwarded, and no other one', async () => {
  const headers = { authorization: 'Bearer token-auditor' };
  const answer = await app.request('/v1/exports/policy-disagreements', { headers });
  expect([answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([200, 'text/csv', 'screening_id']);
  expect((await app.request('/v1/exports/screenings', { headers })).status).toBe(404);
});

test('a browser without Fetch Metadata changes something by its Origin, though the other service has another host', async () => {
  const headers = {
    cookie: await cookieOf('reviewer'),
    origin: 'http://weir.example',
    host: 'weir.example',
    'content-type': 'application/json',
  };
  expect((await app.request('http://weir.example/v1/policies/proposals', { ...propose, headers })).status).toBe(201);
});

test.each([
  ['nobody', {}, 401],
  ['a bad token', { authorization: 'Bearer nobody' }, 401],
  ['another site', { 'sec-fetch-site': 'cross-site' }, 403],
])('%s does not reach the other service', async (_, headers, status) => {
  const cookie: Record<string, string> = status === 403 ? { cookie: await cookieOf('reviewer') } : {};
  expect((await app.request('/v1/policies', { headers: { ...headers, ...cookie } })).status).toBe(status);
  expect(given).toEqual([]);
});

test('what a caller claims about its way is not passed on', async () => {
  const claims = { 'x-forwarded-for': '10.0.0.1', 'x-forwarded-host': 'evil.example', 'x-real-ip': '10.0.0.1' };
  await app.request('/v1/policies', { headers: { authorization: 'Bearer token-auditor', ...claims } });
  for (const name of Object.keys(claims)) expect(given[0]?.has(name)).toBe(false);
});

test('a service that is away is a bad gateway, and one that is silent a timeout', async () => {
  const silent = createServer(() => undefined).listen(0, '127.0.0.1');
  await new Promise((resolve) => silent.once('listening', resolve));
  const { port } = silent.address() as AddressInfo;
  const access = { callerOf: async () => ({ id: '1', role: 'auditor', name: 'A' }) as const, limit: () => undefined };
  const ask = async (limitMs: number): Promise<unknown> => {
    const routes = forwardRoutes({ settings: at(`http://127.0.0.1:${port}`), access, limitMs });
    const answer = await routes.request('/v1/policies');
    return [answer.status, ((await answer.json()) as { code: string }).code];
  };
  expect(await ask(200)).toEqual([504, 'SERVICE_SLOW']);
  silent.closeAllConnections();
  await new Promise((resolve) => silent.close(resolve));
  expect(await ask(60_000)).toEqual([502, 'SERVICE_AWAY']);
});

test('a console without the address of a service names the paths that it does not serve', async () => {
  expect((await app.request('/v1/audit/key')).status).toBe(404);
  expect(unreachable(at('http://127.0.0.1:1'))).toEqual([
    'WEIR_AUDIT_URL is not set: paths below /v1/audit, which audit-writer serves, are not served here',
    'WEIR_SCORING_URL is not set: paths below /v1/analyses and /v1/providers, which scoring serves, are not served here',
  ]);
});
