import { randomBytes } from 'node:crypto';
import { systemClock } from '@weir/clock';
import { eventId, type Kind, screeningId } from '@weir/contracts';
import { openPool, openSession, type Pool, type Queryable, urlOfRole } from '@weir/postgres';
import { migrateDatabase } from '@weir/installation/services';
import { createTestDatabase, type TestDatabase } from '@weir/postgres/testing';
import {
  combinedRoles,
  createLogger,
  databaseAccess,
  type DatabaseUser,
  openPipeline,
  pipelineRole,
  roleOf,
  serviceNames as services,
} from '@weir/service-kit';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { examineRoles } from '../doctor/roles.ts';

const logger = createLogger({ service: 'test', level: 'silent' });
const options = { clock: systemClock, logger, combined: combinedRoles };
const denied = { code: '42501' };

let db: TestDatabase;
const pools = new Map<DatabaseUser, Pool>();
beforeAll(async () => {
  db = await createTestDatabase();
  await migrateDatabase(db.url, options);
  for (const service of services) pools.set(service, db.openPool({ url: urlOfRole(db.url, roleOf(service)), max: 1 }));
});
afterAll(() => db.drop());

const as = (service: DatabaseUser): Pool => pools.get(service) ?? db.pool;

interface Relation extends Record<string, unknown> {
  readonly name: string;
  readonly schema: string;
  readonly isView: boolean;
}

async function relations(on: Queryable): Promise<Relation[]> {
  const { rows } = await on.query<Relation>(
    `SELECT n.nspname AS schema, n.nspname || '.' || c.relname AS name, c.relkind = 'v' AS "isView" FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE c.relkind IN ('r', 'p', 'v') AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema' ORDER BY 2`,
  );
  return rows;
}

/** Privileges of a role, as `relation privilege` and `relation.column privilege`. */
async function held(on: Queryable, role: string): Promise<string[]> {
  const { rows } = await on.query<{ held: string }>(
    `SELECT table_schema || '.' || table_name || ' ' || privilege_type AS held FROM information_schema.role_table_grants WHERE grantee = $1
     UNION SELECT table_schema || '.' || table_name || '.' || column_name || ' ' || privilege_type FROM information_schema.column_privileges c
     WHERE grantee = $1 AND NOT EXISTS (SELECT FROM information_schema.role_table_grants t WHERE t.grantee = c.grantee
       AND (t.table_schema, t.table_name, t.privilege_type) = (c.table_schema, c.table_name, c.privilege_type)) ORDER BY 1`,
    [role],
  );
  return rows.map((row) => row.held);
}

/** Its tables and views in databaseAccess. */
const relationsOf = (role: string): [string, string][] =>
  Object.entries(databaseAccess[role] ?? {}).filter(([relation, privileges]) => relation !== 'database' && privileges !== 'USAGE');

/** The same, from databaseAccess. */
function wanted(all: readonly Relation[], role: string): string[] {
  return relationsOf(role)
    .flatMap(([relation, privileges]) => {
      const names = all.filter(({ name, schema }) => name === relation || relation === `${schema}.*`).map(({ name }) => name);
      return names.flatMap((name) =>
        [...privileges.matchAll(/([A-Z]+)(?: \(([^)]*)\))?/g)].flatMap(([, privilege, columns]) =>
          columns === undefined ? [`${name} ${privilege}`] : columns.split(', ').map((column) => `${name}.${column} ${privilege}`),
        ),
      );
    })
    .toSorted();
}

const forbidden = [
  'CREATE TABLE public.own (n int)',
  'CREATE SCHEMA own',
  'CREATE FUNCTION public.own() RETURNS int LANGUAGE sql RETURN 1',
  'CREATE TABLE weir.own (n int)',
  'CREATE ROLE weir_other',
  'ALTER TABLE weir.migrations ADD COLUMN own text',
  'ALTER TABLE audit.entries DISABLE TRIGGER ALL',
  'ALTER TABLE audit.entries DISABLE TRIGGER entries_append_only',
  'ALTER TABLE outbox.events DISABLE ROW LEVEL SECURITY',
  'ALTER TABLE intake.transfers DISABLE ROW LEVEL SECURITY',
  'DROP TRIGGER entries_append_only ON audit.entries',
  'CREATE OR REPLACE FUNCTION audit.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN OLD; END $$',
  'DROP TABLE weir.migrations',
  'DROP SCHEMA weir CASCADE',
  'SET session_replication_role = replica',
  "INSERT INTO weir.migrations (id, module, sha256) VALUES ('x', 'x', 'x')",
  'UPDATE weir.migrations SET requires = id',
];

describe.each(services)('%s', (service) => {
  test('holds what the table of the services says, and nothing else', async () => {
    const all = await relations(db.pool);
    expect((await held(db.pool, roleOf(service))).toSorted()).toEqual(wanted(all, roleOf(service)));
    for (const [relation] of relationsOf(roleOf(service)))
      expect(
        all.some(({ name, schema }) => name === relation || relation === `${schema}.*`),
        relation,
      ).toBe(true);
  });

  test.each(forbidden)('cannot %s', async (sql) => {
    await expect(as(service).query(sql)).rejects.toMatchObject(denied);
  });

  test('makes temporary tables if it sorts batches of transfers, and else none', async () => {
    const made = as(service).query('CREATE TEMP TABLE own (n int)');
    if (service === 'chain-follower') await made;
    else await expect(made).rejects.toMatchObject(denied);
  });

  test('cannot write a table that is not its own', async () => {
    const own = relationsOf(roleOf(service)).map(([relation]) => relation);
    const others = (await relations(db.pool)).filter(
      ({ name, schema, isView }) => !isView && !own.includes(name) && !own.includes(`${schema}.*`),
    );
    expect(others.length).toBeGreaterThan(0);
    for (const { name } of others) {
      await expect(as(service).query(`INSERT INTO ${name} DEFAULT VALUES`), name).rejects.toMatchObject(denied);
      await expect(as(service).query(`DELETE FROM ${name}`), name).rejects.toMatchObject(denied);
      await expect(as(service).query(`TRUNCATE ${name}`), name).rejects.toMatchObject(denied);
    }
  });
});

const auditChanges = [
  'DELETE FROM audit.entries',
  "UPDATE audit.entries SET key = 'x'",
  'TRUNCATE audit.entries',
  'ALTER TABLE audit.entries DISABLE TRIGGER ALL',
  'SET session_replication_role = replica',
];

test.each(services)('no service can delete from the audit log or disable its triggers: %s', async (service) => {
  for (const sql of auditChanges) await expect(as(service).query(sql), sql).rejects.toMatchObject(denied);
});

test.each<[string, DatabaseUser, string]>([
  [
    'the risk API cannot insert a permit key',
    'risk-api',
    `INSERT INTO gate.keys (kid, public_jwk, private_key, signs_from) VALUES ('k', '{}', 'x', now())`,
  ],
  ['the risk API cannot make itself a key', 'risk-api', `INSERT INTO risk.api_keys DEFAULT VALUES`],
  ['the risk API cannot read the tokens of the pipeline', 'risk-api', 'SELECT FROM access.tokens'],
  ['the risk API cannot read the log', 'risk-api', 'SELECT FROM log.records'],
  ['the risk API cannot change a label', 'risk-api', `UPDATE chain.labels SET category = 'exchange'`],
  ['the console cannot make itself an approver', 'console', 'INSERT INTO access.tokens DEFAULT VALUES'],
  ['the console cannot write a decision', 'console', 'INSERT INTO decision.decisions DEFAULT VALUES'],
  ['decision cannot write a resolution', 'decision', 'INSERT INTO console.resolutions DEFAULT VALUES'],
  ['decision cannot read notes', 'decision', 'SELECT FROM console.notes'],
  ['decision cannot insert a permit', 'decision', 'INSERT INTO gate.permits DEFAULT VALUES'],
  ['the gate cannot change a policy', 'withdrawal-gate', 'INSERT INTO decision.policy_changes DEFAULT VALUES'],
  ['chain-follower cannot make a label', 'chain-follower', 'INSERT INTO chain.labels DEFAULT VALUES'],
  ['chain-follower cannot read an import', 'chain-follower', 'SELECT FROM chain.import_runs'],
  ['scoring cannot change a label', 'scoring', 'DELETE FROM chain.labels'],
  ['a decision that was made is not changed', 'decision', `UPDATE decision.decisions SET action = 'allow'`],
  ['only the audit-writer appends to the audit log', 'decision', 'INSERT INTO audit.entries DEFAULT VALUES'],
])('%s', async (_name, service, sql) => {
  await expect(as(service).query(sql)).rejects.toMatchObject(denied);
});

/** Anybody can derive this id before decision stores its event. */
const derivedId = eventId('screenings.decided', screeningId('withdrawal', 'w-1'), 2);
const event = `(event_id, service, topic, key, value, headers) VALUES ('${derivedId}', $1, 'screenings.decided', 'w-1', '', '{}')`;
const batch = `INSERT INTO outbox.batches (service, event_ids) VALUES ('decision', '{${derivedId}}')`;
const writers = ['deposit-ingest', 'console', 'scoring', 'withdrawal-gate'] as const;

test('a service cannot publish in the name of another through the outbox, nor hide or delete its events', async () => {
  await as('decision').query(`INSERT INTO outbox.events ${event}`, ['decision']);
  await as('decision').query(batch);
  for (const service of writers) {
    await expect(as(service).query(`INSERT INTO outbox.events ${event}`, ['decision'])).rejects.toMatchObject(denied);
    expect((await as(service).query('UPDATE outbox.events SET published = true')).rowCount).toBe(0);
    expect((await as(service).query('DELETE FROM outbox.events')).rowCount).toBe(0);
    await expect(as(service).query(batch)).rejects.toMatchObject(denied);
    expect((await as(service).query('DELETE FROM outbox.batches')).rowCount).toBe(0);
  }
  expect((await as('withdrawal-gate').query('SELECT FROM outbox.events')).rowCount).toBe(1);
  expect((await as('decision').query('DELETE FROM outbox.events')).rowCount).toBe(1);
  expect((await as('decision').query('DELETE FROM outbox.batches')).rowCount).toBe(1);
});

test('a service that stores the derived id of the event of another first neither takes its place nor keeps it out', async () => {
  for (const service of writers) await as(service).query(`INSERT INTO outbox.events ${event}`, [service]);
  await as('decision').query(`INSERT INTO outbox.events ${event}`, ['decision']);
  const { rows } = await as('withdrawal-gate').query(`SELECT service FROM outbox.events WHERE event_id = $1 AND service = 'decision'`, [
    derivedId,
  ]);
  expect(rows).toHaveLength(1);
  for (const service of [...writers, 'decision'] as const)
    expect((await as(service).query('DELETE FROM outbox.events')).rowCount, service).toBe(1);
});

test('a service writes only the runs of its own jobs, and reads those of all', async () => {
  const insert = `INSERT INTO weir.jobs (service, name) VALUES ($1, 'trim')`;
  for (const service of services) await as(service).query(insert, [service]);
  for (const service of services) {
    for (const other of ['weir', 'pipeline', services.find((each) => each !== service)])
      await expect(as(service).query(insert.replace('trim', 'other'), [other]), `${service}: ${other}`).rejects.toMatchObject(denied);
    expect((await as(service).query(`UPDATE weir.jobs SET failure = 'x'`)).rowCount, service).toBe(1);
    await expect(as(service).query('DELETE FROM weir.jobs')).rejects.toMatchObject(denied);
    expect((await as(service).query('SELECT FROM weir.jobs')).rowCount).toBe(services.length);
  }
  const together = db.openPool({ url: urlOfRole(db.url, pipelineRole), max: 1 });
  await together.query(insert, ['pipeline']);
  for (const other of ['weir', 'risk-api']) await expect(together.query(insert, [other]), other).rejects.toMatchObject(denied);
  await db.pool.query('DELETE FROM weir.jobs');
});

describe('deposit-ingest and the gate share the table of transfers:', () => {
  const kinds = [
    ['deposit-ingest', 'deposit', 'withdrawal-gate', 'withdrawal'],
    ['withdrawal-gate', 'withdrawal', 'deposit-ingest', 'deposit'],
  ] as const;
  const store = (service: DatabaseUser, id: string, kind: Kind) =>
    as(service).query(
      `INSERT INTO intake.transfers (screening_id, given, request) VALUES ($1, '{}', jsonb_build_object('kind', $2::text))`,
      [id, kind],
    );
  afterEach(() => db.pool.query('DELETE FROM intake.transfers'));

  test.each(kinds)('%s neither stores a transfer of the other kind nor reads one', async (service, own, other, foreign) => {
    await store(other, screeningId(foreign, 'kinds'), foreign);
    await expect(store(service, screeningId(foreign, 'kinds-2'), foreign)).rejects.toMatchObject(denied);
    await store(service, screeningId(own, 'kinds'), own);
    const { rows } = await as(service).query("SELECT request ->> 'kind' AS kind FROM intake.transfers");
    expect(rows).toEqual([{ kind: own }]);
  });

  test.each(kinds)('%s keeps no transfer of the other kind out by storing its screening id first', async (service, own, other, foreign) => {
    const id = screeningId(foreign, 'taken');
    await store(service, id, own);
    await store(other, id, foreign);
    const { rows } = await as(other).query("SELECT request ->> 'kind' AS kind FROM intake.transfers WHERE screening_id = $1", [id]);
    expect(rows).toEqual([{ kind: foreign }]);
  });
});

describe('a process that runs every service of the pipeline', () => {
  let together: Pool;
  beforeAll(() => {
    together = db.openPool({ url: urlOfRole(db.url, pipelineRole), max: 1 });
  });
  const memberships = async (): Promise<string[]> => {
    const { rows } = await db.pool.query<{ part: string }>(
      `SELECT DISTINCT roleid::regrole::text AS part FROM pg_auth_members WHERE member = $1::regrole`,
      [pipelineRole],
    );
    return rows.map(({ part }) => part).toSorted();
  };

  test('holds the privileges of its services alone, and none of its own', async () => {
    expect(await held(db.pool, pipelineRole)).toEqual([]);
    expect(await memberships()).toEqual(
      services
        .filter((service) => service !== 'risk-api' && service !== 'chain-follower')
        .map(roleOf)
        .toSorted(),
    );
  });

  test.each([...forbidden, ...auditChanges])('cannot %s', async (sql) => {
    await expect(together.query(sql)).rejects.toMatchObject(denied);
  });

  test.each(['access.tokens', 'chain.labels', 'risk.api_keys', 'risk.tasks', 'schemas.schemas'])('cannot write %s', async (table) => {
    await expect(together.query(`INSERT INTO ${table} DEFAULT VALUES`)).rejects.toMatchObject(denied);
  });

  test('publishes in the name of its services, and of no other', async () => {
    for (const service of [...writers, 'decision']) await together.query(`INSERT INTO outbox.events ${event}`, [service]);
    for (const service of ['risk-api', 'weir', 'Decision', 'pipeline", "weir_decision'])
      await expect(together.query(`INSERT INTO outbox.events ${event}`, [service]), service).rejects.toMatchObject(denied);
    expect((await together.query('DELETE FROM outbox.events')).rowCount).toBe(writers.length + 1);
  });

  test('reads and stores transfers of both kinds', async () => {
    for (const kind of ['deposit', 'withdrawal'] as const)
      await together.query(
        `INSERT INTO intake.transfers (screening_id, given, request) VALUES ($1, '{}', jsonb_build_object('kind', $2::text))`,
        [screeningId(kind, 'together'), kind],
      );
    expect((await together.query('SELECT FROM intake.transfers')).rowCount).toBe(2);
    await db.pool.query('DELETE FROM intake.transfers');
  });

  test('loses a membership that somebody granted by hand', async () => {
    const before = await memberships();
    await db.pool.query(`GRANT weir_risk_api TO ${pipelineRole}; REVOKE weir_decision FROM ${pipelineRole}`);
    await migrateDatabase(db.url, options);
    expect(await memberships()).toEqual(before);
  });
});

test('a privilege that somebody granted by hand is taken away by the next migration', async () => {
  const before = await held(db.pool, 'weir_risk_api');
  await db.pool.query('GRANT ALL ON gate.keys, audit.entries TO weir_risk_api; GRANT CREATE ON SCHEMA risk TO weir_risk_api');
  expect(await held(db.pool, 'weir_risk_api')).not.toEqual(before);
  await migrateDatabase(db.url, options);
  expect(await held(db.pool, 'weir_risk_api')).toEqual(before);
  await expect(as('risk-api').query('CREATE TABLE risk.own (n int)')).rejects.toMatchObject(denied);
});

describe('a service that is not the owner', () => {
  const start = (url: string) => openPipeline({ databaseUrl: url, clock: systemClock, logger, retentionMs: 3_600_000 });

  test('does not migrate: it says which step is missing and who applies it', async () => {
    const fresh = await createTestDatabase();
    try {
      await expect(start(urlOfRole(fresh.url, 'weir_decision'))).rejects.toMatchObject({
        code: 'MIGRATION_MISSING',
        message: 'the database lacks the step session/0001-initial: run "weir migrate" as its owner',
      });
      await expect(migrateDatabase(urlOfRole(fresh.url, 'weir_decision'), options)).rejects.toMatchObject({ code: 'MIGRATION_MISSING' });
      expect(await relations(fresh.pool)).toEqual([]);
    } finally {
      await fresh.drop();
    }
  });

  test('runs on a database that a later version has migrated', async () => {
    await db.pool.query(`INSERT INTO weir.migrations (id, module, sha256) VALUES ('session/9999-next', 'session', 'of a later version')`);
    const pipeline = await start(urlOfRole(db.url, 'weir_decision'));
    await pipeline.close();
    await db.pool.query(`DELETE FROM weir.migrations WHERE id = 'session/9999-next'`);
  });
});

describe('as in production: an owner who is not superuser, and users who log in', () => {
  const names = { owner: `test_${randomBytes(6).toString('hex')}`, login: `test_${randomBytes(6).toString('hex')}` };
  const password = randomBytes(16).toString('base64url');
  let own: TestDatabase;
  const urlOf = (user: string): string => Object.assign(new URL(own.url), { username: user, password }).toString();
  beforeAll(async () => {
    own = await createTestDatabase();
    const database = new URL(own.url).pathname.slice(1);
    await own.pool.query(`CREATE ROLE ${names.owner} LOGIN PASSWORD '${password}'; ALTER DATABASE ${database} OWNER TO ${names.owner};
      REVOKE CONNECT ON DATABASE ${database} FROM PUBLIC;
      CREATE ROLE ${names.login} LOGIN PASSWORD '${password}' IN ROLE weir_decision; ALTER ROLE ${names.login} SET role = weir_decision`);
    await migrateDatabase(urlOf(names.owner), options);
  });
  afterAll(async () => {
    await own.drop();
    await db.pool.query(`DROP ROLE ${names.login}; DROP ROLE ${names.owner}`);
  });

  test('a user of the role has its privileges', async () => {
    const pool = openPool({ url: urlOf(names.login), max: 1 });
    try {
      await pool.query(`INSERT INTO outbox.events ${event}`, ['decision']);
      await expect(pool.query(`INSERT INTO outbox.events ${event}`, ['console'])).rejects.toMatchObject(denied);
      await expect(pool.query('DELETE FROM audit.entries')).rejects.toMatchObject(denied);
    } finally {
      await pool.end();
    }
  });

  test('a session of another user is seen to live, and to end', async () => {
    const session = await openSession({ url: urlOf(names.login), clock: systemClock });
    const owner = openPool({ url: urlOf(names.owner), max: 1 });
    const isAlive = async (name: string): Promise<unknown> =>
      (await owner.query('SELECT weir.session_alive($1) AS alive', [name])).rows[0]?.['alive'];
    try {
      const first = session.owner();
      expect(await isAlive(first)).toBe(true);
      await own.pool.query('SELECT pg_terminate_backend(pid) FROM weir.sessions');
      await vi.waitFor(async () => expect(await isAlive(first)).toBe(false));
    } finally {
      await session.close();
      await owner.end();
    }
  });
});

test('weir doctor names a service that runs as the owner or as a superuser, and none that runs as its role', async () => {
  const details = async (): Promise<string[]> => (await examineRoles(db.pool)).map(({ state, detail }) => `${state}: ${detail}`);
  const connected = [
    db.openPool({ url: urlOfRole(db.url, 'weir_console'), applicationName: 'weir' }),
    db.openPool({ applicationName: 'weir-decision' }),
  ];
  expect(await details()).toEqual(['ok: no service runs as the owner of the database']);
  for (const pool of connected) await pool.query('SELECT 1');
  expect(await details()).toEqual([
    expect.stringMatching(/^note: decision runs as \w+, a superuser; let it connect as weir_decision, see docs\/security.md$/),
  ]);
});
