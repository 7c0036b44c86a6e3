import { migrate } from '@weir/postgres';
import { createTestDatabase, type TestDatabase } from '@weir/postgres/testing';
import { Hono } from 'hono';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ManualClock } from '@weir/clock';
import { Access, accessMigrations, createLogger, createMetrics, readers, requireRole, roles, storeToken } from '../index.ts';

let db: TestDatabase;
let app: Hono;
beforeAll(async () => {
  db = await createTestDatabase();
  await migrate(db.pool, 'access', accessMigrations);
  for (const role of roles) await storeToken(db.pool, `sesame-${role}`, role, role);
  const logger = createLogger({ service: 'test', level: 'silent' });
  const access = new Access({ db: db.pool, clock: new ManualClock(), logger, metrics: createMetrics() });
  app = new Hono().get('/', requireRole(access, readers), (c) => c.text('ok'));
});
afterAll(() => db.drop());

const ask = (authorization?: string) => app.request('/', authorization === undefined ? {} : { headers: { authorization } });

test.each(roles)('the role %s may read when it is a reader', async (role) => {
  const answer = await ask(`Bearer sesame-${role}`);
  expect(answer.status).toBe(['ingest', 'gate'].includes(role) ? 403 : 200);
  if (answer.status === 403) expect(await answer.json()).toMatchObject({ code: 'FORBIDDEN' });
});

describe('401 for', () => {
  test.each([
    undefined,
    '',
    'Bearer',
    'Bearer ',
    'Bearer unknown',
    'Basic sesame-admin',
    'sesame-admin',
    'Bearer sesame-admin x',
    `Bearer ${'a'.repeat(600)}`,
    "Bearer ' OR 1=1",
  ])('%s', async (header) => {
    const answer = await ask(header);
    expect([answer.status, answer.headers.get('www-authenticate'), answer.headers.get('content-type')]).toEqual([
      401,
      'Bearer',
      'application/problem+json',
    ]);
    expect(await answer.json()).toMatchObject({ code: 'UNAUTHENTICATED' });
  });
});

test('the scheme is taken in any case', async () => {
  expect((await ask('bearer sesame-admin')).status).toBe(200);
});

test('a revoked token is no token', async () => {
  await storeToken(db.pool, 'sesame-gone', 'admin', 'gone');
  expect((await ask('Bearer sesame-gone')).status).toBe(200);
  await db.pool.query("UPDATE access.tokens SET revoked_at = now() WHERE name = 'gone'");
  expect((await ask('Bearer sesame-gone')).status).toBe(401);
});

test('storing a token again changes nothing, and the token itself is nowhere', async () => {
  await storeToken(db.pool, 'sesame-auditor', 'admin', 'raised');
  expect((await db.pool.query('SELECT role FROM access.tokens WHERE name = $1', ['raised'])).rows).toEqual([]);
  const { rows } = await db.pool.query<{ text: string }>("SELECT t::text || encode(token_sha256, 'escape') AS text FROM access.tokens t");
  expect(rows.map(({ text }) => text).join()).not.toContain('sesame');
});

describe('a token that sends too many requests', () => {
  const open = (clock: ManualClock): Hono => {
    const logger = createLogger({ service: 'test', level: 'silent' });
    const access = new Access({ db: db.pool, clock, logger, metrics: createMetrics(), settings: { tokenPerSecond: 3 } });
    return new Hono().get('/', requireRole(access, roles), (c) => c.text('ok'));
  };
  const statuses = async (limited: Hono, token: string, count: number): Promise<number[]> => {
    const answers: number[] = [];
    for (let n = 0; n < count; n++) answers.push((await limited.request('/', { headers: { authorization: `Bearer ${token}` } })).status);
    return answers;
  };

  test('is told to wait, keeps its pace, and holds up no other', async () => {
    const clock = new ManualClock();
    const limited = open(clock);
    expect(await statuses(limited, 'sesame-ingest', 4)).toEqual([200, 200, 200, 429]);
    const answer = await limited.request('/', { headers: { authorization: 'Bearer sesame-ingest' } });
    expect([answer.status, answer.headers.get('retry-after'), answer.headers.get('content-type')]).toEqual([
      429,
      '1',
      'application/problem+json',
    ]);
    expect(await answer.json()).toMatchObject({ code: 'TOO_MANY_REQUESTS' });
    expect(await statuses(limited, 'sesame-gate', 3)).toEqual([200, 200, 200]);
    expect(await statuses(limited, 'sesame-auditor', 9)).not.toContain(429);
    await clock.advance(334);
    expect(await statuses(limited, 'sesame-ingest', 2)).toEqual([200, 429]);
  });

  test('has the limit that it was made with', async () => {
    await storeToken(db.pool, 'sesame-slow', 'ingest', 'slow', { perSecond: 1 });
    expect(await statuses(open(new ManualClock()), 'sesame-slow', 2)).toEqual([200, 429]);
  });
});
