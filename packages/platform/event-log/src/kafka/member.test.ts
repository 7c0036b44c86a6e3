import { ManualClock } from '@weir/clock';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Dispatcher } from '../dispatcher/index.ts';
import type { KafkaClient } from './client.ts';
import { Directory } from './directory.ts';
import { Member } from './member.ts';
import { settings } from './settings.ts';

type Assignment = Record<string, number[]>;
interface Offsets {
  topic: string;
  partitions: { partition: number; offset: string }[];
}

/** The part of Kafka and kafkajs that a member uses. Offsets are as a broker stores them: kafkajs's reset is -2. */
class FakeKafka {
  readonly committed = new Map<string, string>();
  readonly first = new Map<string, number>();
  readonly paused = new Set<string>();
  /** Partitions of each request for first offsets. */
  readonly asked: string[][] = [];
  given: Assignment = {};
  /** Runs once an answer exists, before it arrives. */
  onCommitted: () => unknown = () => undefined;
  onFirst: (places: string[]) => unknown = () => undefined;
  onCommit: (topics: string[]) => unknown = () => undefined;
  readonly #listeners = new Map<string, (event: { payload: unknown }) => void>();
  #eachBatch: (payload: unknown) => Promise<void> = async () => undefined;

  readonly client = {
    kafka: { admin: () => this.#admin, consumer: () => this.#consumer },
    cluster: async () => this.#cluster,
    cut: () => undefined,
  } as unknown as KafkaClient;

  joined(memberId: string, given: Assignment): void {
    this.given = given;
    this.#emit('GROUP_JOIN', { memberId, memberAssignment: given });
  }

  rebalancing(): void {
    this.#emit('REBALANCING', {});
  }

  fetched(place: string, ...offsets: number[]): void {
    const { topic, partition } = parse(place);
    const messages = offsets.map((offset) => ({
      key: Buffer.from(`${offset}`),
      value: Buffer.from('v'),
      headers: {},
      offset: `${offset}`,
      timestamp: '0',
      attributes: 0,
    }));
    const batch = { topic, partition, messages, firstOffset: () => `${offsets[0]}`, lastOffset: () => `${offsets.at(-1)}` };
    void this.#eachBatch({ batch, resolveOffset: () => undefined, heartbeat: async () => undefined });
  }

  #emit(event: string, payload: unknown): void {
    this.#listeners.get(event)?.({ payload });
  }

  readonly #admin = {
    connect: async () => undefined,
    fetchOffsets: async () => {
      const answer = [...this.committed].map(([place, offset]) => ({ ...parse(place), offset }));
      await this.onCommitted();
      return answer.map(({ topic, partition, offset }) => ({ topic, partitions: [{ partition, offset }] })).reduce(merged, []);
    },
  };

  readonly #cluster = {
    addMultipleTargetTopics: async () => undefined,
    refreshMetadata: async () => undefined,
    refreshMetadataIfNecessary: async () => undefined,
    findTopicPartitionMetadata: (topic: string) => (this.given[topic] ?? []).map((partitionId) => ({ partitionId })),
    fetchTopicsOffset: async (topics: { topic: string; partitions: { partition: number }[] }[]) => {
      const places = topics.flatMap(({ topic, partitions }) => partitions.map(({ partition }) => `${topic}/${partition}`));
      this.asked.push(places);
      const answer = topics.map(({ topic, partitions }) => ({
        topic,
        partitions: partitions.map(({ partition }) => ({ partition, offset: `${this.first.get(`${topic}/${partition}`) ?? 0}` })),
      }));
      await this.onFirst(places);
      return answer;
    },
  };

  readonly #consumer = {
    events: Object.fromEntries(
      ['CRASH', 'COMMIT_OFFSETS', 'FETCH', 'FETCH_START', 'GROUP_JOIN', 'HEARTBEAT', 'REBALANCING'].map((name) => [name, name]),
    ),
    on: (event: string, listener: (event: { payload: unknown }) => void) => this.#listeners.set(event, listener),
    connect: async () => undefined,
    subscribe: async () => undefined,
    run: async ({ eachBatch }: { eachBatch: (payload: unknown) => Promise<void> }) => {
      this.#eachBatch = eachBatch;
      this.joined('me', this.given);
    },
    commitOffsets: async (offsets: { topic: string; partition: number; offset: string }[]) => {
      await this.onCommit([...new Set(offsets.map(({ topic }) => topic))]);
      for (const { topic, partition, offset } of offsets) this.committed.set(`${topic}/${partition}`, offset);
      this.#emit('COMMIT_OFFSETS', { topics: offsets.map(({ topic, ...of }) => ({ topic, partitions: [of] })) });
    },
    pause: ([of]: [{ topic: string; partitions: number[] }]) =>
      of.partitions.forEach((partition) => this.paused.add(`${of.topic}/${partition}`)),
    resume: ([of]: [{ topic: string; partitions: number[] }]) =>
      of.partitions.forEach((partition) => this.paused.delete(`${of.topic}/${partition}`)),
    disconnect: async () => undefined,
  };
}

function parse(place: string): { topic: string; partition: number } {
  const [topic = '', partition] = place.split('/');
  return { topic, partition: Number(partition) };
}

function merged(all: Offsets[], { topic, partitions }: Offsets): Offsets[] {
  const found = all.find((of) => of.topic === topic);
  if (found === undefined) return [...all, { topic, partitions: [...partitions] }];
  found.partitions.push(...partitions);
  return all;
}

async function pass(ms: number): Promise<void> {
  await clock.advance(0);
  await clock.advance(ms);
}

class Held {
  readonly #gate = Promise.withResolvers<void>();
  #count = 0;
  readonly wait = (): Promise<void> | undefined => (this.#count++ === 0 ? this.#gate.promise : undefined);
  readonly release = (): Promise<void> => {
    this.#gate.resolve();
    return pass(settings.commitEveryMs);
  };
}

const fault = (): never => {
  throw Object.assign(new Error('a fault of the broker'), { type: 'UNKNOWN', retriable: false });
};

let clock: ManualClock;
let kafka: FakeKafka;
let member: Member;
let handled: string[];
let errors: string[];

/** Starts to join; resolves when nothing more happens by itself. */
async function join(given: Assignment, begin: 'start' | 'present' = 'start'): Promise<void> {
  kafka.given = given;
  const dispatcher = new Dispatcher({
    group: 'g',
    maxInFlight: 100,
    maxBatch: 10,
    clock,
    handle: async (records) => void handled.push(...records.map((of) => `${of.topic}/${of.partition}:${of.offset}`)),
    publish: async () => undefined,
    progressed: () => member.progressed(),
  });
  member = new Member({
    open: () => kafka.client,
    directory: new Directory(() => kafka.client, clock),
    clock,
    dispatcher,
    group: 'g',
    topics: Object.keys(given),
    begin,
    maxInFlight: 100,
    lingerMs: 0,
    stallMs: 1e9,
    onError: (error) => errors.push(String(error)),
  });
  void member.start();
  await pass(settings.commitEveryMs);
}

beforeEach(() => {
  [clock, kafka, handled, errors] = [new ManualClock(), new FakeKafka(), [], []];
});
afterEach(async () => {
  const stopping = member.stop();
  await pass(60_000);
  await stopping;
});

test('a group that was reset is not taken for a new one, which would begin after the gap', async () => {
  kafka.committed.set('t/0', '-2');
  kafka.first.set('t/0', 10);
  await join({ t: [0] }, 'present');
  kafka.fetched('t/0', 10, 11);
  await pass(settings.commitEveryMs);
  expect(handled).toEqual([]);
  expect(String(errors)).toContain('stopped reading t/0: offsets 0 to 9 are gone');
});

test('a failed question for the offsets of a group does not make it a new one', async () => {
  kafka.committed.set('t/0', '5');
  kafka.first.set('t/0', 10);
  let questions = 0;
  kafka.onCommitted = () => {
    kafka.committed.set('t/0', '-2');
    if (++questions === 1) fault();
  };
  await join({ t: [0] }, 'present');
  kafka.fetched('t/0', 10, 11);
  await pass(settings.pauseMs);
  expect(questions).toBeGreaterThan(1);
  expect(handled).toEqual([]);
  expect(String(errors)).toContain('stopped reading t/0: offsets 0 to 9 are gone');
});

test('a group that this member has begun is not taken for a new one when the broker has removed its offsets', async () => {
  await join({ t: [0] }, 'present');
  kafka.fetched('t/0', 0, 1);
  await pass(settings.commitEveryMs);
  expect(kafka.committed.get('t/0')).toBe('2');
  kafka.committed.clear();
  kafka.first.set('t/0', 10);
  kafka.rebalancing();
  await pass(0);
  kafka.joined('me, under another name', { t: [0] });
  kafka.fetched('t/0', 10, 11);
  await pass(settings.commitEveryMs);
  expect(handled).toEqual(['t/0:0', 't/0:1']);
  expect(String(errors)).toContain('stopped reading t/0: offsets 0 to 9 are gone');
});

test('a partition that another member read meanwhile is missed from where that member had come', async () => {
  kafka.committed.set('t/0', '5');
  kafka.first.set('t/0', 0);
  await join({ t: [] });
  kafka.committed.set('t/0', '100');
  kafka.rebalancing();
  await pass(0);
  // kafkajs's first fetch found nothing, before the member's request.
  kafka.committed.set('t/0', '-2');
  kafka.first.set('t/0', 300);
  kafka.joined('me', { t: [0] });
  await pass(settings.commitEveryMs);
  expect(String(errors)).toContain('stopped reading t/0: offsets 100 to 299 are gone');
  expect(kafka.committed.get('t/0')).toBe('100');
});

test('a reset is measured by what this member has committed when the question for it failed', async () => {
  kafka.committed.set('t/0', '5');
  await join({ t: [0] });
  kafka.fetched('t/0', 5, 6, 7);
  await pass(settings.commitEveryMs);
  expect(kafka.committed.get('t/0')).toBe('8');
  kafka.onCommitted = fault;
  kafka.rebalancing();
  await pass(0);
  kafka.onCommitted = () => undefined;
  kafka.committed.set('t/0', '-2');
  kafka.first.set('t/0', 20);
  kafka.joined('me, under another name', { t: [0] });
  await pass(settings.commitEveryMs);
  expect(String(errors)).toContain('stopped reading t/0: offsets 8 to 19 are gone');
});

test('a question that fails holds back no commit', async () => {
  for (const place of ['t/0', 't/1']) kafka.committed.set(place, '5');
  await join({ t: [0, 1] });
  kafka.onFirst = fault;
  kafka.fetched('t/1', 5, 6, 9);
  kafka.fetched('t/0', 5, 6);
  await pass(10_000);
  expect([kafka.committed.get('t/0'), kafka.committed.get('t/1')]).toEqual(['7', '7']);
  expect(handled).not.toContain('t/1:9');
  // Rests grow, so a failing broker receives less than one request a second.
  expect(errors.length).toBeGreaterThan(2);
  expect(errors.length).toBeLessThan(8);
});

test('partitions that no broker answers for leave the others in no doubt', async () => {
  const partitions = [0, 1, 2, 3, 4];
  for (const partition of partitions) kafka.committed.set(`t/${partition}`, '5');
  await join({ t: partitions });
  kafka.asked.length = 0;
  kafka.onFirst = (places) => void (places.join() === 't/4' || fault());
  for (const partition of partitions) kafka.fetched(`t/${partition}`, 7);
  await pass(0);
  const asked = [...kafka.asked];
  await pass(settings.pauseMs);
  expect(handled).toEqual(['t/4:7']);
  // All, then one by one, up to the third failure.
  expect(asked).toEqual([partitions.map((of) => `t/${of}`), ['t/0'], ['t/1'], ['t/2']]);
  kafka.onFirst = () => undefined;
  await pass(settings.rest.longestMs);
  expect(handled.toSorted()).toEqual(partitions.map((of) => `t/${of}:7`));
});

test('a topic that cannot be committed for leaves the commits of others alone', async () => {
  for (const place of ['t/0', 'u/0']) kafka.committed.set(place, '5');
  await join({ t: [0], u: [0] });
  kafka.onCommit = (topics) => void (topics.includes('t') && fault());
  kafka.fetched('t/0', 5);
  kafka.fetched('u/0', 5);
  await pass(settings.commitEveryMs);
  expect([kafka.committed.get('t/0'), kafka.committed.get('u/0')]).toEqual(['5', '6']);
});

test('an offset skipped before it is known where the group begins stays in doubt', async () => {
  kafka.committed.set('t/0', '5');
  kafka.first.set('t/0', 20);
  const answer = new Held();
  kafka.onCommitted = answer.wait;
  await join({ t: [0] });
  kafka.fetched('t/0', 5, 6, 7, 8, 9);
  kafka.fetched('t/0', 20, 21);
  await answer.release();
  await pass(settings.commitEveryMs);
  expect(handled).toEqual([5, 6, 7, 8, 9].map((offset) => `t/0:${offset}`));
  expect(String(errors)).toContain('stopped reading t/0: offsets 10 to 19 are gone');
});

test('the answer to an earlier question does not settle a first record beyond the start', async () => {
  kafka.committed.set('t/0', '5');
  kafka.first.set('t/0', 5);
  const answer = new Held();
  kafka.onFirst = answer.wait;
  await join({ t: [0] });
  expect(kafka.asked).toHaveLength(1);
  kafka.first.set('t/0', 12);
  kafka.fetched('t/0', 12, 13);
  await answer.release();
  expect(handled).toEqual([]);
  expect(String(errors)).toContain('stopped reading t/0: offsets 5 to 11 are gone');
});

test('the answer to an earlier question does not settle an offset skipped since', async () => {
  kafka.committed.set('t/0', '5');
  await join({ t: [0] });
  const answer = new Held();
  kafka.onFirst = answer.wait;
  kafka.asked.length = 0;
  kafka.fetched('t/0', 5, 8);
  await pass(settings.commitEveryMs);
  expect(kafka.asked).toHaveLength(1);
  kafka.first.set('t/0', 20);
  kafka.fetched('t/0', 20, 21);
  await answer.release();
  await pass(settings.commitEveryMs);
  expect(handled).toEqual(['t/0:5', 't/0:8']);
  expect(String(errors)).toContain('stopped reading t/0: offsets 9 to 19 are gone');
});

test('an answer about a partition that was lost does not stop the one who has it now', async () => {
  kafka.committed.set('t/0', '5');
  kafka.first.set('t/0', 40);
  const answer = new Held();
  kafka.onFirst = answer.wait;
  await join({ t: [0] });
  kafka.committed.set('t/0', '50');
  kafka.rebalancing();
  kafka.joined('me, under another name', { t: [0] });
  await answer.release();
  kafka.fetched('t/0', 50);
  await pass(settings.commitEveryMs);
  expect(errors).toEqual([]);
  expect([...kafka.paused]).toEqual([]);
  expect(handled).toEqual(['t/0:50']);
  expect(kafka.committed.get('t/0')).toBe('51');
});
