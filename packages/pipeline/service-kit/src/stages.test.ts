import { eventId, type ScreeningRequested, type Topic } from '@weir/contracts';
import { requested, scored } from '@weir/contracts/testing';
import { PoisonRecord } from '@weir/event-log';
import { type Queryable, transaction } from '@weir/postgres';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type NewEvent, type OpenPipeline, Outbox, type Pipeline, requestedEvent, type Stage, type StepEvent, TryAgain } from './index.ts';
import { caughtUp, deadLetters, openTestStack, readTopic, type TestStack, withLogElsewhere } from './testing.ts';

let stack: TestStack;
beforeEach(async () => {
  stack = await openTestStack();
  await stack.db.pool.query('CREATE TABLE steps (stage text, source_id text, topic text, xid xid8 DEFAULT pg_current_xact_id())');
});
afterEach(() => stack.close());

const note = (tx: Queryable, stage: string, events: readonly { readonly topic: Topic; readonly source_id: string }[]) =>
  tx.query('INSERT INTO steps (stage, source_id, topic) SELECT $1, * FROM unnest($2::text[], $3::text[])', [
    stage,
    events.map(({ source_id }) => source_id),
    events.map(({ topic }) => topic),
  ]);

/** What each stage has done, in the order of the transfers, and in how many transactions. */
async function done(): Promise<{ steps: string[]; transactions: number }> {
  const { rows } = await stack.db.pool.query<{ stage: string; source_id: string; topic: string; xid: string }>(
    'SELECT stage, source_id, topic, xid::text FROM steps ORDER BY source_id, stage, topic',
  );
  return {
    steps: rows.map(({ stage, source_id, topic }) => `${source_id} ${stage} ${topic}`),
    transactions: new Set(rows.map(({ xid }) => xid)).size,
  };
}

type Asked = 'screenings.requested';
type Answered = 'screenings.requested' | 'screenings.scored';

function outboxOf(pipeline: Pipeline, service: string): Outbox {
  return new Outbox({ pool: pipeline.pool, log: pipeline.log, codec: pipeline.codec, service });
}

function scoredEvent({ transfer: { source_id }, screening_id }: ScreeningRequested): NewEvent {
  const id = eventId('screenings.scored', screening_id, 1, 1);
  return { topic: 'screenings.scored', id, key: source_id, screeningId: screening_id, time: 0, data: scored(source_id) };
}

/** Answers each request. */
function answering(pipeline: Pipeline, step?: Stage<Asked>['step']): Stage<Asked> {
  return {
    group: 'answering',
    topics: ['screenings.requested'],
    says: ['screenings.scored'],
    outbox: outboxOf(pipeline, 'answering'),
    step:
      step ??
      (async (tx, events) => {
        await note(
          tx,
          'answering',
          events.map(({ topic, data }) => ({ topic, source_id: data.transfer.source_id })),
        );
        return { events: events.map(({ data }) => scoredEvent(data)) };
      }),
  };
}

/** Reads requests and answers. */
function reading(pipeline: Pipeline, check: (events: readonly StepEvent<Answered>[]) => void = () => undefined): Stage<Answered> {
  return {
    group: 'reading',
    topics: ['screenings.requested', 'screenings.scored'],
    says: [],
    outbox: outboxOf(pipeline, 'reading'),
    step: async (tx, events) => {
      await note(
        tx,
        'reading',
        events.map(({ topic, data }) => ({ topic, source_id: data.transfer.source_id })),
      );
      check(events);
      return { events: [] };
    },
  };
}

const request = (id: string): NewEvent => requestedEvent(requested(id), 0);

/** Resolves when each stage has partitions, as many as the others of its group. They join in the wrong order, which does not matter. */
async function join(...pipelines: readonly Pipeline[]): Promise<void> {
  await joinAll(pipelines.map((pipeline) => [pipeline, answering(pipeline), reading(pipeline)]));
}

async function joinAll(all: readonly (readonly [Pipeline, Stage<Asked> | undefined, Stage<Answered>])[]): Promise<void> {
  const groups = await Promise.all(
    all.map(([pipeline, before, after]) =>
      Promise.all([pipeline.stages.join(pipeline, after), ...(before === undefined ? [] : [pipeline.stages.join(pipeline, before)])]),
    ),
  );
  const [pipeline] = all[0] ?? [];
  const count = (await pipeline?.log.partitions('screenings.requested')) ?? 0;
  await vi.waitFor(() => {
    const shares = groups.flat().map(({ assigned }) => assigned.filter(({ topic }) => topic === 'screenings.requested').length);
    expect(shares).toEqual(shares.map(() => count / all.length));
  }, 20_000);
}

async function tell(pipeline: Pipeline, ...ids: readonly string[]): Promise<void> {
  const { published } = await pipeline.stages.run(pipeline, outboxOf(pipeline, 'telling'), () =>
    Promise.resolve({ events: ids.map(request) }),
  );
  await published;
}

const all = (id: string): string[] => [
  `${id} answering screenings.requested`,
  `${id} reading screenings.requested`,
  `${id} reading screenings.scored`,
];

describe.each([
  ['in the database', (pipeline: OpenPipeline) => pipeline],
  ['elsewhere', withLogElsewhere],
])('with the log %s', (_where, through) => {
  const open = async (): Promise<OpenPipeline> => through(await stack.pipeline());

  test('a batch is carried through all stages in one transaction, and none of its events is handled again', async () => {
    const pipeline = await open();
    await join(pipeline);
    await tell(pipeline, 'd-1', 'd-2');
    expect(await done()).toEqual({ steps: [...all('d-1'), ...all('d-2')], transactions: 1 });
    await caughtUp(pipeline, 'answering');
    await caughtUp(pipeline, 'reading');
    expect((await done()).steps).toHaveLength(6);
    // Others read them from the log, with the source of each.
    const sources = (await readTopic(pipeline, 'screenings.scored')).map(({ record }) => record.headers['ce_source']);
    expect(sources).toEqual(['/weir/answering', '/weir/answering']);
  });

  test('a batch that comes from the log is carried on as well', async () => {
    const pipeline = await open();
    await join(pipeline);
    // As of another process.
    await pipeline.log.publish([
      { topic: 'screenings.requested', key: 'd-1', value: pipeline.codec.encode('screenings.requested', requested('d-1')), headers: {} },
    ]);
    await caughtUp(pipeline, 'answering');
    await caughtUp(pipeline, 'reading');
    const { steps, transactions } = await done();
    expect([steps, transactions]).toEqual([all('d-1'), 2]);
  });

  test('an event that a later stage cannot handle does not undo the first, and stops none of the others', async () => {
    const pipeline = await open();
    const check = (events: readonly StepEvent<Answered>[]): void => {
      if (events.some(({ topic, data }) => topic === 'screenings.scored' && data.transfer.source_id === 'd-2'))
        throw new PoisonRecord('BAD', 'no');
    };
    await joinAll([[pipeline, answering(pipeline), reading(pipeline, check)]]);
    await tell(pipeline, 'd-1', 'd-2', 'd-3');
    await caughtUp(pipeline, 'answering');
    await caughtUp(pipeline, 'reading');
    expect((await done()).steps).toEqual([...all('d-1'), ...all('d-2').slice(0, 2), ...all('d-3')]);
    const dead = await deadLetters(pipeline, 'screenings.scored');
    expect(dead.map(({ key, headers }) => [key, headers['weir_reason']])).toEqual([['d-2', 'BAD']]);
  });

  test('a later stage that takes too long does not undo the first, and is counted', async () => {
    const pipeline = await open();
    let isSlow = true;
    const after: Stage<Answered> = {
      ...reading(pipeline),
      step: async (tx, events) => {
        if (isSlow) await tx.query(`SET LOCAL statement_timeout = 20; SELECT pg_sleep(20)`);
        await note(
          tx,
          'reading',
          events.map(({ topic, data }) => ({ topic, source_id: data.transfer.source_id })),
        );
        return { events: [] };
      },
    };
    await joinAll([[pipeline, answering(pipeline), after]]);
    await tell(pipeline, 'd-1');
    expect(await readTopic(pipeline, 'screenings.requested')).toHaveLength(1);
    expect(await pipeline.metrics.scrape()).toMatch(/weir_stage_fallbacks_total\{stage="reading"\} [1-9]/);
    isSlow = false;
    for (const group of ['answering', 'reading']) await caughtUp(pipeline, group);
    expect((await done()).steps).toEqual(all('d-1'));
  });

  test('what a step must wait for is awaited outside of the transaction, which then begins anew', async () => {
    const pipeline = await open();
    const batches = new Set<object>();
    let idle: number | null = null;
    const step: Stage<Asked>['step'] = async (tx, events, batch) => {
      await note(
        tx,
        'answering',
        events.map(({ topic, data }) => ({ topic, source_id: data.transfer.source_id })),
      );
      if (!batches.has(batch)) {
        batches.add(batch);
        throw new TryAgain(async () => {
          const { rowCount } = await stack.db.pool.query(
            "SELECT FROM pg_stat_activity WHERE datname = current_database() AND state = 'idle in transaction'",
          );
          idle = rowCount;
        });
      }
      return { events: events.map(({ data }) => scoredEvent(data)) };
    };
    await joinAll([[pipeline, answering(pipeline, step), reading(pipeline)]]);
    await tell(pipeline, 'd-1');
    expect([await done(), idle, batches.size]).toEqual([{ steps: all('d-1'), transactions: 1 }, 0, 1]);
    expect(await readTopic(pipeline, 'screenings.requested')).toHaveLength(1);
  });

  test('a process that is suspended in a transaction loses it, and others get its rows within seconds', async () => {
    const pipeline = await open();
    await stack.db.pool.query("INSERT INTO steps (stage, source_id) VALUES ('row', 'd-1')");
    const [holding, resumed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const suspended = pipeline.stages.run(pipeline, outboxOf(pipeline, 'telling'), async (tx) => {
      await tx.query("UPDATE steps SET topic = 'suspended'");
      holding.resolve();
      await resumed.promise;
      return { events: [request('d-1')] };
    });
    suspended.catch(() => undefined);
    await holding.promise;
    await transaction(stack.db.pool, (tx) => tx.query("UPDATE steps SET topic = 'other'"), { lockTimeoutMs: 10_000 });
    resumed.resolve();
    await expect(suspended).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE' });
    expect(await readTopic(pipeline, 'screenings.requested')).toEqual([]);
  });

  test('what another process reads is left to it', async () => {
    const [one, two] = [await open(), await open()];
    await join(one, two);
    const ids = Array.from({ length: 40 }, (_, n) => `d-${n}`);
    await tell(one, ...ids);
    for (const group of ['answering', 'reading']) await caughtUp(one, group);
    expect((await done()).steps).toEqual(ids.toSorted().flatMap(all));
  });

  test('an event that is settled is passed over, and one that was said before is not carried again', async () => {
    const pipeline = await open();
    await join(pipeline);
    const events = [request('d-1')];
    const outbox = outboxOf(pipeline, 'telling');
    let committed = 0;
    const ran = await pipeline.stages.run(pipeline, outbox, () =>
      Promise.resolve({ events, settled: new Set(events.map(({ id }) => id)), committed: () => void (committed += 1) }),
    );
    await ran.published;
    for (const group of ['answering', 'reading']) await caughtUp(pipeline, group);
    expect([(await done()).steps, committed]).toEqual([[], 1]);
  });

  test('a step that fails leaves nothing behind', async () => {
    const pipeline = await open();
    await joinAll([[pipeline, undefined, reading(pipeline)]]);
    const lost = pipeline.stages.run(pipeline, outboxOf(pipeline, 'telling'), async (tx) => {
      await note(tx, 'telling', [{ topic: 'screenings.requested', source_id: 'd-1' }]);
      throw new Error('crash');
    });
    await expect(lost).rejects.toThrow('crash');
    expect([await done(), await readTopic(pipeline, 'screenings.requested')]).toEqual([{ steps: [], transactions: 0 }, []]);
  });

  test('a stage that has left is not carried through any more', async () => {
    const pipeline = await open();
    const subscription = await pipeline.stages.join(pipeline, reading(pipeline));
    await subscription.stop();
    await tell(pipeline, 'd-1');
    expect((await done()).steps).toEqual([]);
  });
});
