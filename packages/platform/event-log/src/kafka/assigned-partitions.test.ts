import { systemClock } from '@weir/clock';
import type { Consumer, EachBatchPayload } from 'kafkajs';
import { beforeEach, expect, test } from 'vitest';
import { Dispatcher } from '../dispatcher/index.ts';
import { AssignedPartitions } from './assigned-partitions.ts';

/** A minimal consumer: its paused partitions, and whether it is in the group. */
let paused: Set<number>;
let isJoined: boolean;
let errors: unknown[];
let dispatcher: Dispatcher;
let held: AssignedPartitions;

const consumer = {
  pause: ([place]: [{ partitions: number[] }]) => place.partitions.forEach((each) => paused.add(each)),
  resume: ([place]: [{ partitions: number[] }]) => place.partitions.forEach((each) => paused.delete(each)),
} as unknown as Consumer;

beforeEach(() => {
  [paused, isJoined, errors] = [new Set(), true, []];
  dispatcher = new Dispatcher({
    group: 'g',
    maxInFlight: 100,
    maxBatch: 10,
    clock: systemClock,
    handle: async () => undefined,
    publish: async () => undefined,
    progressed: () => undefined,
  });
  held = new AssignedPartitions({
    dispatcher,
    consumer: () => (isJoined ? consumer : undefined),
    joinAgain: () => undefined,
    joined: () => undefined,
    changed: () => undefined,
    arrived: () => undefined,
    onError: (error) => errors.push(error),
  });
});

function fetched(from: number, to: number): EachBatchPayload {
  const messages = Array.from({ length: to - from + 1 }, (_, i) => ({
    key: Buffer.from('k'),
    value: Buffer.from('v'),
    headers: {},
    offset: String(from + i),
    timestamp: '0',
    attributes: 0,
  }));
  const batch = { topic: 't', partition: 0, messages, firstOffset: () => String(from), lastOffset: () => String(to) };
  return { batch, resolveOffset: () => undefined } as unknown as EachBatchPayload;
}

const waiting = (): string[] => held.all.flatMap((assigned) => assigned.next(100).map(({ offset }) => String(offset)));
const first = (): (typeof held.all)[number] => {
  const [assigned] = held.all;
  if (assigned === undefined) throw new Error('nothing is held');
  return assigned;
};

test('a partition that was resumed while the group changed is fetched from again when it has changed', () => {
  held.joined('me', { t: [0] });
  held.setPaused(first(), true);
  expect([...paused]).toEqual([0]);
  isJoined = false;
  held.setPaused(first(), false);
  isJoined = true;
  held.joined('me', { t: [0] });
  expect([...paused]).toEqual([]);
});

test('what comes again after the group has changed is passed over, wherever kafkajs begins', () => {
  held.joined('me', { t: [0] });
  first().begin(10n);
  held.take(fetched(10, 19));
  expect(waiting()).toHaveLength(10);
  held.committed('t', 0, 12n);
  held.joined('me', { t: [0] });
  // A commit came meanwhile; kafkajs may have fetched before it.
  held.committed('t', 0, 15n);
  held.take(fetched(12, 16));
  held.take(fetched(17, 21));
  expect(waiting()).toEqual(['20', '21']);
  expect(errors).toEqual([]);
});

test('a partition that begins before what the group has committed was made anew, and is read again', () => {
  held.joined('me', { t: [0] });
  first().begin(10n);
  held.take(fetched(10, 19));
  held.committed('t', 0, 12n);
  held.joined('me', { t: [0] });
  expect(waiting()).toHaveLength(10);
  held.take(fetched(0, 4));
  expect(waiting()).toEqual(['0', '1', '2', '3', '4']);
  expect(String(errors)).toContain('t/0 goes back to 0');
});

test('a partition that comes back before it was let go of goes on behind what was done', async () => {
  held.joined('me', { t: [0] });
  first().begin(10n);
  held.take(fetched(10, 19));
  const leaving = first();
  dispatcher.offer(leaving.assignment, leaving.next(5));
  held.joined('me', {});
  await dispatcher.drain(leaving.assignment);
  held.joined('me', { t: [0] });
  expect([...paused]).toEqual([0]);
  expect(leaving.due).toBe(15n);
  held.committed('t', 0, 15n);
  held.letGo(leaving);
  expect([...paused]).toEqual([]);
  held.take(fetched(10, 17));
  expect(waiting()).toEqual(['15', '16', '17']);
  expect(errors).toEqual([]);
});

test('records that are gone while a member reads stop the partition; what came before them is still handed out', () => {
  held.joined('me', { t: [0] });
  first().begin(10n);
  held.take(fetched(10, 14));
  held.take(fetched(20, 24));
  expect([first().waiting, first().doubt?.missing]).toEqual([5, 15n]);
  held.stopAt(first(), { group: 'g', topic: 't', partition: 0, missing: 15n, available: 20n });
  expect([...paused]).toEqual([0]);
  expect(String(errors)).toContain('g has stopped reading t/0: offsets 15 to 19 are gone');
  expect(waiting()).toEqual(['10', '11', '12', '13', '14']);
  held.take(fetched(25, 29));
  held.joined('me', { t: [0] });
  expect(waiting()).toEqual([]);
  expect([...paused]).toEqual([0]);
  expect(first().due).toBe(10n);
});

test('an offset that the log skips, with nothing gone before it, is read on when that is known', () => {
  held.joined('me', { t: [0] });
  first().begin(10n);
  held.take(fetched(12, 13));
  expect([first().waiting, first().due]).toEqual([0, 10n]);
  const { doubt } = first();
  if (doubt !== undefined) first().trust(doubt);
  expect(waiting()).toEqual(['12', '13']);
  expect(errors).toEqual([]);
});
