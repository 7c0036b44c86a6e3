import { afterAll, beforeAll, expect, test } from 'vitest';
import { databaseError, openPool, PostgresError } from './index.ts';
import { createTestDatabase, type TestDatabase } from './testing.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.drop());

async function raised(state: string): Promise<unknown> {
  return db.pool.query(`DO $$ BEGIN RAISE EXCEPTION 'x' USING ERRCODE = '${state}'; END $$`).catch((error: unknown) => error);
}

test.each(['53100'])('a full disk (%s) is named, in one line', async (state) => {
  const cause = await raised(state);
  const error = databaseError(cause);
  expect(error).toBeInstanceOf(PostgresError);
  expect(error).toMatchObject({ code: 'DISK_FULL', retriable: true, message: 'the disk is full: PostgreSQL could not write', cause });
  expect(databaseError(Object.assign(new Error('write'), { code: 'ENOSPC' }))).toMatchObject({ code: 'DISK_FULL' });
});

test.each(['57P01', '57P02', '57P03', '08006', '08000', '53300'])('a database that is away (%s) is named', async (state) => {
  expect(databaseError(await raised(state))).toMatchObject({ code: 'DATABASE_UNAVAILABLE', retriable: true });
});

test.each([
  ['nobody listens', 'postgres://u:p@127.0.0.1:1/d'],
  ['the host is not known', 'postgres://u:p@host.invalid:5432/d'],
  ['there is no socket', 'postgres://u:p@%2Fnowhere/d'],
])('a database that cannot be reached is named: %s', async (_, url) => {
  const pool = openPool({ url });
  const error = await pool.query('SELECT 1').catch((cause: unknown) => databaseError(cause));
  expect(error).toMatchObject({ code: 'DATABASE_UNAVAILABLE', message: 'the database cannot be reached' });
  await pool.end();
});

test.each(['23505', '22P02', '42P01', '57014', '40001', '53200'])(
  'what is not about the database being there stays itself: %s',
  async (state) => {
    const error = await raised(state);
    expect(error).toMatchObject({ code: state });
    expect(databaseError(error)).toBe(error);
  },
);

test('what is not of the database stays itself', () => {
  for (const error of [new Error('x'), null, undefined, 'x', { code: 7 }]) expect(databaseError(error)).toBe(error);
});
