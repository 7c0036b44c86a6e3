import { afterEach, beforeEach, expect, test } from 'vitest';
import { advisoryLock, advisoryLockOf, advisoryLocksOf, type LockMode, lockNames } from './index.ts';
import { lockKeys } from './advisory-locks.ts';
import { transaction } from './pool.ts';
import { createTestDatabase, type TestDatabase } from './testing.ts';

let db: TestDatabase;
beforeEach(async () => {
  db = await createTestDatabase();
});
afterEach(() => db.drop());

const isFree = async (name: (typeof lockNames)[number]): Promise<boolean> =>
  (await db.pool.query<{ free: boolean }>(`SELECT ${advisoryLock(name, 'try')} AS free`)).rows[0]?.free ?? false;

test('each name has a key of its own', () => {
  expect(new Set(lockNames).size).toBe(lockNames.length);
  expect(new Set(Object.values(lockKeys)).size).toBe(lockNames.length);
});

test('a key follows from its name alone: migrations contain keys', () => {
  expect(lockKeys['score-storage']).toBe(-4264886421837159471n);
});

test.each(lockNames)('while %s is held, every other lock is free', async (held) => {
  await transaction(db.openPool(), async (tx) => {
    await tx.query(`SELECT ${advisoryLock(held)}`);
    const free = await Promise.all(lockNames.map(isFree));
    expect(lockNames.filter((_, n) => !free[n])).toEqual([held]);
  });
  expect(await isFree(held)).toBe(true);
});

test.each<[LockMode, LockMode, boolean]>([
  ['shared', 'shared', true],
  ['shared', 'try', false],
  ['exclusive', 'try', false],
  ['try', 'try', false],
  ['session', 'try-session', false],
])('%s lets %s in: %s', async (first, second, expected) => {
  const [one, two] = [await db.pool.connect(), await db.openPool().connect()];
  try {
    for (const client of [one, two]) await client.query(`BEGIN; SET LOCAL lock_timeout = 200`);
    await one.query(`SELECT ${advisoryLock('audit-append', first)}`);
    const { rows } = await two.query<{ got: unknown }>(`SELECT ${advisoryLock('audit-append', second)} AS got`);
    expect(rows[0]?.got !== false).toBe(expected);
  } finally {
    one.release(true);
    two.release(true);
  }
});

test('members of one lock are locked one by one, and in one order', async () => {
  const waits = (member: string): Promise<unknown> =>
    transaction(db.openPool(), (tx) => tx.query(`SELECT ${advisoryLockOf('user-history', '$1')}`, [member]), { lockTimeoutMs: 1_000 });
  await transaction(db.pool, async (tx) => {
    await tx.query(advisoryLocksOf('user-history', '$1::text[]'), [['b', 'a', 'b']]);
    await waits('c');
    await expect(waits('a')).rejects.toMatchObject({ code: '55P03' });
    await expect(waits('b')).rejects.toMatchObject({ code: '55P03' });
  });
  const pools = [db.openPool(), db.openPool()];
  const members = Array.from({ length: 50 }, (_, n) => `user-${n}`);
  const both = (one: readonly string[], pool = pools[0] ?? db.pool): Promise<unknown> =>
    transaction(pool, (tx) => tx.query(advisoryLocksOf('user-history', '$1::text[]'), [one]));
  for (let n = 0; n < 20; n += 1) await Promise.all([both(members), both(members.toReversed(), pools[1])]);
});
