import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { systemClock } from '@weir/clock';
import { deadLetterTopic, topics } from '@weir/contracts';
import { allMigrations, migrateDatabase } from '@weir/installation/services';
import { migrate } from '@weir/postgres';
import { createTestDatabase, type TestDatabase } from '@weir/postgres/testing';
import { combinedRoles, createLogger, type OpenPipeline, openPipeline } from '@weir/service-kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { verifyLog } from '../../packages/cli/src/audit/verify-log.ts';

/** As `capture.ts` writes it. */
interface Released {
  readonly steps: Readonly<Record<string, string>>;
  readonly tables: Readonly<Record<string, readonly Record<string, unknown>[]>>;
}

const folder = join(import.meta.dirname, 'released');
const versions = globSync('*.json', { cwd: folder }).toSorted();
const logger = createLogger({ service: 'test', level: 'silent' });

/** The tables of that version, with its rows: its steps are those of today, since the text of a step never changes. */
async function restore(db: TestDatabase, { steps, tables }: Released): Promise<void> {
  for (const [module, all] of Object.entries(allMigrations))
    await migrate(
      db.pool,
      module,
      all.filter(({ id }) => id in steps),
    );
  const client = await db.pool.connect();
  try {
    // The rows come as they were: no trigger may refuse or add any.
    await client.query('SET session_replication_role = replica');
    const { rows: filled } = await client.query<{ name: string }>(
      `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')
       AND schemaname || '.' || tablename <> 'weir.migrations'
       AND (xpath('//n/text()', query_to_xml(format('SELECT count(*) AS n FROM %I.%I', schemaname, tablename), false, true, '')))[1]::text <> '0'`,
    );
    // A step may have filled them. Those that refuse deletion are empty.
    for (const { name } of filled) await client.query(`DELETE FROM ${name}`);
    for (const [table, rows] of Object.entries(tables)) {
      const { rows: columns } = await client.query<{ name: string }>(
        `SELECT quote_ident(attname) AS name FROM pg_attribute
         WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''`,
        [table],
      );
      const names = columns.map(({ name }) => name).join(', ');
      await client.query(
        `INSERT INTO ${table} (${names}) OVERRIDING SYSTEM VALUE SELECT ${names} FROM jsonb_populate_recordset(NULL::${table}, $1::jsonb)`,
        [JSON.stringify(rows)],
      );
    }
  } finally {
    client.release(true);
  }
}

test('there is a released version', () => expect(versions.length).toBeGreaterThan(0));

describe.each(versions)('%s', (file) => {
  const text = readFileSync(join(folder, file), 'utf8');
  const released = JSON.parse(text) as Released;
  let db: TestDatabase;
  let pipeline: OpenPipeline;
  beforeAll(async () => {
    db = await createTestDatabase();
    await restore(db, released);
    await migrateDatabase(db.url, { clock: systemClock, logger, combined: combinedRoles });
    pipeline = await openPipeline({ databaseUrl: db.url, clock: systemClock, logger, poolSize: 2, retentionMs: Number.MAX_SAFE_INTEGER });
  });
  afterAll(async () => {
    await pipeline?.close();
    await db?.drop();
  });

  test('every step that it applied is there today, with the same text', async () => {
    const { rows } = await db.pool.query<{ id: string; sha256: string }>('SELECT id, sha256 FROM weir.migrations');
    const today = Object.fromEntries(rows.map(({ id, sha256 }) => [id, sha256]));
    expect(Object.fromEntries(Object.keys(released.steps).map((id) => [id, today[id]]))).toEqual(released.steps);
    const all = Object.values(allMigrations).flatMap((steps) => steps.map(({ id }) => id));
    expect(Object.keys(today).toSorted()).toEqual(all.toSorted());
  });

  test('the migrations keep every row of its transfers, decisions and audit log', async () => {
    const kept = Object.keys(released.tables).filter((name) => /^(intake|gate|scoring|decision|console|audit|log|risk|chain)\./.test(name));
    expect(kept.length).toBeGreaterThan(20);
    const counts = await Promise.all(
      kept.map(async (name) => [name, (await db.pool.query<{ n: number }>(`SELECT count(*)::int AS n FROM ${name}`)).rows[0]?.n]),
    );
    expect(Object.fromEntries(counts)).toMatchObject(Object.fromEntries(kept.map((name) => [name, released.tables[name]?.length])));
  });

  test('every record of every topic is read, and written again as a record of today', async () => {
    for (const topic of topics) {
      let read = 0;
      for (let partition = 0; partition < (await pipeline.log.partitions(topic)); partition += 1)
        for (const { value } of await pipeline.log.read(topic, partition, 0n, 1_000)) {
          const record = await pipeline.codec.decode(topic, value);
          expect(await pipeline.codec.decode(topic, pipeline.codec.encode(topic, record))).toEqual(record);
          read += 1;
        }
      expect(read, topic).toBeGreaterThan(0);
      expect(await pipeline.log.read(deadLetterTopic(topic), 0, 0n, 1)).toEqual([]);
    }
  });

  test('its audit log verifies', async () => {
    const problems: string[] = [];
    await verifyLog(db.pool, { known: { checkpoints: [], keys: undefined }, onProblem: (problem) => problems.push(problem) });
    expect(problems, basename(file)).toEqual([]);
  });
});
