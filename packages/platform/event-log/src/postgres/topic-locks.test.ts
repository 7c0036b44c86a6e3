import { afterEach, beforeEach, expect, test } from 'vitest';
import { until } from '../behaviour/harness.ts';
import { type OneClient, openOneClient } from './testing.ts';

let client: OneClient;
beforeEach(async () => {
  client = await openOneClient();
});
afterEach(() => client.close());

test('a group that joins while partitions are added waits, and neither is the victim of a deadlock', async () => {
  const { log, database } = client;
  // By name they are in the other order than by id.
  const topics = (partitions: number) => ['z', 'a'].map((name) => ({ name, partitions }));
  for (const topic of topics(1)) await log.createTopics([topic]);
  const blocker = await database.pool.connect();
  const waiting = (count: number) =>
    until('they wait', async () => {
      const { rows } = await database.pool.query("SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%log.%'");
      return rows.length === count;
    });
  await blocker.query("BEGIN; SELECT FROM log.topics WHERE name = 'z' FOR UPDATE");
  const joining = log.subscribe({ group: 'g', topics: ['z', 'a'], maxInFlight: 1, maxBatch: 1, handle: () => Promise.resolve() });
  await waiting(1);
  const adding = log.createTopics(topics(2));
  await waiting(2);
  await blocker.query('COMMIT');
  blocker.release();
  const [subscription] = await Promise.all([joining, adding]);
  await until('all are assigned', () => subscription.assigned.length === 4);
  expect(client.errors).toEqual([]);
});
