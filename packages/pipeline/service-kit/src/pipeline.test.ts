import { systemClock } from '@weir/clock';
import { topicSpecs } from '@weir/contracts';
import { createTestDatabase, type TestDatabase } from '@weir/postgres/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createLogger, openPipeline } from './index.ts';

let db: TestDatabase;
beforeEach(async () => {
  db = await createTestDatabase();
});
afterEach(() => db.drop());

const logger = createLogger({ service: 'test', level: 'silent' });
const open = () => openPipeline({ databaseUrl: db.url, clock: systemClock, logger, retentionMs: 3_600_000 });
const connections = async () =>
  (
    await db.pool.query(
      "SELECT FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name = 'weir'",
    )
  ).rowCount;

test('several processes may open it at once; it has every topic and says when the database is away', async () => {
  const pipelines = await Promise.all([open(), open(), open()]);
  const [first] = pipelines;
  for (const { name, partitions } of topicSpecs) expect(await first?.log.partitions(name)).toBe(partitions);
  expect(await first?.unavailable()).toEqual([]);
  await Promise.all(pipelines.map((pipeline) => pipeline.close()));
  expect(await first?.unavailable()).toEqual(['database']);
});

test('what was opened before a failure is closed again', async () => {
  await (await open()).close();
  await db.pool.query("UPDATE weir.migrations SET sha256 = 'other' WHERE id LIKE 'outbox/%'");
  await expect(open()).rejects.toMatchObject({ code: 'DATA_FOLDER_VERSION' });
  await vi.waitFor(async () => expect(await connections()).toBe(0), 3_000);
});
