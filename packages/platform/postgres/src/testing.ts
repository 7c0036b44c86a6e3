import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@weir/clock';
import pg from 'pg';
import { type DatabaseAccess, databaseGrants } from './access.ts';
import { startEmbeddedPostgres } from './embedded.ts';
import { openPool, type Pool, type PoolOptions } from './pool.ts';

/** `startTestServer` sets it; the test workers inherit it. */
const variable = 'WEIR_TEST_POSTGRES_URL';

/** Starts one PostgreSQL for a whole test run. Returns its stop function. */
export async function startTestServer(): Promise<() => Promise<void>> {
  if (process.env[variable] !== undefined) return async () => undefined;
  const dataDir = mkdtempSync(join(tmpdir(), 'weir-test-'));
  // Several files at a time, each with replicas and processes that have their own pools.
  const server = await startEmbeddedPostgres({ dataDir, clock: systemClock, maxConnections: 400 });
  const { username, password } = new URL(server.url);
  await onServer(
    server.url,
    // Nothing outlives the run. Crash tests start their own servers.
    'ALTER SYSTEM SET fsync = off',
    'ALTER SYSTEM SET full_page_writes = off',
    'SELECT pg_reload_conf()',
    // Tests open thousands of connections, and each computes every iteration.
    'SET scram_iterations = 1',
    `ALTER ROLE ${username} PASSWORD '${password}'`,
  );
  // By TCP, as a remote server: tests put proxies in between.
  process.env[variable] = Object.assign(new URL(server.url), { search: '' }).toString();
  return async () => {
    delete process.env[variable];
    await server.stop();
    rmSync(dataDir, { recursive: true, force: true });
  };
}

export interface TestDatabase {
  readonly url: string;
  readonly pool: Pool;
  /** A further pool on the same database, to stand for another process. `drop` closes it. */
  openPool(options?: Partial<PoolOptions>): Pool;
  drop(): Promise<void>;
}

/** A migrated database, made once on the server and copied for each test. */
export interface TestTemplate {
  /** What `make` depends on; other content is another template. */
  readonly content: unknown;
  /** What `make` granted with `grantAccess`. */
  readonly access?: DatabaseAccess;
  make(url: string): Promise<void>;
}

export async function createTestDatabase(template?: TestTemplate): Promise<TestDatabase> {
  const server = process.env[variable];
  if (server === undefined) throw new Error('no test server: run the tests with vitest from the top folder');
  const name = `test_${randomBytes(6).toString('hex')}`;
  await (template === undefined ? onServer(server, copy(name, 'template0')) : copyTemplate(server, name, template));
  const url = urlOf(server, name);
  const pools: Pool[] = [];
  const open = (options: Partial<PoolOptions> = {}): Pool => {
    const pool = openPool({ url, max: 4, ...options });
    pools.push(pool);
    return pool;
  };
  return {
    url,
    pool: open(),
    openPool: open,
    drop: async () => {
      await Promise.all(pools.map((pool) => pool.end().catch(() => undefined)));
      await onServer(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    },
  };
}

/** Rows and index entries that `work` reads. Unlike time, it does not depend on load. */
export async function rowsRead(database: TestDatabase, work: (pool: Pool) => Promise<unknown>): Promise<number> {
  const pool = database.openPool({ max: 1 });
  await pool.query('BEGIN');
  await work(pool);
  const { rows } = await pool.query<{ count: bigint }>(
    `SELECT sum(pg_stat_get_xact_tuples_returned(oid))::int8 AS count FROM pg_class WHERE relkind IN ('r', 'i') AND oid >= 16384`,
  );
  await pool.query('COMMIT');
  return Number(rows[0]?.count);
}

async function copyTemplate(server: string, name: string, template: TestTemplate): Promise<void> {
  const from = `template_${createHash('sha256').update(JSON.stringify(template.content)).digest('hex').slice(0, 16)}`;
  const grants = template.access === undefined ? [] : databaseGrants(name, template.access);
  const create = (): Promise<void> => onServer(server, copy(name, from), ...grants);
  const isMissing = (error: unknown): boolean => (error as { code?: unknown }).code === '3D000';
  try {
    return await create();
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  const draft = `draft_${randomBytes(6).toString('hex')}`;
  await onServer(server, copy(draft, 'template0'));
  await template.make(urlOf(server, draft));
  // Another test file may have been first.
  await onServer(server, `ALTER DATABASE ${draft} RENAME TO ${from}`).catch(() => onServer(server, `DROP DATABASE ${draft} WITH (FORCE)`));
  await create();
}

/** A copy of the files is three times as fast as PostgreSQL's default, which logs each block. */
const copy = (name: string, from: string): string => `CREATE DATABASE ${name} TEMPLATE ${from} STRATEGY file_copy`;

const urlOf = (server: string, database: string): string => Object.assign(new URL(server), { pathname: `/${database}` }).toString();

async function onServer(url: string, ...statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    // One by one: PostgreSQL creates no database in a transaction.
    for (const sql of statements) await client.query(sql);
  } finally {
    await client.end();
  }
}
