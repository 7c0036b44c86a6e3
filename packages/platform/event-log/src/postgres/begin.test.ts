import { afterEach, beforeEach, expect, test } from 'vitest';
import { numbered, text, totalLag, until } from '../behaviour/harness.ts';
import type { LogGap, Subscription } from '../port.ts';
import { type OneClient, openOneClient } from './testing.ts';

let client: OneClient;
beforeEach(async () => {
  client = await openOneClient();
});
afterEach(() => client.close());

const join = (seen: string[]): Promise<Subscription> =>
  client.log.subscribe({
    group: 'g',
    topics: ['t'],
    begin: 'present',
    maxInFlight: 10,
    maxBatch: 10,
    handle: async (records) => void seen.push(...records.map(text)),
  });
const lose = () =>
  client.database.pool.query('WITH gone AS (DELETE FROM log.records) UPDATE log.partitions SET first_offset = next_offset');
const gapsOf = async (): Promise<LogGap[]> => (await client.log.lag('g')).flatMap(({ gap }) => gap ?? []);

test('a group that a version before gaps has left with nothing committed begins with what is present, and has no gap', async () => {
  const { log } = client;
  await log.publish(numbered('t', 6, 1));
  await lose();
  // The state that a member of that version leaves: a raised epoch without a commit.
  await client.database.pool.query(`
    WITH joined AS (INSERT INTO log.groups (name) VALUES ('g') RETURNING id)
    INSERT INTO log.assignments (group_id, topic, partition, epoch) SELECT joined.id, p.topic, p.partition, 2 FROM joined, log.partitions p`);
  const seen: string[] = [];
  await join(seen);
  await log.publish(numbered('t', 8, 1).slice(6));
  await until('it reads, or has stopped', () => seen.length === 2 || client.errors.length > 0);
  expect(client.errors).toEqual([]);
  await until('it has committed', async () => (await totalLag(log, 'g')) === 0n);
  expect(await gapsOf()).toEqual([]);
});

test('a group that has begun with what was present stops at what is lost later, though it has committed nothing', async () => {
  const { log } = client;
  const seen: string[] = [];
  const subscription = await join(seen);
  await until('it has its partition', () => subscription.assigned.length === 1);
  await subscription.stop();
  await log.publish(numbered('t', 6, 1));
  await lose();
  await log.publish(numbered('t', 8, 1).slice(6));
  await join(seen);
  await until('it has stopped', () => client.errors.length > 0);
  expect(await gapsOf()).toEqual([{ group: 'g', topic: 't', partition: 0, missing: 0n, available: 6n }]);
  expect(seen).toEqual([]);
});
