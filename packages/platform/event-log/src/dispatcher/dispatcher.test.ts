import { ManualClock } from '@weir/clock';
import { expect, test } from 'vitest';
import { type LogRecord, PoisonRecord } from '../port.ts';
import { Dispatcher, type DispatcherOptions } from './index.ts';

const record = (offset: number, key: string): LogRecord => ({
  topic: 't',
  partition: 0,
  offset: BigInt(offset),
  timestamp: 0,
  key,
  value: Buffer.from(String(offset)),
  headers: {},
});

function setUp(options: Partial<DispatcherOptions>) {
  const clock = new ManualClock();
  const tried: string[] = [];
  const dispatcher = new Dispatcher({
    group: 'g',
    clock,
    maxInFlight: 10,
    maxBatch: 10,
    progressed: () => undefined,
    publish: () => Promise.resolve(),
    ...options,
    handle: async (records, context) => {
      tried.push(records.map((each) => each.value.toString()).join('+'));
      await options.handle?.(records, context);
    },
  });
  return { clock, tried, dispatcher, assignment: dispatcher.assign('t', 0, 0n) };
}

test('splits a batch that fails by key, and the run of a key into records', async () => {
  const { clock, tried, dispatcher, assignment } = setUp({
    handle: async (records) => {
      if (records.some((each) => each.offset === 1n)) throw new Error('no');
    },
  });
  dispatcher.offer(assignment, [record(0, 'a'), record(1, 'b'), record(2, 'a'), record(3, 'b')]);
  await clock.advance(0);
  expect(tried).toEqual(['0+2+1+3', '0+2', '1+3', '1']);
  expect(assignment.watermark).toBe(1n);
  expect(dispatcher.room).toBe(8);
});

test('tries again after 0.1 s, then twice as long each time, at most 5 s', async () => {
  const times: number[] = [];
  const { clock, dispatcher, assignment } = setUp({
    handle: () => {
      times.push(clock.monotonic());
      return Promise.reject(new Error('no'));
    },
  });
  dispatcher.offer(assignment, [record(0, 'a')]);
  await clock.advance(0);
  await clock.advance(25_000);
  const waits = times.slice(1).map((time, i) => time - (times[i] ?? 0));
  expect(waits).toEqual([100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000, 5_000]);
});

test('repeats the dead letter that could not be written, not the record', async () => {
  const letters: string[] = [];
  const { clock, tried, dispatcher, assignment } = setUp({
    handle: () => Promise.reject(new PoisonRecord('BAD', 'x')),
    publish: async ([letter]) => {
      letters.push(letter?.topic ?? '');
      if (letters.length < 3) throw new Error('no');
    },
  });
  dispatcher.offer(assignment, [record(0, 'a')]);
  await clock.advance(0);
  await clock.advance(1_000);
  expect(letters).toEqual(['t.dlq', 't.dlq', 't.dlq']);
  expect(tried).toEqual(['0']);
  expect(assignment.watermark).toBe(1n);
});

test('a drain waits for what is under way, gives up what waits for its next try, and leaves other partitions alone', async () => {
  const gate = Promise.withResolvers<void>();
  const { clock, tried, dispatcher, assignment } = setUp({
    maxBatch: 1,
    handle: async (records) => {
      if (records[0]?.key === 'slow') await gate.promise;
      if (records[0]?.key === 'bad') throw new Error('no');
    },
  });
  const other = dispatcher.assign('t', 1, 0n);
  dispatcher.offer(assignment, [record(0, 'slow'), record(1, 'bad'), record(2, 'slow')]);
  await clock.advance(0);
  let drained = false;
  const draining = dispatcher.drain(assignment).then(() => void (drained = true));
  await clock.advance(5_000);
  expect(drained).toBe(false);
  dispatcher.offer(other, [{ ...record(0, 'else'), partition: 1 }]);
  dispatcher.offer(assignment, [record(3, 'late')]);
  gate.resolve();
  await draining;
  await clock.advance(10_000);
  expect(tried).toEqual(['0', '1', '0']);
  expect(assignment.watermark).toBe(1n);
  expect(other.watermark).toBe(1n);
  expect(dispatcher.room).toBe(10);
});

test('a drain that takes 10 s is over, and tells the handler so', async () => {
  let told = false;
  const { clock, dispatcher, assignment } = setUp({
    handle: (_records, { signal }) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => {
          told = true;
          resolve();
        });
      }),
  });
  dispatcher.offer(assignment, [record(0, 'a')]);
  let stopped = false;
  void dispatcher.stop().then(() => void (stopped = true));
  await clock.advance(9_999);
  expect([stopped, told]).toEqual([false, false]);
  await clock.advance(1);
  expect([stopped, told]).toEqual([true, true]);
  expect(dispatcher.room).toBe(0);
});

test('what completes after the partition was lost is not counted', async () => {
  const gate = Promise.withResolvers<void>();
  const { clock, dispatcher, assignment } = setUp({ handle: () => gate.promise });
  dispatcher.offer(assignment, [record(0, 'a')]);
  dispatcher.drop(assignment);
  const again = dispatcher.assign('t', 0, 0n);
  dispatcher.offer(again, [record(0, 'a')]);
  gate.resolve();
  await clock.advance(0);
  expect(again.watermark).toBe(1n);
  expect(dispatcher.room).toBe(10);
});

test('an observer that throws stops nothing', async () => {
  let failures = 1;
  const { clock, dispatcher, assignment } = setUp({
    handle: async () => {
      if (failures-- > 0) throw new Error('no');
    },
    onError: () => {
      throw new Error('from the observer');
    },
  });
  dispatcher.offer(assignment, [record(0, 'a')]);
  await clock.advance(0);
  await clock.advance(1_000);
  expect(assignment.watermark).toBe(1n);
});

test('with one call at once, what comes meanwhile goes together in the next, and what failed holds nobody up', async () => {
  const gate = Promise.withResolvers<void>();
  const { clock, tried, dispatcher, assignment } = setUp({
    maxCalls: 1,
    handle: async (records) => {
      if (records.some(({ key }) => key === 'slow')) await gate.promise;
      if (records.some(({ key }) => key === 'bad')) throw new Error('no');
    },
  });
  dispatcher.offer(assignment, [record(0, 'slow')]);
  dispatcher.offer(assignment, [record(1, 'bad')]);
  dispatcher.offer(assignment, [record(2, 'c'), record(3, 'd')]);
  await clock.advance(0);
  expect(tried).toEqual(['0']);
  gate.resolve();
  await clock.advance(0);
  // The bad record goes last and alone, and its retry does not delay later records.
  expect(tried).toEqual(['0', '1+2+3', '1', '2', '3']);
  dispatcher.offer(assignment, [record(4, 'e')]);
  await clock.advance(0);
  expect(tried.at(-1)).toBe('4');
  expect(assignment.watermark).toBe(1n);
});

test('with one call at once, a batch of one key that fails for ever does not keep the next from being handed out', async () => {
  const gate = Promise.withResolvers<void>();
  const { clock, tried, dispatcher, assignment } = setUp({
    maxCalls: 1,
    handle: async (records) => {
      if (records.some(({ key }) => key !== 'bad')) return;
      await gate.promise;
      throw new Error('no');
    },
  });
  dispatcher.offer(assignment, [record(0, 'bad')]);
  dispatcher.offer(assignment, [record(1, 'good')]);
  await clock.advance(0);
  expect(tried).toEqual(['0']);
  gate.resolve();
  await clock.advance(0);
  expect(tried).toEqual(['0', '1']);
});

test('records that may linger wait for others, until there is a batch or their time is up', async () => {
  const { clock, tried, dispatcher, assignment } = setUp({ lingerMs: 50, maxBatch: 3 });
  dispatcher.offer(assignment, [record(0, 'a')]);
  await clock.advance(30);
  dispatcher.offer(assignment, [record(1, 'b')]);
  await clock.advance(19);
  expect(tried).toEqual([]);
  await clock.advance(1);
  expect(tried).toEqual(['0+1']);
  dispatcher.offer(assignment, [record(2, 'a'), record(3, 'b'), record(4, 'c'), record(5, 'd')]);
  await clock.advance(0);
  expect(tried).toEqual(['0+1', '2+3+4', '5']);
  expect(assignment.watermark).toBe(6n);
});

const gather = { ms: 100, mostMs: 300, isLast: ({ offset }: LogRecord) => Number(offset) % 2 === 1 };

test('records of a key are gathered until the last came, and handed out with those of other keys', async () => {
  const { clock, tried, dispatcher, assignment } = setUp({ gather, maxBatch: 3, maxInFlight: 10 });
  dispatcher.offer(assignment, [record(0, 'a')]);
  await clock.advance(140);
  dispatcher.offer(assignment, [record(1, 'a'), record(3, 'b'), record(5, 'c')]);
  await clock.advance(40);
  dispatcher.offer(assignment, [record(7, 'd')]);
  await clock.advance(19);
  expect(tried).toEqual([]);
  await clock.advance(1);
  // A full batch, and at once the next; d is too young.
  expect(tried).toEqual(['0+1+3', '5']);
  await clock.advance(99);
  expect(tried).toHaveLength(2);
  await clock.advance(1);
  expect(tried).toEqual(['0+1+3', '5', '7']);
  expect(assignment.watermark).toBe(8n);
});

test('records whose last does not come are handed out in time, those that came meanwhile too', async () => {
  const { clock, tried, dispatcher, assignment } = setUp({ gather, maxBatch: 3, maxInFlight: 10 });
  dispatcher.offer(assignment, [record(0, 'a')]);
  await clock.advance(290);
  dispatcher.offer(assignment, [record(2, 'a'), record(4, 'b')]);
  expect(tried).toEqual([]);
  await clock.advance(10);
  expect(tried).toEqual(['0+2']);
  await clock.advance(300);
  expect(tried).toEqual(['0+2', '4']);
});

test('records that are gathered are handed out at once where no room is left', async () => {
  const { tried, dispatcher, assignment, clock } = setUp({ gather, maxBatch: 3, maxInFlight: 4 });
  dispatcher.offer(assignment, [record(0, 'a'), record(2, 'b'), record(4, 'c'), record(6, 'd')]);
  await clock.advance(0);
  expect(tried).toEqual(['0+2+4', '6']);
});
