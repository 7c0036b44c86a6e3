import { ManualClock } from '@weir/clock';
import { migrate } from '@weir/postgres';
import { createTestDatabase, type TestDatabase } from '@weir/postgres/testing';
import { Hono } from 'hono';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { Access, accessMigrations, createLogger, createMetrics, readers, readProviderKeys, requireRole, storeToken } from '../index.ts';
import { startTestProvider, testAudience, type TestProvider } from '../testing.ts';

let clock: ManualClock;
let db: TestDatabase;
let provider: TestProvider;
let access: Access;
let app: Hono;
beforeAll(async () => {
  db = await createTestDatabase();
  await migrate(db.pool, 'access', accessMigrations);
  await storeToken(db.pool, 'sesame', 'auditor', 'machine');
});
afterAll(() => db.drop());
beforeEach(async () => {
  clock = new ManualClock();
  provider = await startTestProvider(clock);
  const logger = createLogger({ service: 'test', level: 'silent' });
  const settings = { oidcIssuer: provider.issuer, oidcAudience: testAudience, oidcRoleMap: 'compliance=reviewer', oidcTimeoutMs: 3_000 };
  access = new Access({ db: db.pool, clock, logger, metrics: createMetrics(), settings });
  app = new Hono().get('/', requireRole(access, readers), (c) => c.text('ok'));
});
afterEach(() => provider.stop());

const knock = async (token: string): Promise<Response> => app.request('/', { headers: { authorization: `Bearer ${token}` } });
const ask = async (token?: string): Promise<number> => (await knock(token ?? (await provider.token({ roles: ['compliance'] })))).status;
const minutes = (count: number): number => count * 60_000;

test('keys are read when first needed, once for all who ask, and kept', async () => {
  expect(provider.asked).toEqual({ discovery: 0, keys: 0 });
  expect(await Promise.all(Array.from({ length: 20 }, () => ask()))).toEqual(Array.from({ length: 20 }, () => 200));
  await clock.advance(minutes(4));
  expect(await ask()).toBe(200);
  expect(provider.asked).toEqual({ discovery: 1, keys: 1 });
});

test.each(['RS256', 'PS256', 'ES256', 'EdDSA'])(
  'a token that is signed with a new key (%s) is good at once, and one of the key before still is',
  async (alg) => {
    const before = await provider.token({ roles: ['compliance'] });
    expect(await ask(before)).toBe(200);
    await clock.advance(5_000);
    await provider.rotate({ alg });
    expect([await ask(), await ask(before)]).toEqual([200, 200]);
    expect(provider.asked.keys).toBe(2);
  },
);

test('tokens with unknown keys make nobody read the keys more than once in five seconds', async () => {
  expect(await ask()).toBe(200);
  await clock.advance(5_000);
  const unknown = await provider.token({ roles: ['compliance'] }, { kid: 'key-0' });
  for (let n = 0; n < 10; n += 1) expect(await ask(unknown)).toBe(401);
  expect(provider.asked.keys).toBe(2);
});

test('a key that is published no more is good for ten minutes at most', async () => {
  const before = await provider.token({ roles: ['compliance'], exp: clock.now() / 1_000 + 7_200 });
  expect(await ask(before)).toBe(200);
  await provider.rotate({ keepOld: false });
  await clock.advance(minutes(10));
  expect(await ask(before)).toBe(401);
});

test('old keys are read again while they are used', async () => {
  expect(await ask()).toBe(200);
  await clock.advance(minutes(5));
  expect(await ask()).toBe(200);
  await vi.waitFor(() => expect(provider.asked.keys).toBe(2));
});

describe('a provider', () => {
  const unavailable = async (): Promise<void> => {
    const answer = await knock(await provider.token({ roles: ['compliance'] }));
    expect([answer.status, answer.headers.get('retry-after'), await answer.json()]).toEqual([
      503,
      '5',
      expect.objectContaining({ code: 'UNAVAILABLE' }),
    ]);
    expect(await ask('sesame')).toBe(200);
    expect(access.warnings()).toHaveLength(1);
  };
  const other = async (over: object): Promise<Response> =>
    Response.json({ issuer: provider.issuer, jwks_uri: `${provider.issuer}/keys`, ...over });
  const oct = { keys: [{ kty: 'oct', k: 'c2VzYW1l', kid: 'key-1' }] };
  test.each<[string, 'discovery' | 'keys', () => Response | Promise<Response>]>([
    ['that answers with errors', 'discovery', () => new Response('', { status: 500 })],
    ['that has no discovery', 'discovery', () => new Response('', { status: 404 })],
    ['that calls itself otherwise', 'discovery', () => other({ issuer: 'https://other.example' })],
    ['that adds a slash to its name', 'discovery', () => other({ issuer: `${provider.issuer}/` })],
    ['whose keys are read in the open', 'discovery', () => other({ jwks_uri: 'http://other.example/keys' })],
    ['whose keys are nowhere', 'discovery', () => other({ jwks_uri: undefined })],
    ['that leads elsewhere', 'discovery', () => Response.redirect(`${provider.issuer}/keys`)],
    ['that says something else', 'keys', () => new Response('<html></html>')],
    ['without a list of keys', 'keys', () => Response.json({ keys: 'none' })],
    ['that never ends', 'keys', () => new Response('x'.repeat(1_100_000))],
    ['that never answers', 'keys', () => new Promise<Response>(() => undefined)],
  ])('%s lets nobody in: 503, stored tokens stay good, and it is asked again later', async (_, page, how) => {
    provider.answer(page, how);
    await unavailable();
    const before = { ...provider.asked };
    // Within the pause nobody waits for the provider again.
    await unavailable();
    expect(provider.asked).toEqual(before);
    provider.answer(page, undefined);
    await clock.advance(5_000);
    expect(await ask()).toBe(200);
    expect(access.warnings()).toEqual([]);
  });

  test('that goes away is done without while its keys are fresh, and for new keys it is 503', async () => {
    expect(await ask()).toBe(200);
    await clock.advance(minutes(9));
    await provider.stop();
    expect(await ask()).toBe(200);
    const unknown = await provider.token({ roles: ['compliance'] }, { kid: 'key-0' });
    expect(await ask(unknown)).toBe(503);
    await clock.advance(minutes(1));
    await unavailable();
  });

  test('whose only key is a secret has none', async () => {
    provider.answer('keys', () => Response.json(oct));
    expect(await ask()).toBe(401);
  });
});

test('its keys can be looked at', async () => {
  expect((await readProviderKeys(provider.issuer, 10_000)).keys).toHaveLength(1);
});
