import { ManualClock } from '@weir/clock';
import { type Queryable, transaction } from '@weir/postgres';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { record, seededChance, text, totalLag, until } from '../behaviour/harness.ts';
import { Gate, Witness } from '../behaviour/witness.ts';
import type { EventLog, RecordPlace, Subscription } from '../port.ts';
import { Dispatcher } from '../dispatcher/index.ts';
import { Member } from './member.ts';
import { type Client, type OneClient, openClient, openOneClient } from './testing.ts';

let client: OneClient;
let others: Client[];
beforeEach(async () => {
  client = await openOneClient();
  others = [];
  await client.log.createTopics([{ name: 'many', partitions: 4 }]);
});
afterEach(async () => {
  for (const other of others) {
    await other.log.close();
    await other.session.close();
    await other.pool.end();
  }
  await client.close();
});

async function appendIn(tx: Queryable, topic: string, ...values: readonly string[]): Promise<readonly RecordPlace[]> {
  const records = values.map((value) => record(topic, value, value));
  return (await client.log.append?.(tx, records)) ?? [];
}

const append = (topic: string, ...values: readonly string[]): Promise<readonly RecordPlace[]> =>
  transaction(client.database.pool, (tx) => appendIn(tx, topic, ...values));

/** Appends and passes over those that `select` selects, as a transaction that handles them does. */
async function handle(
  subscription: Subscription,
  values: readonly string[],
  { topic = 'many', select = () => true }: { topic?: string; select?: (place: RecordPlace) => boolean } = {},
): Promise<void> {
  const outcome = Promise.withResolvers<boolean>();
  await transaction(client.database.pool, async (tx) => {
    subscription.passOver?.((await appendIn(tx, topic, ...values)).filter(select), outcome.promise);
  });
  outcome.resolve(true);
}

function join(topic: string, witness: Witness, work: () => Promise<void> = () => Promise.resolve(), log: EventLog = client.log) {
  return log.subscribe({
    group: 'g',
    topics: [topic],
    // One in hand leaves no room to read another.
    maxInFlight: topic === 't' ? 1 : 10,
    maxBatch: 3,
    handle: (records) => witness.watch(records, work),
  });
}
const assigned = (subscription: Subscription, count: number) =>
  until('its partitions are assigned', () => subscription.assigned.length === count);

test('an append returns the place of each record, as a reader finds it', async () => {
  const places = await append('many', ...Array.from({ length: 40 }, (_, n) => `v${n}`));
  for (const [n, { topic, partition, offset }] of places.entries()) {
    const [found] = await client.log.read(topic, partition, offset, 1);
    expect([found?.offset, found?.value.toString()]).toEqual([offset, `v${n}`]);
  }
  expect(new Set(places.map(({ partition }) => partition)).size).toBe(4);
});

test('records that are passed over are complete and never handed out, wherever the reader is', async () => {
  const chance = seededChance();
  const witness = new Witness();
  const subscription = await join('many', witness);
  await assigned(subscription, 4);
  const read: string[] = [];
  for (let round = 0; round < 100; round++) {
    const values = Array.from({ length: 1 + Math.floor(chance() * 8) }, (_, n) => `${round}.${n}`);
    let at = 0;
    const select = (): boolean => {
      const isPassed = chance() < 0.6;
      if (!isPassed) read.push(values[at] as string);
      at += 1;
      return isPassed;
    };
    await handle(subscription, values, { select });
  }
  await until('nothing is left', async () => (await totalLag(client.log, 'g')) === 0n);
  expect(witness.values.toSorted()).toEqual(read.toSorted());
});

test('records that take the place of a transaction that was rolled back are handed out, in order', async () => {
  const witness = new Witness();
  const subscription = await join('t', witness);
  await assigned(subscription, 1);
  const outcome = Promise.withResolvers<boolean>();
  const lost = transaction(client.database.pool, async (tx) => {
    subscription.passOver?.(await appendIn(tx, 't', 'lost'), outcome.promise);
    throw new Error('crash');
  });
  await expect(lost).rejects.toThrow('crash');
  // Another process takes the place before this one knows.
  await append('t', 'first', 'second');
  await client.log.publish([record('t', 'third', 'third')]);
  outcome.resolve(false);
  await until('all are handled', () => witness.values.length === 3);
  expect(witness.values).toEqual(['first', 'second', 'third']);
});

test('a reader whose page begins with an open outcome waits for it, and does not ask again and again', async () => {
  const dispatcher = new Dispatcher({
    group: 'g',
    clock: new ManualClock(),
    maxInFlight: 10,
    maxBatch: 10,
    progressed: () => undefined,
    publish: () => Promise.resolve(),
    handle: () => Promise.resolve(),
  });
  const topics = { topics: new Map([[1, 't']]), partitions: new Map([['t', 1]]) };
  const member = new Member({ id: 'm', group: 'g', groupId: 1, begin: 'start', ...topics, maxInFlight: 10, dispatcher });
  member.gain(1, 0, 1, 0n, 0n);
  const owned = member.find(1, 0);
  const outcome = Promise.withResolvers<boolean>();
  const settled = member.passOver([{ topic: 't', partition: 0, offset: 0n }], outcome.promise);
  const page = [0n, 1n].map((offset) => ({ ...record('t', 'k', String(offset)), partition: 0, offset, timestamp: 0 }));
  if (owned !== undefined) member.take(owned, page);
  expect([owned?.behind, owned?.position]).toEqual([false, 0n]);
  outcome.resolve(true);
  await settled;
  expect([owned?.behind, owned?.position]).toEqual([true, 1n]);
});

test('the watermark waits for records before those that are passed over', async () => {
  const witness = new Witness();
  const gate = new Gate();
  const subscription = await join('t', witness, () => gate.passed);
  await assigned(subscription, 1);
  await append('t', 'slow');
  await until('it is in hand', () => witness.mostInHand === 1);
  await handle(subscription, ['passed'], { topic: 't' });
  expect(await totalLag(client.log, 'g')).toBe(2n);
  gate.open();
  await until('nothing is left', async () => (await totalLag(client.log, 'g')) === 0n);
  expect(witness.handed.map(text)).toEqual(['slow']);
});

test('a key of another member, or of another topic, is not assigned here, and passing it over changes nothing', async () => {
  const [mine, theirs] = [new Witness(), new Witness()];
  const other = await openClient(client.database);
  others.push(other);
  const one = await join('many', mine);
  const two = await join('many', theirs, () => Promise.resolve(), other.log);
  await until('they share', () => one.assigned.length === 2 && two.assigned.length === 2);
  const keys = Array.from({ length: 40 }, (_, n) => `v${n}`);
  const here = keys.filter((key) => one.isAssigned?.('many', key));
  expect(keys.filter((key) => two.isAssigned?.('many', key))).toEqual(keys.filter((key) => !here.includes(key)));
  expect(one.isAssigned?.('t', 'v1')).toBe(false);
  await handle(one, keys);
  await until('nothing is left', async () => (await totalLag(client.log, 'g')) === 0n);
  expect([mine.values, theirs.values.toSorted()]).toEqual([[], keys.filter((key) => !here.includes(key)).toSorted()]);
});

test('after partitions were added, keys are assigned by the new count', async () => {
  const other = await openClient(client.database);
  others.push(other);
  const one = await join('many', new Witness());
  const two = await join('many', new Witness(), () => Promise.resolve(), other.log);
  await client.log.createTopics([{ name: 'many', partitions: 6 }]);
  await until('they share', () => one.assigned.length === 3 && two.assigned.length === 3);
  const keys = Array.from({ length: 40 }, (_, n) => `v${n}`);
  const places = await append('many', ...keys);
  const here = new Set(one.assigned.map(({ partition }) => partition));
  expect(keys.map((key) => one.isAssigned?.('many', key))).toEqual(places.map(({ partition }) => here.has(partition)));
});

test('a member that is stopped is assigned nothing', async () => {
  const subscription = await join('t', new Witness());
  await assigned(subscription, 1);
  expect(subscription.isAssigned?.('t', 'k')).toBe(true);
  await subscription.stop();
  expect(subscription.isAssigned?.('t', 'k')).toBe(false);
});
