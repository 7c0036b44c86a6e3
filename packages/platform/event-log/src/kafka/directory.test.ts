import { setImmediate } from 'node:timers/promises';
import { ManualClock } from '@weir/clock';
import { beforeEach, expect, test, vi } from 'vitest';
import type { KafkaClient } from './client.ts';
import { Directory } from './directory.ts';
import { settings } from './settings.ts';

interface Question {
  answer(partitions: number): void;
  fail(error: object): void;
}

let clock: ManualClock;
let questions: Question[];
let directory: Directory;
beforeEach(() => {
  clock = new ManualClock();
  questions = [];
  const admin = {
    connect: () => Promise.resolve(),
    fetchTopicMetadata: ({ topics: [name] }: { topics: string[] }) =>
      new Promise((resolve, reject) => {
        questions.push({
          answer: (partitions) => resolve({ topics: [{ name, partitions: Array.from({ length: partitions }) }] }),
          fail: reject,
        });
      }),
  };
  const client = { kafka: { admin: () => admin }, cut: () => undefined } as unknown as KafkaClient;
  directory = new Directory(() => client, clock);
});

/** Awaits the n-th question to the brokers, from 1. */
const question = (n: number): Promise<Question> => vi.waitFor(() => questions[n - 1] ?? Promise.reject(new Error('not asked')));

async function known(partitions: number): Promise<void> {
  const first = directory.partitions('t');
  (await question(1)).answer(partitions);
  expect(await first).toBe(partitions);
}

test('a publish uses the count that it knows while the next one is on its way, which is asked for once', async () => {
  await known(3);
  await clock.advance(settings.metadataMaxAgeMs);
  expect([await directory.partitions('t'), await directory.partitions('t')]).toEqual([3, 3]);
  (await question(2)).answer(5);
  await vi.waitFor(async () => expect(await directory.partitions('t')).toBe(5));
  expect(questions).toHaveLength(2);
});

test('a publish waits for the count of a topic that was not written for long', async () => {
  await known(3);
  await clock.advance(settings.oldestCountMs);
  const asked = directory.partitions('t');
  (await question(2)).answer(5);
  expect(await asked).toBe(5);
});

test('while no broker answers the count stays, and a topic that is gone has none', async () => {
  await known(3);
  await clock.advance(settings.metadataMaxAgeMs);
  await directory.partitions('t');
  (await question(2)).fail({ name: 'KafkaJSConnectionError' });
  await vi.waitFor(async () => {
    expect(await directory.partitions('t')).toBe(3);
    expect(questions).toHaveLength(3);
  });
  (await question(3)).fail({ type: 'UNKNOWN_TOPIC_OR_PARTITION' });
  // The answer has arrived everywhere.
  await setImmediate();
  const asked = directory.partitions('t');
  (await question(4)).fail({ type: 'UNKNOWN_TOPIC_OR_PARTITION' });
  await expect(asked).rejects.toMatchObject({ code: 'UNKNOWN_TOPIC' });
});
