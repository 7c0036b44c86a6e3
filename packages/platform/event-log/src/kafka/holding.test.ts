import { systemClock } from '@weir/clock';
import type { KafkaMessage } from 'kafkajs';
import { expect, test } from 'vitest';
import { Dispatcher } from '../dispatcher/index.ts';
import { AssignedPartition } from './assigned-partition.ts';

const dispatcherOf = (handle: () => Promise<void>): Dispatcher =>
  new Dispatcher({
    group: 'g',
    maxInFlight: 10,
    maxBatch: 10,
    clock: systemClock,
    handle,
    publish: async () => undefined,
    progressed: () => undefined,
  });

const message = (offset: number): KafkaMessage => ({
  key: Buffer.from('k'),
  value: Buffer.from('v'),
  headers: {},
  offset: String(offset),
  timestamp: '0',
  attributes: 0,
});

test('what was fetched and never handed out does not move the offset back', async () => {
  const dispatcher = dispatcherOf(async () => undefined);
  const holding = new AssignedPartition('t', 0, dispatcher);
  expect(holding.due).toBeUndefined();
  holding.begin(57n);
  holding.take([message(57), message(58)]);
  holding.forgetWaiting();
  await dispatcher.drain(holding.assignment);
  expect(holding.due).toBe(57n);
  holding.committed = 57n;
  expect(holding.due).toBeUndefined();
});

test('a group that has committed nothing is committed to where it begins, and then to what is done', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const dispatcher = dispatcherOf(() => promise);
  const holding = new AssignedPartition('t', 0, dispatcher);
  holding.begin(3n);
  expect(holding.due).toBe(3n);
  holding.committed = 3n;
  holding.take([message(5), message(8)]);
  // Compaction may leave holes; with a known first offset nothing is in doubt.
  while (holding.doubt !== undefined) holding.trust(holding.doubt);
  dispatcher.offer(holding.assignment, holding.next(10));
  expect(holding.waiting).toBe(0);
  expect(holding.due).toBe(5n);
  resolve();
  await dispatcher.drain(holding.assignment);
  expect(holding.due).toBe(9n);
});

test('takes nothing more once it is to be let go of', async () => {
  const dispatcher = dispatcherOf(async () => undefined);
  const holding = new AssignedPartition('t', 0, dispatcher);
  await dispatcher.drain(holding.assignment);
  holding.take([message(1)]);
  expect([holding.waiting, holding.position, holding.isLeaving]).toEqual([0, undefined, true]);
});
