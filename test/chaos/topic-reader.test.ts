import type { EventLog, LogRecord } from '@weir/event-log';
import { expect, test } from 'vitest';
import { TopicReader } from './topic-reader.ts';

test('records of a read that a later partition makes fail are read again', async () => {
  let isAway = true;
  const record = (partition: number): LogRecord => ({ partition, offset: 0n }) as LogRecord;
  const log: Pick<EventLog, 'partitions' | 'read'> = {
    partitions: async () => 2,
    read: async (_topic, partition, from) => {
      if (partition === 1 && isAway) throw new Error('the broker is away');
      return from === 0n ? [record(partition)] : [];
    },
  };
  const reader = new TopicReader('screenings.decided');
  await expect(reader.next(log)).rejects.toThrow('away');
  isAway = false;
  expect(await reader.next(log)).toEqual([record(0), record(1)]);
  expect(await reader.next(log)).toEqual([]);
});
