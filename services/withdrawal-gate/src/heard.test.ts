import { ManualClock } from '@weir/clock';
import type { PartitionLag } from '@weir/event-log';
import { expect, test } from 'vitest';
import { heardAll } from './heard.ts';

const topic = 'screenings.decided';
const clock = new ManualClock(0);

/** A group as the log tells of it: how much is there, and how much of that has been read, of each partition. */
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

test('a gate that never catches up with new decisions still has heard of the old ones', async () => {
  const decisions = group({ end: 10n, read: 4n }, { end: 7n, read: 7n });
  const probe = heardAll(() => decisions.lag(), { clock, always: true });
  await expect(probe()).rejects.toMatchObject({ code: 'GATE_UNAVAILABLE' });
  decisions.partitions[0] = { end: 20n, read: 9n };
  await expect(probe()).rejects.toMatchObject({ code: 'GATE_UNAVAILABLE' });
  decisions.partitions[0] = { end: 30n, read: 10n };
  decisions.partitions[1] = { end: 90n, read: 7n };
  await probe();
  decisions.partitions[0] = { end: 300n, read: 10n };
  await probe();
});

test('a group without a place in the log has heard nothing; once all is heard, a log that cannot be away is not asked again', async () => {
  const decisions = group();
  const probe = heardAll(() => decisions.lag(), { clock, always: false });
  await expect(probe()).rejects.toMatchObject({ code: 'GATE_UNAVAILABLE' });
  decisions.partitions.push({ end: 0n, read: 0n });
  await probe();
  const { asked } = decisions;
  await probe();
  expect(decisions.asked).toBe(asked);
});

test('a log that is away fails the probe also when all was heard', async () => {
  let isAway = false;
  const decisions = group({ end: 1n, read: 1n });
  const probe = heardAll(() => (isAway ? Promise.reject(new Error('away')) : decisions.lag()), { clock, always: true });
  await probe();
  isAway = true;
  await expect(probe()).rejects.toThrow('away');
});

test.each([true, false])(
  'decisions that wait while nobody reads them are noticed, however seldom somebody asks (always: %s)',
  async (always) => {
    const decisions = group({ end: 5n, read: 5n }, { end: 9n, read: 9n });
    const probe = heardAll(() => decisions.lag(), { clock, always });
    await probe();
    // Nothing to read is not standing still.
    await clock.advance(3_600_000);
    await probe();
    decisions.partitions[0] = { end: 8n, read: 5n };
    await clock.advance(1_000);
    await probe();
    await clock.advance(15_000);
    await probe();
    await clock.advance(1);
    await expect(probe()).rejects.toMatchObject({ code: 'GATE_UNAVAILABLE' });
    // What is slow and moves is not still.
    decisions.partitions[0] = { end: 80n, read: 6n };
    await clock.advance(1_000);
    await probe();
    await clock.advance(14_000);
    decisions.partitions[0] = { end: 90n, read: 7n };
    await probe();
    await clock.advance(14_000);
    await probe();
  },
);
