import type { TestDatabase } from '@weir/postgres/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { record, until } from '../behaviour/harness.ts';
import type { LogRecord } from '../port.ts';
import { type Client, logDatabase, openClient } from './testing.ts';

let database: TestDatabase;
let clients: Client[];
beforeEach(async () => {
  database = await logDatabase();
  clients = [await openClient(database), await openClient(database), await openClient(database)];
});
afterEach(async () => {
  for (const { log, session } of clients) {
    await log.close();
    await session.close();
  }
  await database.drop();
});

test('a reader that follows closely never skips a record that is committed late', async () => {
  const [reader, ...publishers] = clients.map((client) => client.log);
  if (reader === undefined) throw new Error('no reader');
  await reader.createTopics([
    { name: 'a', partitions: 1 },
    { name: 'b', partitions: 1 },
  ]);
  const rounds = 150;
  let publishing = true;
  const published = Promise.all(
    publishers.map(async (log, p) => {
      // Alternating topic order makes transactions overlap in every way.
      for (let i = 0; i < rounds; i++) {
        const both = [record('a', `${p}-${i}`), record('b', `${p}-${i}`)];
        await log.publish(i % 2 === p % 2 ? both : both.toReversed());
      }
    }),
  ).finally(() => {
    publishing = false;
  });
  const followed: LogRecord[] = [];
  let next = 0n;
  await until('the reader has all', async () => {
    const done = !publishing;
    const records = await reader.read('a', 0, next, 10);
    followed.push(...records);
    next = (records.at(-1)?.offset ?? next - 1n) + 1n;
    return done && records.length === 0;
  });
  await published;
  expect(followed.map((each) => each.offset)).toEqual(Array.from({ length: rounds * publishers.length }, (_, i) => BigInt(i)));
});

test('a transaction under way makes readers wait for it instead of passing it by', async () => {
  const [one, two] = clients;
  if (one === undefined || two === undefined) throw new Error('no clients');
  await one.log.createTopics([{ name: 'a', partitions: 1 }]);
  const open = await one.pool.connect();
  await open.query(`BEGIN; SELECT log.append('{a}', '{1}', '{0}', '{first}', ARRAY['{}'::jsonb], '{0}', '{0}', '')`);
  const second = two.log.publish([record('a', 'second')]);
  await until('the second waits for the first', async () => {
    const { rows } = await database.pool.query(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    return rows.length > 0;
  });
  expect(await one.log.read('a', 0, 0n, 10)).toEqual([]);
  await open.query('COMMIT');
  open.release();
  await second;
  expect((await one.log.read('a', 0, 0n, 10)).map(({ key, offset }) => [key, offset])).toEqual([
    ['first', 0n],
    ['second', 1n],
  ]);
});
