import type { TestDatabase } from '@weir/postgres/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { numbered, readAll, text, totalLag, until } from '../behaviour/harness.ts';
import { type Client, logDatabase, openClient } from './testing.ts';
import { trimLog } from './trim.ts';

let database: TestDatabase;
let client: Client;
beforeEach(async () => {
  database = await logDatabase();
  client = await openClient(database);
  await client.log.createTopics([{ name: 't', partitions: 2 }]);
});
afterEach(async () => {
  await client.log.close();
  await client.session.close();
  await database.drop();
});

const consume = (group: string, seen: string[]) =>
  client.log.subscribe({
    group,
    topics: ['t'],
    maxInFlight: 10,
    maxBatch: 10,
    handle: async (records) => void seen.push(...records.map(text)),
  });
const age = (ms: number) => database.pool.query('UPDATE log.records SET appended_at_ms = appended_at_ms - $1', [ms]);

test('deletes what is old and committed by every group, and nothing else', async () => {
  const { log } = client;
  const seen: string[] = [];
  await (await consume('idle', [])).stop();
  await log.publish(numbered('t', 40, 20));
  const busy = await consume('busy', seen);
  await until('one group has read all', async () => seen.length === 40 && (await totalLag(log, 'busy')) === 0n);
  await age(3_600_000);
  expect(await trimLog(database.pool, 60_000), 'one group has not read it').toBe(0);

  await consume('idle', seen);
  await until('both have read all', async () => (await totalLag(log, 'idle')) === 0n);
  await busy.stop();
  await log.publish(numbered('t', 50, 20).slice(40));
  expect(await trimLog(database.pool, 7_200_000), 'not old enough').toBe(0);
  expect(await trimLog(database.pool, 60_000)).toBe(40);
  expect((await readAll(log, 't')).map(text).sort()).toEqual(numbered('t', 50, 20).slice(40).map(text).sort());
  expect(await totalLag(log, 'busy')).toBe(10n);

  const late: string[] = [];
  await consume('late', late);
  await until('a new group stops, for it has missed what is gone', () => client.errors.length === 2);
  expect(await trimLog(database.pool, 0), 'it has not gone on').toBe(0);
  await log.resume((await log.lag('late')).flatMap(({ gap }) => gap ?? []));
  await until('it goes on while it runs', () => late.length === 10);
  expect(await totalLag(log, 'late')).toBeLessThanOrEqual(10n);
});

test('leaves a topic alone that nobody has ever read', async () => {
  await client.log.publish(numbered('t', 5, 5));
  await age(3_600_000);
  expect(await trimLog(database.pool, 0)).toBe(0);
});
