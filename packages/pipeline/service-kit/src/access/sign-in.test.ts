import { createHmac, KeyObject, sign } from 'node:crypto';
import { ManualClock } from '@weir/clock';
import { migrate } from '@weir/postgres';
import { createTestDatabase, type TestDatabase } from '@weir/postgres/testing';
import { Hono } from 'hono';
import { exportSPKI, generateKeyPair, importJWK, type CryptoKey } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  Access,
  accessMigrations,
  callerIdOf,
  createLogger,
  createMetrics,
  type Metrics,
  readers,
  requireRole,
  storeToken,
} from '../index.ts';
import { startTestProvider, testAudience, type TestProvider } from '../testing.ts';
import type { AccessSettings } from './settings.ts';

const clock = new ManualClock();
let db: TestDatabase;
let provider: TestProvider;
let metrics: Metrics;
let logged = '';
let ask: (token: string) => Promise<{ status: number; body: any }>;
beforeAll(async () => {
  [db, provider] = await Promise.all([createTestDatabase(), startTestProvider(clock)]);
  await migrate(db.pool, 'access', accessMigrations);
  await storeToken(db.pool, 'sesame', 'auditor', 'machine');
});
afterAll(() => Promise.all([db.drop(), provider.stop()]));
beforeEach(() => (ask = open()));

function open(settings: Partial<AccessSettings> = {}): typeof ask {
  metrics = createMetrics();
  logged = '';
  const logger = createLogger({ service: 'test', level: 'info', destination: { write: (line) => void (logged += line) } });
  const given = {
    oidcIssuer: provider.issuer,
    oidcAudience: testAudience,
    oidcRoleMap: 'compliance=reviewer, compliance-leads=approver, ops=admin, auditors=auditor',
    ...settings,
  };
  const access = new Access({ db: db.pool, clock, logger, metrics, settings: given });
  const app = new Hono().get('/', requireRole(access, readers), (c) => c.json(c.get('caller')));
  return async (token) => {
    const answer = await app.request('/', { headers: { authorization: `Bearer ${token}` } });
    return { status: answer.status, body: await answer.json() };
  };
}

async function failures(): Promise<Record<string, number>> {
  const { values } = await metrics.authFailures.get();
  return Object.fromEntries(values.filter(({ value }) => value > 0).map(({ labels, value }) => [labels.reason, value]));
}
const reviewer = { roles: ['compliance'] };
const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const seconds = (): number => Math.floor(clock.now() / 1_000);

test('a person is known by issuer and subject, whatever else the token says, and a stored token is good beside', async () => {
  const first = await ask(await provider.token({ ...reviewer, preferred_username: 'Ann' }));
  expect(first).toEqual({ status: 200, body: { id: expect.stringMatching(/^oidc-[0-9a-f]{32}$/), role: 'reviewer', name: 'Ann' } });
  const token = await provider.token({ roles: 'compliance-leads', email: 'ann@example.com', aud: ['another', testAudience], jti: '1' });
  expect(await ask(token)).toEqual({ status: 200, body: { ...first.body, role: 'approver', name: 'ann@example.com' } });
  expect(callerIdOf(token)).toBe(first.body.id);
  expect((await ask(await provider.token({ ...reviewer, sub: 'ben' }))).body.id).not.toBe(first.body.id);
  expect((await ask('sesame')).body).toMatchObject({ role: 'auditor', name: 'machine' });
  expect(await failures()).toEqual({});
});

/** Signs any header correctly with the provider's key. */
function signed(header: object, algorithm: string): string {
  const { key, jwk } = provider.signing;
  const claims = { iss: provider.issuer, aud: testAudience, sub: 'ann', exp: seconds() + 300, ...reviewer };
  const text = `${part({ kid: jwk.kid, ...header })}.${part(claims)}`;
  return `${text}.${sign(algorithm, Buffer.from(text), KeyObject.from(key)).toString('base64url')}`;
}

test('a token is good whoever writes it down', async () => {
  expect((await ask(signed({ alg: 'RS256' }, 'RSA-SHA256'))).status).toBe(200);
});

describe('401 for a token that', () => {
  const tricks: Record<string, () => Promise<string> | string> = {
    'is not signed': async () => `${part({ alg: 'none' })}.${(await provider.token(reviewer)).split('.')[1]}.`,
    'says it is not signed, and has a signature': async () => {
      const [, claims, signature] = (await provider.token(reviewer)).split('.');
      return `${part({ alg: 'none', kid: 'key-1' })}.${claims}.${signature}`;
    },
    'is signed with the public key as a secret': async () => {
      const publicKey = (await importJWK(provider.signing.jwk)) as CryptoKey;
      const claims = part({ iss: provider.issuer, aud: testAudience, sub: 'ann', exp: seconds() + 300, ...reviewer });
      const text = `${part({ alg: 'HS256', kid: provider.signing.jwk.kid, typ: 'JWT' })}.${claims}`;
      return `${text}.${createHmac('sha256', await exportSPKI(publicKey))
        .update(text)
        .digest('base64url')}`;
    },
    'is signed with another key of the same name': async () => provider.token(reviewer, {}, (await generateKeyPair('RS256')).privateKey),
    'brings its own key': async () => {
      const { privateKey } = await generateKeyPair('RS256');
      const header = { kid: 'mine', jwk: provider.signing.jwk, jku: `${provider.issuer}/keys` };
      return provider.token(reviewer, header, privateKey);
    },
    'names another algorithm than the key has': () => signed({ alg: 'RS512' }, 'RSA-SHA512'),
    'names a key that is not published': () => provider.token(reviewer, { kid: 'key-0' }),
    'was changed': async () => {
      const [header, , signature] = (await provider.token(reviewer)).split('.');
      return `${header}.${part({ iss: provider.issuer, aud: testAudience, sub: 'ann', exp: seconds() + 300, roles: ['compliance-leads'] })}.${signature}`;
    },
    'has another issuer': () => provider.token({ ...reviewer, iss: 'https://other.example' }),
    'has the issuer with a slash': () => provider.token({ ...reviewer, iss: `${provider.issuer}/` }),
    'has no issuer': () => provider.token({ ...reviewer, iss: undefined as never }),
    'is for others': () => provider.token({ ...reviewer, aud: 'https://other.example' }),
    'is for nobody': () => provider.token({ ...reviewer, aud: undefined as never }),
    'never expires': () => provider.token({ ...reviewer, exp: undefined as never }),
    'has expired': () => provider.token({ ...reviewer, exp: seconds() - 31 }),
    'is not good yet': () => provider.token({ ...reviewer, nbf: seconds() + 31 }),
    'names nobody': () => provider.token({ ...reviewer, sub: undefined as never }),
    'names an empty subject': () => provider.token({ ...reviewer, sub: '' }),
    'names a subject that is no text': () => provider.token({ ...reviewer, sub: 7 as never }),
    'names a subject without end': () => provider.token({ ...reviewer, sub: 'a'.repeat(256) }),
    'is of another type': () => provider.token(reviewer, { typ: 'logout+jwt' }),
    'is an ID token': () => provider.token({ ...reviewer, at_hash: 'x' }),
    'is bound to a key of its sender': () => provider.token({ ...reviewer, cnf: { jkt: 'x' } }),
    'demands what is not understood': () => signed({ alg: 'RS256', crit: ['x'], x: 1 }, 'RSA-SHA256'),
    'is huge': () => provider.token({ ...reviewer, groups: 'a'.repeat(10_000) }),
    'is garbage': () => 'eyJ.eyJ.eyJ',
  };
  test.each(Object.entries(tricks))('%s', async (_, make) => {
    const token = await make();
    expect(await ask(token)).toMatchObject({ status: 401, body: { code: 'UNAUTHENTICATED' } });
    expect(Object.values(await failures())).toEqual([1]);
    expect(logged).toContain('authentication failed');
    for (const secret of [token, token.split('.')[1] ?? '', 'compliance']) expect(logged).not.toContain(secret);
  });

  test('each is told apart in the metric', async () => {
    await ask(await provider.token({ ...reviewer, exp: seconds() - 31 }));
    await ask(await provider.token({ ...reviewer, aud: 'x' }));
    await ask('unknown');
    expect(await failures()).toEqual({ expired: 1, invalid: 1, unknown: 1 });
    expect(logged).toContain('"detail":"aud"');
  });
});

test('clocks may differ by the tolerance', async () => {
  expect((await ask(await provider.token({ ...reviewer, exp: seconds() - 29 }))).status).toBe(200);
  expect((await ask(await provider.token({ ...reviewer, nbf: seconds() + 29 }))).status).toBe(200);
  ask = open({ oidcClockToleranceMs: 0 });
  expect((await ask(await provider.token({ ...reviewer, exp: seconds() - 1 }))).status).toBe(401);
});

describe('the role', () => {
  test.each<[unknown, string | undefined]>([
    [['compliance'], 'reviewer'],
    ['compliance', 'reviewer'],
    [['ops', 'auditors', 'compliance', 'compliance-leads'], 'approver'],
    [['ops', 'compliance'], 'reviewer'],
    [['auditors', 'ops'], 'admin'],
    [['unknown', 7, null, ['compliance']], undefined],
    [['approver', 'admin', 'ingest', '__proto__', 'constructor'], undefined],
    ['compliance ops', undefined],
    [{ compliance: true }, undefined],
    [undefined, undefined],
    [null, undefined],
  ])('of %j is %s', async (roles, role) => {
    const { status, body } = await ask(await provider.token({ roles }));
    expect([status, role === undefined ? body.code : body.role]).toEqual(role === undefined ? [403, 'FORBIDDEN'] : [200, role]);
    // The person is known, so it is no failure.
    expect(await failures()).toEqual({});
  });

  test('is found inside other claims, and under a name with dots', async () => {
    ask = open({ oidcRoleClaim: 'realm_access.roles' });
    expect((await ask(await provider.token({ realm_access: reviewer }))).body.role).toBe('reviewer');
    for (const claims of [{ realm_access: null }, { realm_access: ['roles'] }, {}])
      expect((await ask(await provider.token(claims))).status).toBe(403);
    ask = open({ oidcRoleClaim: 'https://weir.example/roles' });
    expect((await ask(await provider.token({ 'https://weir.example/roles': ['auditors'] }))).body.role).toBe('auditor');
    ask = open({ oidcRoleClaim: 'roles.constructor.name' });
    expect((await ask(await provider.token(reviewer))).status).toBe(403);
  });
});

test.each([
  [{ preferred_username: 'ann', email: 'a@example.com', name: 'Ann' }, 'ann'],
  [{ preferred_username: '\u0000\u200b ', email: 'a@example.com' }, 'a@example.com'],
  [{ preferred_username: 7, name: ' An\u0000n ' }, 'Ann'],
  [{ name: 'a'.repeat(300) }, 'a'.repeat(200)],
  [{}, expect.stringMatching(/^oidc-[0-9a-f]{32}$/)],
])('the name of %j', async (claims, name) => {
  expect((await ask(await provider.token({ ...reviewer, ...claims }))).body.name).toEqual(name);
});

test('where no provider is set its tokens are nobody’s', async () => {
  ask = open({ oidcIssuer: '', oidcAudience: '', oidcRoleMap: '' });
  expect((await ask(await provider.token(reviewer))).status).toBe(401);
  expect((await ask('sesame')).status).toBe(200);
});
