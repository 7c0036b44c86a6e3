import { openPool } from '@weir/postgres';
import type { TestDatabase } from '@weir/postgres/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { numbered, record, until } from '../behaviour/harness.ts';
import { Witness } from '../behaviour/witness.ts';
import { type Client, logDatabase, openClient } from './testing.ts';

let database: TestDatabase;
let client: Client;
beforeEach(async () => {
  database = await logDatabase();
  client = await openClient(database);
});
afterEach(async () => {
  await client.log.close();
  await client.session.close();
  await database.drop();
});

/** Cuts every database connection and blocks new ones until the returned function runs. */
async function cutOff(): Promise<() => Promise<void>> {
  const server = openPool({ url: Object.assign(new URL(database.url), { pathname: '/postgres' }).toString(), max: 1 });
  const name = new URL(database.url).pathname.slice(1);
  await server.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
  await server.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name]);
  return async () => {
    await server.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
    await server.end();
  };
}

test('publish says that the log is away, and a subscription goes on by itself when it is back', async () => {
  const { log, errors } = client;
  await log.createTopics([{ name: 't', partitions: 2 }]);
  const witness = new Witness();
  const subscription = await log.subscribe({
    group: 'g',
    topics: ['t'],
    maxInFlight: 10,
    maxBatch: 5,
    handle: (records) => witness.watch(records, () => Promise.resolve()),
  });
  await log.publish(numbered('t', 20, 5));
  await until('it consumes', () => witness.values.length === 20);
  const restore = await cutOff();
  await expect(log.publish([record('t', 'key-0', 'lost')])).rejects.toMatchObject({ code: 'LOG_UNAVAILABLE', retriable: true });
  await until('the loops have noticed', () => errors.length > 0);
  await restore();
  await until('it can publish again', () =>
    log.publish([record('t', 'key-0', '20')]).then(
      () => true,
      () => false,
    ),
  );
  await until('it consumes again', () => witness.values.includes('20'));
  expect(subscription.assigned.length).toBe(2);
  expect(witness.outOfOrder).toEqual([]);
});

test('closes within its limits while the database is away', async () => {
  const { log } = client;
  await log.createTopics([{ name: 't', partitions: 1 }]);
  await log.subscribe({ group: 'g', topics: ['t'], maxInFlight: 10, maxBatch: 5, handle: () => Promise.resolve() });
  const restore = await cutOff();
  await log.close();
  await restore();
});

test('a statement that gets no answer fails in time, and its connection is not used again', async () => {
  const { log, pool } = client;
  await log.createTopics([{ name: 't', partitions: 1 }]);
  const blocker = await pool.connect();
  await blocker.query('BEGIN; LOCK TABLE log.topics IN ACCESS EXCLUSIVE MODE');
  await expect(log.partitions('t')).rejects.toMatchObject({ code: 'LOG_UNAVAILABLE', retriable: true });
  await blocker.query('ROLLBACK');
  blocker.release();
  expect(await log.partitions('t')).toBe(1);
});
