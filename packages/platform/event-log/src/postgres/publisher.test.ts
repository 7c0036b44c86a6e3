import { afterEach, beforeEach, expect, test } from 'vitest';
import { readAll, record, text, until } from '../behaviour/harness.ts';
import { type OneClient, openOneClient } from './testing.ts';

let client: OneClient;
beforeEach(async () => {
  client = await openOneClient();
});
afterEach(() => client.close());

async function holdAppends(): Promise<() => Promise<void>> {
  const blocker = await client.database.pool.connect();
  await blocker.query('BEGIN; LOCK TABLE log.partitions IN EXCLUSIVE MODE');
  return async () => {
    await blocker.query('COMMIT');
    blocker.release();
  };
}

test('calls that come while a transaction is under way share the next one', async () => {
  const release = await holdAppends();
  const calls = Array.from({ length: 60 }, (_, i) => client.log.publish([record('t', 'k', String(i))]));
  await until('the first waits', async () => {
    const { rows } = await client.database.pool.query(`SELECT FROM pg_locks WHERE relation = 'log.partitions'::regclass AND NOT granted`);
    return rows.length > 0;
  });
  calls.push(...Array.from({ length: 60 }, (_, i) => client.log.publish([record('t', 'k', String(60 + i))])));
  await release();
  await Promise.all(calls);
  expect((await readAll(client.log, 't')).map(text)).toEqual(calls.map((_, i) => String(i)));
  const { rows } = await client.database.pool.query('SELECT DISTINCT xmin::text FROM log.records');
  expect(rows).toHaveLength(2);
});

test('refuses more than may wait, writes what it took, and hands out values as large as a whole read', async () => {
  const large = Buffer.alloc(8 * 1024 * 1024, 1);
  const release = await holdAppends();
  const taken = Array.from({ length: 7 }, (_, i) => client.log.publish([record('t', `k${i}`, large)]));
  await expect(client.log.publish([record('t', 'k', large)])).rejects.toMatchObject({ code: 'LOG_OVERLOADED', retriable: true });
  await expect(client.log.publish(Array.from({ length: 9 }, () => record('t', 'k', large)))).rejects.toMatchObject({
    code: 'INVALID_RECORD',
    retriable: false,
  });
  await release();
  await Promise.all(taken);
  const sizes: number[] = [];
  await client.log.subscribe({
    group: 'g',
    topics: ['t'],
    maxInFlight: 100,
    maxBatch: 100,
    handle: async (records) => void sizes.push(...records.map((each) => each.value.length)),
  });
  await until('all arrive', () => sizes.length >= taken.length);
  expect(new Set(sizes)).toEqual(new Set([large.length]));
});

test("one call's bad record does not spoil the others'", async () => {
  const outcomes = await Promise.allSettled([
    client.log.publish([record('t', 'good', '0')]),
    client.log.publish([record('t', 'bad\0')]),
    client.log.publish([record('t', 'bad', '', { half: '\ud83d' })]),
    client.log.publish([record('t', 'good', '1')]),
  ]);
  expect(outcomes.map((outcome) => outcome.status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled']);
  expect(outcomes[1]).toMatchObject({ reason: { code: 'INVALID_RECORD' } });
  expect((await readAll(client.log, 't')).map(text)).toEqual(['0', '1']);
});
