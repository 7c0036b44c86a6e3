import { transaction } from '@weir/postgres';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { record, seededChance, text, totalLag, until } from '../behaviour/harness.ts';
import { Gate, Witness } from '../behaviour/witness.ts';
import type { EventLog, RecordPlace, Subscription } from '../port.ts';
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

const append = (topic: string, ...values: readonly string[]): Promise<readonly RecordPlace[]> =>
  transaction(client.database.pool, async (tx) => {
    const places = await client.log.append?.(
      tx,
      values.map((value) => record(topic, value, value)),
    );
    return places ?? [];
  });

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

test('records that are passed over are complete and not handed out, wherever the reader is', async () => {
  const chance = seededChance();
  const witness = new Witness();
  const subscription = await join('many', witness);
  await assigned(subscription, 4);
  const read: string[] = [];
  for (let round = 0; round < 60; round++) {
    const values = Array.from({ length: 1 + Math.floor(chance() * 8) }, (_, n) => `${round}.${n}`);
    const places = await append('many', ...values);
    const passed = places.filter(() => chance() < 0.6);
    read.push(...values.filter((_, n) => !passed.includes(places[n] as RecordPlace)));
    subscription.passOver?.(passed);
  }
  await until('nothing is left', async () => (await totalLag(client.log, 'g')) === 0n);
  // One that was read first is handed out as well; none is lost.
  expect(read.filter((value) => !witness.values.includes(value))).toEqual([]);
  expect(new Set(witness.values).size).toBe(witness.values.length);
});

test('the watermark waits for records before those that are passed over', async () => {
  const witness = new Witness();
  const gate = new Gate();
  const subscription = await join('t', witness, () => gate.passed);
  await assigned(subscription, 1);
  await append('t', 'slow');
  await until('it is in hand', () => witness.mostInHand === 1);
  subscription.passOver?.(await append('t', 'passed'));
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
  one.passOver?.(await append('many', ...keys));
  await until('nothing is left', async () => (await totalLag(client.log, 'g')) === 0n);
  expect(theirs.values.toSorted()).toEqual(keys.filter((key) => !here.includes(key)).toSorted());
});

test('a member that is stopped is assigned nothing', async () => {
  const subscription = await join('t', new Witness());
  await assigned(subscription, 1);
  expect(subscription.isAssigned?.('t', 'k')).toBe(true);
  await subscription.stop();
  expect(subscription.isAssigned?.('t', 'k')).toBe(false);
});
