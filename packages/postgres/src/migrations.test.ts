import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Migration, migrate } from './index.ts';
import { createTestDatabase, type TestDatabase } from './testing.ts';

let db: TestDatabase;
beforeEach(async () => {
  db = await createTestDatabase();
});
afterEach(() => db.drop());

const first: Migration = { id: 'm/0001-first', sql: 'CREATE TABLE first (n int)' };
const second: Migration = { id: 'm/0002-second', sql: 'CREATE TABLE second (n int); INSERT INTO second VALUES (1)' };
const steps = async () => (await db.pool.query<{ id: string }>('SELECT id FROM weir.migrations ORDER BY id')).rows.map(({ id }) => id);
const has = async (table: string) => (await db.pool.query('SELECT to_regclass($1) IS NOT NULL AS has', [table])).rows[0]?.['has'];

test('each step is applied once, and a later one is added to what is there', async () => {
  await migrate(db.pool, 'm', [first]);
  await migrate(db.pool, 'm', [first]);
  await migrate(db.pool, 'm', [first, second]);
  await migrate(db.pool, 'm', [first, second]);
  expect(await steps()).toEqual([first.id, second.id]);
  expect((await db.pool.query('SELECT n FROM second')).rows).toEqual([{ n: 1 }]);
});

test('many at once apply each step once', async () => {
  const pools = [db.pool, db.openPool()];
  await Promise.all(
    Array.from({ length: 12 }, (_, n) =>
      migrate(
        pools[n % 2] as (typeof pools)[0],
        n % 3 === 0 ? 'other' : 'm',
        n % 3 === 0 ? [{ id: 'other/0001', sql: 'CREATE SCHEMA other' }] : [first, second],
      ),
    ),
  );
  expect(await steps()).toEqual([first.id, second.id, 'other/0001']);
  expect((await db.pool.query('SELECT n FROM second')).rows).toEqual([{ n: 1 }]);
});

test('a step of a newer program is refused, and nothing is applied', async () => {
  await migrate(db.pool, 'm', [first, second]);
  const third = { id: 'm/0003-third', sql: 'CREATE TABLE third (n int)' };
  await expect(migrate(db.pool, 'm', [first, third])).rejects.toMatchObject({
    code: 'DATA_FOLDER_VERSION',
    retriable: false,
    message: 'the data was written by another version of Weir (m/0002-second)',
  });
  expect([await steps(), await has('third')]).toEqual([[first.id, second.id], false]);
});

test('a step whose text has changed is refused', async () => {
  await migrate(db.pool, 'm', [first]);
  await expect(migrate(db.pool, 'm', [{ ...first, sql: `${first.sql} ` }, second])).rejects.toMatchObject({ code: 'DATA_FOLDER_VERSION' });
  expect([await steps(), await has('second')]).toEqual([[first.id], false]);
});

test('a step that fails leaves nothing of it and of those before it', async () => {
  const broken = { id: 'm/0002-broken', sql: 'CREATE TABLE half (n int); CREATE TABLE half (n int)' };
  await expect(migrate(db.pool, 'm', [first, broken])).rejects.toMatchObject({ code: '42P07' });
  expect([await has('first'), await has('half')]).toEqual([false, false]);
  await migrate(db.pool, 'm', [first, second]);
  expect(await steps()).toEqual([first.id, second.id]);
});
