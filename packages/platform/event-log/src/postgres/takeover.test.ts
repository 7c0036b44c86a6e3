import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { systemClock } from '@weir/clock';
import type { TestDatabase } from '@weir/postgres/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { numbered, text, totalLag, until } from '../behaviour/harness.ts';
import { Gate, Witness } from '../behaviour/witness.ts';
import type { PartitionLag } from '../port.ts';
import { type Client, logDatabase, openClient } from './testing.ts';

let database: TestDatabase;
const clients: Client[] = [];
const open = async (): Promise<Client> => {
  const client = await openClient(database);
  clients.push(client);
  return client;
};
beforeEach(async () => {
  database = await logDatabase();
});
afterEach(async () => {
  for (const { log, session } of clients.splice(0)) {
    await log.close();
    await session.close();
  }
  await database.drop();
});

test('takes over within 5 s from a process that was killed while it consumed', async () => {
  const { log } = await open();
  await log.createTopics([{ name: 't', partitions: 4 }]);
  const child = spawn(process.execPath, [fileURLToPath(new URL('consumer-process.ts', import.meta.url))], {
    env: { ...process.env, DATABASE_URL: database.url, GROUP: 'g', TOPIC: 't' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const theirs: string[] = [];
  createInterface(child.stdout).on('line', (line) => theirs.push(line));
  try {
    const witness = new Witness();
    const sent = numbered('t', 2_000, 100);
    await until('the child has joined', async () => (await log.lag('g')).length === 4);
    const mine = await log.subscribe({
      group: 'g',
      topics: ['t'],
      maxInFlight: 8,
      maxBatch: 2,
      handle: (records) => witness.watch(records, () => systemClock.sleep(5)),
    });
    await until('each has half', () => mine.assigned.length === 2);
    await log.publish(sent);
    const ours = new Set(mine.assigned.map(({ partition }) => partition));
    let before: PartitionLag[] = [];
    await until('the child is at work, and has committed', async () => {
      before = (await log.lag('g')).filter(({ partition }) => !ours.has(partition));
      return theirs.length >= 30 && before.some(({ lag, end }) => lag < end);
    });
    child.kill('SIGKILL');
    const killed = systemClock.monotonic();
    await until('its partitions are here', () => mine.assigned.length === 4);
    process.stdout.write(`taken over after ${Math.round(systemClock.monotonic() - killed)} ms\n`);
    await until('everything is committed', async () => (await totalLag(log, 'g')) === 0n);
    expect(new Set([...theirs, ...witness.values]).size).toBe(sent.length);
    expect(witness.outOfOrder).toEqual([]);
    // Only uncommitted records repeat.
    const committed = new Map(before.map(({ partition, lag, end }) => [partition, end - lag]));
    expect(witness.handed.filter(({ partition, offset }) => offset < (committed.get(partition) ?? 0n))).toEqual([]);
  } finally {
    child.kill('SIGKILL');
  }
});

test('a member whose session is gone is fenced off, and joins again with its next session', async () => {
  const [one, two] = [await open(), await open()];
  await one.log.createTopics([{ name: 't', partitions: 2 }]);
  const [first, second] = [new Witness(), new Witness()];
  const gate = new Gate();
  const join = (client: Client, witness: Witness, work: () => Promise<void>) =>
    client.log.subscribe({ group: 'g', topics: ['t'], maxInFlight: 50, maxBatch: 1, handle: (records) => witness.watch(records, work) });
  const held = await join(one, first, () => gate.passed);
  await until('the first has both', () => held.assigned.length === 2);
  await one.log.publish(numbered('t', 20, 20));
  await until('all are in hand', () => first.handed.length === 20);

  const [pid] = one.session.owner().split('@');
  const other = await join(two, second, () => Promise.resolve());
  await database.pool.query('SELECT pg_terminate_backend($1::int)', [pid]);
  await until('the other has handled all', () => second.values.length === 20);
  gate.open();
  await until('both have one', () => held.assigned.length === 1 && other.assigned.length === 1);
  await two.log.publish(numbered('t', 40, 20).slice(20));
  await until('everything is committed', async () => (await totalLag(two.log, 'g')) === 0n);
  expect(new Set([...first.values, ...second.values]).size).toBe(40);
  expect(first.values).toEqual(expect.arrayContaining(numbered('t', 20, 20).map(text)));
});

/** Moves every partition to another member without a notification. */
const takenAway = `
  WITH other AS (INSERT INTO log.members SELECT 'other', group_id, owner, topics FROM log.members RETURNING id)
  UPDATE log.assignments SET member = 'other', epoch = epoch + 1 FROM other`;

test('a commit with an epoch that has passed is refused and the partition dropped', async () => {
  const { log } = await open();
  await log.createTopics([{ name: 't', partitions: 1 }]);
  const witness = new Witness();
  const gate = new Gate();
  const subscription = await log.subscribe({
    group: 'g',
    topics: ['t'],
    maxInFlight: 5,
    maxBatch: 5,
    handle: (records) => witness.watch(records, () => gate.passed),
  });
  await log.publish(numbered('t', 1, 1));
  await until('it is in hand', () => witness.handed.length === 1);
  await database.pool.query(takenAway);
  gate.open();
  await until('it is dropped', () => subscription.assigned.length === 0);
  expect(await totalLag(log, 'g')).toBe(1n);
});

test('a partition that somebody else has by now is dropped although there is nothing to commit', async () => {
  const { log } = await open();
  await log.createTopics([{ name: 't', partitions: 1 }]);
  const handle = () => Promise.resolve();
  const subscription = await log.subscribe({ group: 'g', topics: ['t'], maxInFlight: 5, maxBatch: 5, handle });
  await until('it has the partition', () => subscription.assigned.length === 1);
  await database.pool.query(takenAway);
  await until('it is dropped', () => subscription.assigned.length === 0);
});

test('a partition is given up only when what is in hand of it is done', async () => {
  const [one, two] = [await open(), await open()];
  await one.log.createTopics([{ name: 't', partitions: 4 }]);
  const [witness, gate] = [new Witness(), new Gate()];
  const join = (client: Client) =>
    client.log.subscribe({
      group: 'g',
      topics: ['t'],
      maxInFlight: 50,
      maxBatch: 1,
      handle: (records) => witness.watch(records, () => gate.passed),
    });
  const first = await join(one);
  await one.log.publish(numbered('t', 40, 40));
  await until('all are in hand', () => witness.handed.length === 40);
  const second = await join(two);
  await until('the first is giving up half', () => first.assigned.length === 2);
  // Enough time for the second to take free partitions.
  for (let i = 0; i < 50; i++) await two.log.lag('g');
  expect(second.assigned).toEqual([]);
  gate.open();
  await until('both have half', () => first.assigned.length === 2 && second.assigned.length === 2);
  await until('everything is committed', async () => (await totalLag(one.log, 'g')) === 0n);
  expect(witness.handed).toHaveLength(40);
  expect(witness.violations).toEqual([]);
});
