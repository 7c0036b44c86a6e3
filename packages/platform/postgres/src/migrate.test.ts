import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Migration, migrate, type Pool } from './index.ts';
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

test('a step whose text has changed is refused', async () => {
  await migrate(db.pool, 'm', [first]);
  await expect(migrate(db.pool, 'm', [{ ...first, sql: `${first.sql} ` }, second])).rejects.toMatchObject({ code: 'DATA_FOLDER_VERSION' });
  expect([await steps(), await has('second')]).toEqual([[first.id], false]);
});

test('a step that fails leaves nothing of it; the steps before it stay, and the next attempt goes on after them', async () => {
  const broken = { id: 'm/0002-broken', sql: 'CREATE TABLE half (n int); CREATE TABLE half (n int)' };
  await expect(migrate(db.pool, 'm', [first, broken])).rejects.toMatchObject({ code: '42P07' });
  expect([await steps(), await has('half')]).toEqual([[first.id], false]);
  await migrate(db.pool, 'm', [first, second]);
  expect(await steps()).toEqual([first.id, second.id]);
});

describe('a program and a database of another version', () => {
  const expand: Migration = { id: 'm/0003-expand', sql: 'ALTER TABLE second ADD COLUMN text text' };
  const contract: Migration = { id: 'm/0004-contract', sql: 'ALTER TABLE second DROP COLUMN n', requires: expand.id };

  test('a program of the version before starts on a database that has later steps', async () => {
    await migrate(db.pool, 'm', [first, second, expand]);
    await migrate(db.pool, 'm', [first, second]);
    await migrate(db.pool, 'm', [first]);
    expect(await steps()).toEqual([first.id, second.id, expand.id]);
  });

  test('a program that does not know the step which a later one requires is refused', async () => {
    await migrate(db.pool, 'm', [first, second, expand, contract]);
    await migrate(db.pool, 'm', [first, second, expand]);
    await expect(migrate(db.pool, 'm', [first, second])).rejects.toMatchObject({
      code: 'DATA_FOLDER_VERSION',
      retriable: false,
      message: 'the data was written by another version of Weir (m/0004-contract)',
    });
  });

  test('a refused program applies nothing', async () => {
    await migrate(db.pool, 'm', [first, second, expand, contract]);
    const own = { id: 'm/0005-own', sql: 'CREATE TABLE own (n int)' };
    await expect(migrate(db.pool, 'm', [first, second, own])).rejects.toMatchObject({ code: 'DATA_FOLDER_VERSION' });
    expect(await has('own')).toBe(false);
  });
});

describe('a large table', () => {
  const rows = 20_000;
  const count = async (condition: string): Promise<unknown> =>
    (await db.pool.query(`SELECT count(*)::int AS n FROM first WHERE ${condition}`)).rows[0]?.['n'];
  const batches: Migration = {
    id: 'm/0002-batches',
    kind: 'batches',
    sql: 'UPDATE first SET n = -n WHERE ctid IN (SELECT ctid FROM first WHERE n > 0 LIMIT 1500)',
  };
  const index: Migration = {
    id: 'm/0002-index',
    kind: 'index',
    index: 'first_n',
    sql: 'CREATE INDEX CONCURRENTLY first_n ON first (n)',
  };
  /** A service's pool, with a short statement limit. */
  const impatient = (): Pool => db.openPool({ statementTimeoutMs: 1_000 });
  const waiting = async (query: string): Promise<void> =>
    vi.waitFor(
      async () =>
        expect(
          (
            await db.pool.query(
              `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND starts_with(query, $1)`,
              [query],
            )
          ).rowCount,
        ).toBe(1),
      { timeout: 20_000 },
    );
  beforeEach(async () => {
    await migrate(db.pool, 'm', [first]);
    await db.pool.query('INSERT INTO first SELECT generate_series(1, $1::int)', [rows]);
  });

  test('a step that takes longer than the statement timeout of the pool is applied', async () => {
    await migrate(impatient(), 'm', [first, { id: 'm/0002-long', sql: 'SELECT pg_sleep(1.5); CREATE TABLE late (n int)' }]);
    expect(await has('late')).toBe(true);
  });

  test('a step in batches changes all rows, in transactions of their own', async () => {
    const sizes = { id: 'm/0002-sizes', sql: 'CREATE TABLE sizes AS SELECT DISTINCT xmin::text AS id FROM first' };
    await migrate(impatient(), 'm', [first, batches, sizes]);
    expect([await count('n < 0'), (await db.pool.query('SELECT FROM sizes')).rowCount]).toEqual([rows, Math.ceil(rows / 1500)]);
  });

  test('an index is built while writers go on', async () => {
    const reader = await db.openPool().connect();
    await reader.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM first');
    const migrating = migrate(impatient(), 'm', [first, index]);
    await waiting('CREATE INDEX CONCURRENTLY');
    const writer = impatient();
    await writer.query('INSERT INTO first VALUES (0)');
    await writer.query('UPDATE first SET n = 0 WHERE n = 1');
    await reader.query('COMMIT');
    reader.release();
    await migrating;
    expect(await count('n = 0')).toBe(2);
    expect(await steps()).toEqual([first.id, index.id]);
  });

  test('an index whose build was interrupted is built anew, and one that was built without being recorded is kept', async () => {
    const reader = await db.openPool().connect();
    await reader.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM first');
    const migrating = expect(migrate(db.pool, 'm', [first, index])).rejects.toMatchObject({ code: '57P01' });
    await waiting('CREATE INDEX CONCURRENTLY');
    await db.pool.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE starts_with(query, 'CREATE INDEX CONCURRENTLY')`);
    await migrating;
    await reader.query('COMMIT');
    reader.release();
    const oid = async () =>
      (await db.pool.query(`SELECT indexrelid, indisvalid FROM pg_index WHERE indexrelid = 'first_n'::regclass`)).rows[0];
    expect(await oid()).toMatchObject({ indisvalid: false });
    await migrate(db.pool, 'm', [first, index]);
    const built = await oid();
    expect(built).toMatchObject({ indisvalid: true });
    await db.pool.query('DELETE FROM weir.migrations WHERE id = $1', [index.id]);
    await migrate(db.pool, 'm', [first, index]);
    expect([await oid(), await steps()]).toEqual([built, [first.id, index.id]]);
  });

  test('a step that needs a lock waits a bounded time for it, so that those behind it go on, and is tried again', async () => {
    const holder = await db.openPool().connect();
    await holder.query('BEGIN; UPDATE first SET n = 0 WHERE n = 1');
    const alter: Migration = { id: 'm/0002-alter', sql: 'ALTER TABLE first ADD COLUMN text text' };
    const migrating = migrate(db.pool, 'm', [first, alter], { lockTimeoutMs: 50 });
    await waiting(alter.sql);
    // Longer than the step's limit: otherwise the step would block it until the lock's owner commits.
    const writer = db.openPool({ statementTimeoutMs: 5_000 });
    await writer.query('INSERT INTO first VALUES (0)');
    await waiting(alter.sql);
    await holder.query('COMMIT');
    holder.release();
    await migrating;
    expect(await count(`n = 0 AND text IS NULL`)).toBe(2);
  });

  test('a step whose lock is never free ends with an error that names it', async () => {
    const holder = await db.openPool().connect();
    await holder.query('BEGIN; UPDATE first SET n = 0 WHERE n = 1');
    const alter: Migration = { id: 'm/0002-alter', sql: 'ALTER TABLE first ADD COLUMN text text' };
    await expect(migrate(db.pool, 'm', [first, alter], { lockTimeoutMs: 20, waitLimitMs: 100 })).rejects.toMatchObject({
      code: 'MIGRATION_BLOCKED',
      retriable: true,
      message: 'the database could not be migrated: others hold locks that the migration m/0002-alter needs',
    });
    holder.release(true);
  });

  test('while a later version migrates, the version before starts and works, a second process of the later one waits its turn', async () => {
    const holder = await db.openPool().connect();
    await holder.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM first');
    const after = { id: 'm/0003-after', sql: 'ALTER TABLE first ADD COLUMN text text' };
    const later = [first, index, after];
    const migrating = migrate(db.pool, 'm', later);
    await waiting('CREATE INDEX CONCURRENTLY');
    const before = impatient();
    await migrate(before, 'm', [first]);
    await before.query('INSERT INTO first (n) VALUES (0)');
    const blocked = { code: 'MIGRATION_BLOCKED', message: 'the database could not be migrated: another process migrates this database' };
    await expect(migrate(db.openPool(), 'm', later, { waitLimitMs: 100 })).rejects.toMatchObject(blocked);
    const another = migrate(db.openPool(), 'm', later);
    await holder.query('COMMIT');
    holder.release();
    await Promise.all([migrating, another]);
    await migrate(before, 'm', [first]);
    await before.query('INSERT INTO first (n) VALUES (0)');
    expect([await steps(), await count('n = 0')]).toEqual([[first.id, index.id, after.id], 2]);
  });
});
