import { ManualClock } from '@weir/clock';
import type { PartitionLag } from '@weir/event-log';
import { beforeEach, expect, test } from 'vitest';
import { UnreadDecisions } from './unread.ts';

const topic = 'screenings.decided';
const unread = { code: 'DECISIONS_UNREAD', retriable: true };
let clock: ManualClock;
beforeEach(() => {
  clock = new ManualClock(0);
});

/** A consumer group: per partition its end and its read position. */
function group(...partitions: { end: bigint; read: bigint }[]) {
  return {
    partitions,
    asked: 0,
    lag(): Promise<PartitionLag[]> {
      this.asked += 1;
      return Promise.resolve(this.partitions.map(({ end, read }, partition) => ({ topic, partition, end, lag: end - read })));
    },
  };
}

function open(decisions: { lag(): Promise<PartitionLag[]> }, always = true): UnreadDecisions {
  return new UnreadDecisions({ lag: () => decisions.lag(), clock, limitMs: 15_000, always });
}

test('a gate that starts has to read what was there, and no more', async () => {
  const decisions = group({ end: 10n, read: 4n }, { end: 7n, read: 7n });
  const reading = open(decisions);
  await expect(reading.require()).rejects.toMatchObject(unread);
  decisions.partitions[0] = { end: 20n, read: 9n };
  await expect(reading.require()).rejects.toMatchObject(unread);
  decisions.partitions[0] = { end: 30n, read: 10n };
  decisions.partitions[1] = { end: 90n, read: 7n };
  await reading.require();
});

test('a group without a place in the log has read nothing', async () => {
  const decisions = group();
  const reading = open(decisions);
  await expect(reading.require()).rejects.toMatchObject(unread);
  decisions.partitions.push({ end: 0n, read: 0n });
  await reading.require();
});

test('a log that cannot be away by itself is asked once a second at most', async () => {
  const decisions = group({ end: 0n, read: 0n });
  const reading = open(decisions, false);
  await reading.require();
  await reading.require();
  expect(decisions.asked).toBe(1);
  await clock.advance(1_000);
  await reading.require();
  expect(decisions.asked).toBe(2);
});

test('a log that is away is told as it is', async () => {
  let isAway = false;
  const decisions = group({ end: 1n, read: 1n });
  const reading = open({ lag: () => (isAway ? Promise.reject(new Error('away')) : decisions.lag()) });
  await reading.require();
  isAway = true;
  await expect(reading.require()).rejects.toThrow('away');
});

/** Checks once a second, like the gate. */
async function pass(reading: UnreadDecisions, seconds: number, each: (second: number) => void = () => undefined): Promise<void> {
  for (let second = 0; second < seconds; second += 1) {
    each(second);
    await reading.require().catch(() => undefined);
    await clock.advance(1_000);
  }
}

test.each([true, false])('a gate that reads and falls behind is refused, also while it moves (always: %s)', async (always) => {
  const decisions = group({ end: 5n, read: 5n }, { end: 9n, read: 9n });
  const reading = open(decisions, always);
  await reading.require();
  // An empty log is not a backlog.
  await clock.advance(3_600_000);
  await reading.require();
  // Ten arrive a second, one is read.
  await pass(reading, 15, (second) => {
    decisions.partitions[0] = { end: 5n + 10n * BigInt(second + 1), read: 5n + BigInt(second) };
  });
  await reading.require();
  decisions.partitions[0] = { end: 300n, read: 22n };
  await clock.advance(5_000);
  await expect(reading.require()).rejects.toMatchObject(unread);
  decisions.partitions[0] = { end: 310n, read: 150n };
  await reading.require();
});

test('a gate that stands still is refused when the limit has passed', async () => {
  const decisions = group({ end: 5n, read: 5n });
  const reading = open(decisions);
  await reading.require();
  decisions.partitions[0] = { end: 8n, read: 5n };
  await clock.advance(15_000);
  await reading.require();
  await clock.advance(1);
  await expect(reading.require()).rejects.toMatchObject(unread);
});

test('decisions of which nobody knows since when they wait count from the look before', async () => {
  const decisions = group({ end: 5n, read: 5n });
  const reading = open(decisions);
  await reading.require();
  await clock.advance(60_000);
  decisions.partitions[0] = { end: 6n, read: 5n };
  await expect(reading.require()).rejects.toMatchObject(unread);
  decisions.partitions[0] = { end: 7n, read: 6n };
  await reading.require();
});

test('what is remembered is bounded, and a gate that catches up is let through', async () => {
  const decisions = group({ end: 0n, read: 0n });
  const reading = open(decisions);
  await reading.require();
  await pass(reading, 1_000, (second) => {
    decisions.partitions[0] = { end: BigInt(second + 1), read: 0n };
  });
  await expect(reading.require()).rejects.toMatchObject(unread);
  expect(reading.age()).toBe(1_000_000);
  decisions.partitions[0] = { end: 1_001n, read: 1_000n };
  await reading.require();
});
