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
  const assigned = new AssignedPartition('t', 0, dispatcher);
  expect(assigned.due).toBeUndefined();
  assigned.begin(57n);
  assigned.take([message(57), message(58)]);
  assigned.forgetWaiting();
  await dispatcher.drain(assigned.assignment);
  expect(assigned.due).toBe(57n);
  assigned.committed = 57n;
  expect(assigned.due).toBeUndefined();
});

test('a group that has committed nothing is committed to where it begins, and then to what is done', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const dispatcher = dispatcherOf(() => promise);
  const assigned = new AssignedPartition('t', 0, dispatcher);
  assigned.begin(3n);
  expect(assigned.due).toBe(3n);
  assigned.committed = 3n;
  assigned.take([message(5), message(8)]);
  // Compaction may leave holes; with a known first offset nothing is in doubt.
  while (assigned.doubt !== undefined) assigned.trust(assigned.doubt);
  dispatcher.offer(assigned.assignment, assigned.next(10));
  expect(assigned.waiting).toBe(0);
  expect(assigned.due).toBe(5n);
  resolve();
  await dispatcher.drain(assigned.assignment);
  expect(assigned.due).toBe(9n);
});

test('takes nothing more once it is to be let go of', async () => {
  const dispatcher = dispatcherOf(async () => undefined);
  const assigned = new AssignedPartition('t', 0, dispatcher);
  await dispatcher.drain(assigned.assignment);
  assigned.take([message(1)]);
  expect([assigned.waiting, assigned.position, assigned.isLeaving]).toEqual([0, undefined, true]);
});
