import { randomBytes } from 'node:crypto';
import { systemClock } from '@weir/clock';
import {
  hashToken,
  listSettings,
  loadConfig,
  type PersonRole,
  recordActivity,
  recordSettings,
  roles,
  type SignInOptions,
  storeToken,
  tokenId,
  weir,
} from '@weir/service-kit';
import { SessionCallers, Sessions } from '@weir/sessions';
import { parse } from 'csv-parse/sync';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { consoleSchema } from '../config.ts';
import { openTestApi, type TestApi } from '../routes.testing.ts';
import { sessionOperations } from '../sessions/routes.ts';
import { administrationOperations } from './routes.ts';

const hostile = `"><img src=x onerror="alert(1)">`;
const provider: SignInOptions = {
  issuer: 'https://sign-in.example',
  audience: 'weir',
  roleClaim: 'groups',
  roles: new Map<string, PersonRole>([
    ['compliance', 'reviewer'],
    ['compliance-leads', 'approver'],
  ]),
  clockToleranceMs: 0,
  timeoutMs: 1_000,
};
let api: TestApi;
beforeEach(async () => {
  api = await openTestApi((db, bearer) => {
    const sessions = new Sessions({ db, limits: { idleMs: 1_800_000, maxMs: 43_200_000 }, random: randomBytes });
    const access = new SessionCallers(bearer, sessions);
    return [
      ...sessionOperations({ db, access: bearer, callers: access, sessions }),
      ...administrationOperations({ db, access, clock: systemClock, sessions, signIn: provider }),
    ];
  });
});
afterEach(() => api.close());

const idOf = (role: string): string => tokenId(hashToken(`token-${role}`));

async function ask(method: string, path: string, { role = 'admin', body }: { role?: string; body?: object } = {}) {
  const answer = await api.send(path, {
    method,
    headers: { authorization: `Bearer token-${role}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: (await answer.json()) as any };
}
const revoke = (role: string, by = 'admin') => ask('POST', `/v1/tokens/${idOf(role)}/revoke`, { role: by, body: { reason: 'lost' } });
const acts = async (): Promise<unknown[]> =>
  (await api.db.pool.query('SELECT action, subject, person_name, details FROM access.activities ORDER BY number')).rows;

/** The cookie of a new session. */
async function signIn(role: string): Promise<string> {
  const headers = { authorization: `Bearer token-${role}`, 'content-type': 'application/json' };
  const answer = await api.send('/v1/session', { method: 'POST', headers, body: '{}' });
  return answer.headers.get('set-cookie')?.split(';')[0] ?? '';
}
const isSignedIn = async (cookie: string): Promise<boolean> =>
  (await api.send('/v1/session', { headers: { cookie, 'sec-fetch-site': 'same-origin' } })).status === 200;

test('tokens are listed without their secrets, and a revoked one is refused with its sessions', async () => {
  await storeToken(api.db.pool, 'secret of a name', 'ingest', hostile);
  const { body } = await ask('GET', '/v1/tokens', { role: 'auditor' });
  expect(body.items).toHaveLength(roles.length + 1);
  expect(body.items).toContainEqual(expect.objectContaining({ role: 'ingest', name: hostile, revoked_at: null, is_own: false }));
  expect(body.items.filter((token: { is_own: boolean }) => token.is_own)).toEqual([expect.objectContaining({ token_id: idOf('auditor') })]);
  expect(JSON.stringify(body)).not.toMatch(/token-(admin|ingest)|secret of|[0-9a-f]{17}/);

  const cookie = await signIn('reviewer');
  expect(await isSignedIn(cookie)).toBe(true);
  expect(await revoke('reviewer')).toMatchObject({ status: 200, body: { token_id: idOf('reviewer'), revoked_at: expect.any(String) } });
  expect(await isSignedIn(cookie)).toBe(false);
  expect((await ask('GET', '/v1/session', { role: 'reviewer' })).status).toBe(401);
  // A repeat is no act.
  expect((await revoke('reviewer')).status).toBe(200);
  const details = expect.arrayContaining([{ name: 'reason', value: 'lost' }]);
  expect(await acts()).toEqual([{ action: 'key_revoked', subject: idOf('reviewer'), person_name: 'admin', details }]);
});

test('nobody revokes the own token, one that does not exist, or without a reason', async () => {
  expect(await revoke('admin')).toMatchObject({ status: 409, body: { code: 'OWN_TOKEN' } });
  expect(await ask('POST', '/v1/tokens/0000000000000000/revoke', { body: { reason: 'x' } })).toMatchObject({ status: 404 });
  expect(await ask('POST', `/v1/tokens/${idOf('gate')}/revoke`, { body: { reason: ' ' } })).toMatchObject({ status: 400 });
  expect(await acts()).toEqual([]);
});

test('people are listed with what they did, by token, provider and command line, and machines are not', async () => {
  await signIn('reviewer');
  await ask('POST', `/v1/tokens/${idOf('gate')}/revoke`, { body: { reason: 'lost' } });
  const act = { action: 'coin_added', subjectType: 'coin', subject: 'ABC', at: Date.parse('2026-01-31T09:00:00Z') } as const;
  await recordActivity(api.db.pool, { ...act, by: { id: 'os:ops', name: hostile } });
  await recordActivity(api.db.pool, { ...act, by: { id: 'approver:0123456789abcdef', name: 'Ann' } });
  await recordActivity(api.db.pool, { ...act, by: weir });
  const { status, body } = await ask('GET', '/v1/people', { role: 'auditor' });
  expect(status).toBe(200);
  const people = new Map<string, any>(body.items.map((person: { person_id: string }) => [person.person_id, person]));
  expect([...people.keys()].toSorted()).toEqual(
    [
      ...['reviewer', 'approver', 'auditor', 'admin'].map((role) => `${role}:${idOf(role)}`),
      'os:ops',
      'approver:0123456789abcdef',
    ].toSorted(),
  );
  expect(people.get(`admin:${idOf('admin')}`)).toMatchObject({
    name: 'admin',
    role: 'admin',
    signs_in_by: 'token',
    acts: 1,
    is_own: false,
  });
  expect(people.get(`auditor:${idOf('auditor')}`)).toMatchObject({ acts: 0, is_own: true });
  expect(people.get('os:ops')).toMatchObject({ name: hostile, role: null, signs_in_by: 'command_line', acts: 1 });
  expect(people.get('approver:0123456789abcdef')).toMatchObject({
    name: 'Ann',
    signs_in_by: 'provider',
    last_seen_at: '2026-01-31T09:00:00.000Z',
  });
  expect((await ask('GET', '/v1/people', { role: 'reviewer' })).status).toBe(403);
  // A reviewer hands reviews to others, and reads their names alone. An auditor works on none.
  const { items } = (await ask('GET', '/v1/assignees', { role: 'reviewer' })).body as { items: { name: string }[] };
  const names = items.map(({ name }) => name);
  expect(names).toEqual(
    expect.arrayContaining(['reviewer', 'approver', 'admin'].map((role) => people.get(`${role}:${idOf(role as 'admin')}`)?.name)),
  );
  expect(names).not.toContain(people.get(`auditor:${idOf('auditor')}`)?.name);
});

test('acts are read page by page, the newest first', async () => {
  for (const subject of ['A', 'B', 'C'])
    await recordActivity(api.db.pool, { action: 'coin_added', subjectType: 'coin', subject, by: { id: 'os:ops', name: 'ops' }, at: 0 });
  const page = async (query: string) => (await ask('GET', `/v1/activities?limit=2${query}`, { role: 'auditor' })).body;
  const first = await page('');
  expect(first.items).toMatchObject([
    { action: 'coin_added', subject_type: 'coin', subject: 'C', person: { id: 'os:ops', name: 'ops' }, details: [] },
    { subject: 'B', activity_id: expect.stringMatching(/^[0-9a-f-]{36}$/) },
  ]);
  const second = await page(`&cursor=${first.next_cursor}`);
  expect([second.items.map(({ subject }: { subject: string }) => subject), second.next_cursor]).toEqual([['A'], null]);
  expect(await ask('GET', '/v1/activities?cursor=x', { role: 'auditor' })).toMatchObject({ status: 400, body: { code: 'INVALID_CURSOR' } });
  expect((await ask('GET', '/v1/activities', { role: 'approver' })).status).toBe(403);
});

test('acts are exported with their details, the newest first', async () => {
  const by = { id: 'os:ops', name: '=1+1' };
  const details = { per_second: '5', per_day: null };
  await recordActivity(api.db.pool, { action: 'key_created', subjectType: 'key', subject: 'K', by, details, at: 0 });
  const exported = (role: string): Promise<Response> => api.get('/v1/exports/activities', `token-${role}`);
  const answer = await exported('auditor');
  expect(answer.headers.get('content-disposition')).toBe('attachment; filename="activities.csv"');
  const [first] = parse<Record<string, string>>(await answer.text(), { columns: true });
  expect(first).toMatchObject({
    subject: 'K',
    person_name: "'=1+1",
    details: 'per_second: 5; per_day: ',
    recorded_at: '1970-01-01T00:00:00.000Z',
  });
  expect((await exported('approver')).status).toBe(403);
});

test('live sessions are listed and ended one by one', async () => {
  const [first, second] = [await signIn('reviewer'), await signIn('approver')];
  await signIn('auditor');
  await api.db.pool.query(`UPDATE console.sessions SET used_at = now() - interval '1 hour' WHERE caller_id = $1`, [idOf('auditor')]);
  const { body } = await ask('GET', '/v1/sessions', { role: 'auditor' });
  expect(body.items.map(({ name }: { name: string }) => name)).toEqual(['approver', 'reviewer']);
  const [secret] = first.split('=').slice(1);
  expect(JSON.stringify(body)).not.toContain(secret);
  const { session_id: id } = body.items[1];
  expect(await ask('DELETE', `/v1/sessions/${id}`)).toMatchObject({ status: 200, body: { session_id: id, name: 'reviewer' } });
  expect(await Promise.all([first, second].map(isSignedIn))).toEqual([false, true]);
  expect(await ask('DELETE', `/v1/sessions/${id}`)).toMatchObject({ status: 404 });
  expect(await acts()).toEqual([
    {
      action: 'session_ended',
      subject: id,
      person_name: 'admin',
      details: [
        { name: 'name', value: 'reviewer' },
        { name: 'role', value: 'reviewer' },
      ],
    },
  ]);
});

test('the settings of each process are those of its last start, with secrets masked', async () => {
  const start = (name: string, settings: object): Promise<void> =>
    recordSettings(api.db.pool, {
      name,
      settings: listSettings(consoleSchema, { ...loadConfig(consoleSchema, {}), ...settings }),
      clock: systemClock,
    });
  await start('console', { caseDueMs: 7_000 });
  await start('console', { caseDueMs: 9_000, webhookSecrets: 'whsec_secret' });
  await start('scoring', {});
  const { body } = await ask('GET', '/v1/settings', { role: 'auditor' });
  expect(body.items).toEqual([
    {
      process: 'console',
      since: expect.any(String),
      settings: expect.arrayContaining([
        { name: 'WEIR_CASE_DUE_MS', value: '9000' },
        { name: 'WEIR_WEBHOOK_SECRETS', value: '***' },
      ]),
    },
    { process: 'scoring', since: expect.any(String), settings: [] },
  ]);
});

const reads = ['/v1/tokens', '/v1/sessions', '/v1/settings'];
test.each(['ingest', 'gate', 'reviewer', 'approver'])('the role %s reads and changes nothing of it', async (role) => {
  for (const path of reads) expect((await ask('GET', path, { role })).status).toBe(403);
  expect((await revoke('gate', role)).status).toBe(403);
  await signIn('reviewer');
  const { body } = await ask('GET', '/v1/sessions', { role: 'auditor' });
  expect((await ask('DELETE', `/v1/sessions/${body.items[0].session_id}`, { role })).status).toBe(403);
});

test('an auditor reads, and changes nothing', async () => {
  for (const path of reads) expect((await ask('GET', path, { role: 'auditor' })).status).toBe(200);
  expect((await revoke('gate', 'auditor')).status).toBe(403);
  await signIn('reviewer');
  const { body } = await ask('GET', '/v1/sessions', { role: 'auditor' });
  expect((await ask('DELETE', `/v1/sessions/${body.items[0].session_id}`, { role: 'auditor' })).status).toBe(403);
});

test('groups of the OIDC provider are listed with their roles, for those who may see them', async () => {
  expect(await ask('GET', '/v1/group-roles', { role: 'auditor' })).toEqual({
    status: 200,
    body: {
      claim: 'groups',
      items: [
        { group: 'compliance-leads', role: 'approver' },
        { group: 'compliance', role: 'reviewer' },
      ],
    },
  });
  expect((await ask('GET', '/v1/group-roles', { role: 'reviewer' })).status).toBe(403);
});
