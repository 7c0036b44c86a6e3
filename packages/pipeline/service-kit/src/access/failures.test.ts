import { ManualClock } from '@weir/clock';
import { migrate, type Queryable } from '@weir/postgres';
import { createTestDatabase, type TestDatabase } from '@weir/postgres/testing';
import { Hono } from 'hono';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  Access,
  accessMigrations,
  createLogger,
  createMetrics,
  type Metrics,
  readers,
  requireRole,
  revokeToken,
  storeToken,
} from '../index.ts';
import { startTestProvider, testAudience, type TestProvider } from '../testing.ts';
import { FailureLimits } from './failures.ts';
import { tokenId, hashToken } from './tokens.ts';

let clock: ManualClock;
let db: TestDatabase;
let provider: TestProvider;
let metrics: Metrics;
let logged: Record<string, unknown>[];
let asked: number;
let app: Hono;
beforeAll(async () => {
  [db, provider] = await Promise.all([createTestDatabase(), startTestProvider()]);
  await migrate(db.pool, 'access', accessMigrations);
  for (const name of ['sesame', 'other', 'gone']) await storeToken(db.pool, name, 'auditor', name);
});
afterAll(() => Promise.all([db.drop(), provider.stop()]));
beforeEach(() => {
  // The provider's tokens use the current time.
  clock = new ManualClock(new Date().getTime());
  metrics = createMetrics();
  logged = [];
  asked = 0;
  const counting: Queryable = {
    query: (text, values) => {
      asked += 1;
      return db.pool.query(text, values);
    },
  };
  const write = (line: string): void => void logged.push(JSON.parse(line) as Record<string, unknown>);
  const logger = createLogger({ service: 'test', level: 'info', destination: { write } });
  const settings = {
    authFailuresPerMinute: 3,
    authFailuresPerMinuteOverall: 10,
    oidcIssuer: provider.issuer,
    oidcAudience: testAudience,
    oidcRoleMap: 'compliance=reviewer',
  };
  app = new Hono().get('/', requireRole(new Access({ db: counting, clock, logger, metrics, settings }), readers), (c) => c.text('ok'));
});

async function knock(token: string | undefined, address = '192.0.2.1'): Promise<Response> {
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return app.request('/', { headers }, { incoming: { socket: { remoteAddress: address } } });
}
const ask = async (token: string | undefined, address?: string): Promise<number> => (await knock(token, address)).status;
const several = async (count: number, token: string | undefined, address?: string): Promise<number[]> => {
  const statuses: number[] = [];
  for (let n = 0; n < count; n += 1) statuses.push(await ask(token, address));
  return statuses;
};

test('after its failures an address is told when to come again, for the rest of the minute', async () => {
  expect(await several(3, 'bad')).toEqual([401, 401, 401]);
  await clock.advance(20_500);
  const answer = await knock('bad');
  expect([answer.status, answer.headers.get('retry-after'), answer.headers.get('content-type')]).toEqual([
    429,
    '40',
    'application/problem+json',
  ]);
  expect(await answer.json()).toMatchObject({ code: 'TOO_MANY_FAILURES' });
  expect(await ask('bad', '192.0.2.2')).toBe(401);
  await clock.advance(39_499);
  expect(await ask('bad')).toBe(429);
  await clock.advance(1);
  expect(await several(4, 'bad')).toEqual([401, 401, 401, 429]);
});

test('whatever is no token counts, no token at all does not', async () => {
  expect(await several(5, undefined)).toEqual([401, 401, 401, 401, 401]);
  expect(await several(4, 'a'.repeat(600))).toEqual([401, 401, 401, 429]);
  const { values } = await metrics.authFailures.get();
  expect(values.filter(({ value }) => value > 0).map(({ labels, value }) => [labels, value])).toEqual([
    [{ reason: 'missing' }, 5],
    [{ reason: 'malformed' }, 3],
    [{ reason: 'limited' }, 1],
  ]);
});

describe('from an address that is limited', () => {
  beforeEach(() => several(3, 'bad'));

  test('bad tokens cost the database one question in a second, however many', async () => {
    asked = 0;
    expect(await several(50, 'bad')).not.toContain(401);
    expect(asked).toBe(1);
    await clock.advance(999);
    await several(50, 'worse');
    expect(asked).toBe(1);
    await clock.advance(1);
    await Promise.all(Array.from({ length: 50 }, () => ask('worse')));
    expect(asked).toBe(2);
  });

  test('every good token works, also one that was never seen here', async () => {
    expect(await ask('sesame')).toBe(200);
    expect(await ask('other')).toBe(200);
    expect(await ask(await provider.token({ roles: ['compliance'] }))).toBe(200);
    await storeToken(db.pool, 'new', 'auditor', 'new');
    await clock.advance(1_000);
    expect(await ask('new')).toBe(200);
    expect(await ask('bad')).toBe(429);
  });

  test('a token that is revoked is not good for another moment', async () => {
    expect(await ask('gone')).toBe(200);
    await revokeToken(db.pool, tokenId(hashToken('gone')));
    expect(await ask('gone')).toBe(429);
  });

  test('signatures are checked a few times a second, and a token that was good lately always', async () => {
    const known = await provider.token({ roles: ['compliance'] });
    expect(await ask(known)).toBe(200);
    const bad = await provider.token({ aud: 'x' });
    const fresh = await provider.token({ roles: ['compliance'], jti: 'fresh' });
    await clock.advance(1_000);
    expect(new Set(await several(50, bad))).toEqual(new Set([429]));
    expect([await ask(fresh), await ask(known)]).toEqual([429, 200]);
    await clock.advance(1_000);
    expect(await ask(fresh)).toBe(200);
    await clock.advance(400_000);
    await several(3, 'bad');
    expect([await ask(known), await ask(fresh)]).toEqual([429, 429]);
  });

  test('a bad token of the provider is 429 as well', async () => {
    expect(await ask(await provider.token({ aud: 'x' }))).toBe(429);
  });
});

test('many at once are counted before they are looked at', async () => {
  const statuses = await Promise.all(Array.from({ length: 40 }, () => ask('bad')));
  expect(statuses.filter((status) => status === 401)).toHaveLength(3);
  expect(statuses.filter((status) => status === 429)).toHaveLength(37);
  expect(asked).toBe(4);
});

test('good tokens are no failures, however many at once', async () => {
  for (let n = 0; n < 3; n += 1) {
    expect(new Set(await Promise.all(Array.from({ length: 40 }, () => ask('sesame'))))).toEqual(new Set([200]));
  }
  expect(await several(4, 'bad')).toEqual([401, 401, 401, 429]);
});

test('all addresses together are limited too, and good tokens are good from anywhere', async () => {
  const each = Array.from({ length: 12 }, (_, n) => `192.0.2.${n}`);
  const statuses: number[] = [];
  for (const address of each) statuses.push(await ask('bad', address));
  expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429, 429]);
  expect(await ask('sesame', '192.0.2.200')).toBe(200);
  await clock.advance(60_000);
  expect(await ask('bad', '192.0.2.201')).toBe(401);
});

test('when all are limited, who floods from one address keeps nobody else with a new token out', async () => {
  for (let n = 0; n < 12; n += 1) await ask('bad', `192.0.2.${n}`);
  const bad = await provider.token({ aud: 'x' });
  expect(new Set(await several(200, bad, '192.0.2.100'))).toEqual(new Set([429]));
  const fresh = await provider.token({ roles: ['compliance'] });
  expect(await ask(fresh, '192.0.2.200')).toBe(200);
});

test('failures are logged with the address and without the token; the limit is logged once', async () => {
  await several(50, 'sesame-bad');
  expect(logged.map(({ level, msg, address }) => [level, msg, address])).toEqual([
    ...Array.from({ length: 3 }, () => ['info', 'authentication failed', '192.0.2.1']),
    ['warn', 'too many authentications failed; bad tokens are answered with 429', '192.0.2.1'],
  ]);
  expect(JSON.stringify(logged)).not.toContain('sesame');
});

test('nobody is blamed while the database is away', async () => {
  const broken: Queryable = { query: () => Promise.reject(Object.assign(new Error('away'), { code: 'ECONNREFUSED' })) };
  const limits = { authFailuresPerMinute: 1, authFailuresPerMinuteOverall: 1 };
  const access = new Access({ db: broken, clock, logger: createLogger({ service: 'test', level: 'silent' }), metrics, settings: limits });
  const unavailable = new Hono().get('/', requireRole(access, readers), (c) => c.text('ok')).onError((_, c) => c.text('away', 503));
  for (let n = 0; n < 5; n += 1) expect((await unavailable.request('/', { headers: { authorization: 'Bearer sesame' } })).status).toBe(503);
});

test('a million addresses are not remembered; who knocked last is', () => {
  const limits = new FailureLimits(clock, { perAddress: 1, overall: 10_000_000 });
  limits.take('busy');
  for (let n = 0; n < 1_000_000; n += 1) {
    limits.take(`address ${n}`);
    if (n % 1_000 === 0) expect(limits.take('busy').limitedForMs).toBeGreaterThan(0);
  }
  expect(limits.addresses).toBeLessThanOrEqual(10_000);
  expect(limits.take('address 999999').limitedForMs).toBeGreaterThan(0);
  expect(limits.take('address 0').limitedForMs).toBe(0);
});

test('what is given back late takes nothing from the next minute', async () => {
  const limits = new FailureLimits(clock, { perAddress: 1, overall: 100 });
  const slow = limits.take('a');
  await clock.advance(60_000);
  expect(limits.take('a').limitedForMs).toBe(0);
  slow.refund();
  slow.refund();
  expect(limits.take('a').limitedForMs).toBe(60_000);
});
