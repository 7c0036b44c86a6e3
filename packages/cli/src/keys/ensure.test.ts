import { randomBytes } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { migrate, type Pool } from '@weir/postgres';
import { createTestDatabase, type TestDatabase } from '@weir/postgres/testing';
import { accessMigrations, needsPerson, roles } from '@weir/service-kit';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { makeFolder, weir } from '../testing/weir.ts';
import { type Credentials } from '@weir/installation';
import { ensureCredentials } from '@weir/installation/services';
import { createKey, listKeys, prepareKeys } from './keys.ts';

const databases: TestDatabase[] = [];
const folders: { path: string; remove(): void }[] = [];
let file: string;
beforeEach(() => {
  const folder = makeFolder();
  folders.push(folder);
  file = join(folder.path, 'credentials.json');
});
afterAll(async () => {
  for (const folder of folders) folder.remove();
  await Promise.all(databases.map((database) => database.drop()));
});

async function newDatabase(): Promise<TestDatabase> {
  const database = await createTestDatabase();
  databases.push(database);
  return database;
}

async function newPool(): Promise<Pool> {
  const { pool } = await newDatabase();
  await migrate(pool, 'access', accessMigrations);
  await prepareKeys(pool);
  return pool;
}

const ensure = (pool: Pool): Promise<Credentials> => ensureCredentials(pool, { file, name: 'a test', random: randomBytes });
const names = async (pool: Pool): Promise<string[]> => (await listKeys(pool)).map(({ name }) => name).sort();
/** Reviewer and approver are one person with two tokens. */
const wanted = [...roles.map((role) => (needsPerson(role) ? 'a test' : `a test ${role}`)), 'a test standard', 'a test sandbox'].sort();

test('weir keys ensure makes a file that only its owner reads, lets the database know it, and prints no secret', async () => {
  const database = await newDatabase();
  const { code, stdout, stderr } = await weir(['keys', 'ensure', file, '--name', 'a test'], { env: { DATABASE_URL: database.url } });
  expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const { tokens, standard_api_key, sandbox_api_key } = JSON.parse(readFileSync(file, 'utf8')) as Credentials;
  const secrets = [...Object.values(tokens), standard_api_key, sandbox_api_key];
  expect(new Set(secrets).size).toBe(roles.length + 2);
  for (const secret of secrets) expect(stderr).not.toContain(secret);
  expect(await names(database.pool)).toEqual(wanted);
});

test('done again it changes nothing, and another database takes the same file', async () => {
  const [one, other] = [await newPool(), await newPool()];
  const made = await ensure(one);
  const content = readFileSync(file, 'utf8');
  expect(await ensure(one)).toEqual(made);
  expect(await ensure(other)).toEqual(made);
  expect(readFileSync(file, 'utf8')).toBe(content);
  expect([await names(one), await names(other)]).toEqual([wanted, wanted]);
});

test('what the file lacks is added, and the rest stays', async () => {
  const pool = await newPool();
  const { sandbox_api_key: before, ...rest } = await ensure(pool);
  writeFileSync(file, JSON.stringify({ ...rest, note: 'mine' }));
  const after = await ensure(pool);
  expect(after).toEqual({ ...rest, sandbox_api_key: expect.any(String) });
  expect(after.sandbox_api_key).not.toBe(before);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ note: 'mine' });
  expect(await names(pool)).toEqual([...wanted, 'a test sandbox'].sort());
});

test('a file that is something else is left alone', async () => {
  const pool = await newPool();
  writeFileSync(file, '{"tokens"');
  await expect(ensure(pool)).rejects.toThrow('is not a file of credentials');
  expect(readFileSync(file, 'utf8')).toBe('{"tokens"');
});

test('the limits of a token are stored and listed; without them the settings say', async () => {
  const pool = await newPool();
  expect((await createKey(pool, { role: 'ingest', name: 'slow', perSecond: 5, perDay: 50 })).view).toMatchObject({
    role: 'ingest',
    per_second: 5,
    per_day: 50,
  });
  expect((await createKey(pool, { role: 'ingest', name: 'usual' })).view).toMatchObject({ per_second: null, per_day: null });
});
