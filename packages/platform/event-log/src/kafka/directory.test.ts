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
let deletions: ((error?: object) => void)[];
let directory: Directory;
beforeEach(() => {
  clock = new ManualClock();
  questions = [];
  deletions = [];
  const admin = {
    connect: () => Promise.resolve(),
    fetchTopicMetadata: ({ topics: [name] }: { topics: string[] }) =>
      new Promise((resolve, reject) => {
        questions.push({
          answer: (partitions) => resolve({ topics: [{ name, partitions: Array.from({ length: partitions }) }] }),
          fail: reject,
        });
      }),
    deleteGroups: () =>
      new Promise<void>((resolve, reject) => {
        deletions.push((error) => (error === undefined ? resolve() : reject(error)));
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

const loading = {
  name: 'KafkaJSDeleteGroupsError',
  groups: [{ errorCode: 14, error: { type: 'GROUP_LOAD_IN_PROGRESS', retriable: true } }],
};

test('a group is forgotten as soon as its coordinator has loaded', async () => {
  const forgotten = directory.forget('g');
  (await vi.waitFor(() => deletions[0] ?? Promise.reject(new Error('not asked'))))(loading);
  await vi.waitFor(async () => {
    await clock.advance(settings.retry.initialRetryTime);
    expect(deletions).toHaveLength(2);
  });
  deletions[1]?.();
  await expect(forgotten).resolves.toBeUndefined();
});

test('a coordinator that does not load is an error that says so', async () => {
  let refusal: unknown;
  void directory.forget('g').catch((error: unknown) => (refusal = error));
  await vi.waitFor(async () => {
    deletions.at(-1)?.(loading);
    await clock.advance(settings.retry.initialRetryTime);
    expect(refusal).toMatchObject({ code: 'LOG_UNAVAILABLE', message: 'Kafka cannot do this now: GROUP_LOAD_IN_PROGRESS' });
  });
  expect(deletions.length).toBeGreaterThan(2);
});
