import { ManualClock, systemClock } from '@weir/clock';
import { eventId } from '@weir/contracts';
import { resolved } from '@weir/contracts/testing';
import { EventLogError, type LogRecord } from '@weir/event-log';
import { transaction } from '@weir/postgres';
import type { TestDatabase } from '@weir/postgres/testing';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createLogger, type NewEvent, type OpenPipeline, openPipeline, Outbox, type StoredEvent } from './index.ts';
import type { OutboxLog } from './outbox.ts';
import { trimOutbox } from './outbox-trim.ts';
import { OutboxConflict } from './outbox-events.ts';
import { createPipelineDatabase } from './testing.ts';

let db: TestDatabase;
let pipeline: OpenPipeline;
const outboxes: Outbox[] = [];
beforeEach(async () => {
  db = await createPipelineDatabase();
  pipeline = await openPipeline({
    databaseUrl: db.url,
    clock: systemClock,
    logger: createLogger({ service: 'test', level: 'silent' }),
    retentionMs: 3_600_000,
  });
});
afterEach(async () => {
  for (const outbox of outboxes.splice(0)) await outbox.stop();
  await pipeline.close();
  await db.drop();
});

/** As on Kafka: the log is not in this database. */
const elsewhere = (): OutboxLog => ({ publish: (records) => pipeline.log.publish(records) });

function open(service = 'test', log = elsewhere(), keeps?: (event: NewEvent) => boolean): Outbox {
  const of = { pool: pipeline.pool, log, codec: pipeline.codec, service, metrics: pipeline.metrics };
  const outbox = new Outbox(keeps === undefined ? of : { ...of, keeps });
  outboxes.push(outbox);
  return outbox;
}

const screening = '16fd2706-8baf-533b-a82b-bb81c2b3ee25';

function event(n: number, reason = 'known'): NewEvent<'reviews.resolved'> {
  const data = resolved(screening, { revision: n, reason });
  return {
    topic: 'reviews.resolved',
    id: eventId('reviews.resolved', n),
    key: `d-${n}`,
    screeningId: screening,
    time: 1_700_000_000_000,
    data,
  };
}

const store = (outbox: Outbox, events: readonly NewEvent[]) => transaction(pipeline.pool, (tx) => outbox.store(tx, events));
const unpublished = async () =>
  (await pipeline.pool.query('SELECT event_id FROM outbox.events WHERE NOT published UNION SELECT unnest(event_ids) FROM outbox.batches'))
    .rowCount;
const age = () =>
  pipeline.pool.query(`UPDATE outbox.events SET created_at = created_at - interval '10 seconds';
    UPDATE outbox.batches SET created_at = created_at - interval '10 seconds'`);
const contentOf = (events: readonly StoredEvent[]) => events.map(({ id, record }) => ({ id, record }));

async function published(): Promise<LogRecord[]> {
  const partitions = Array.from({ length: await pipeline.log.partitions('reviews.resolved') }, (_, n) => n);
  return (await Promise.all(partitions.map((partition) => pipeline.log.read('reviews.resolved', partition, 0n, 1_000)))).flat();
}
const publishedIds = async () => (await published()).map(({ headers }) => headers['ce_id']);

test('an event is published with the headers of CloudEvents and the screening as its trace', async () => {
  const outbox = open();
  await outbox.publish(await store(outbox, [event(1)]));
  const [record] = await published();
  expect(record?.headers).toEqual({
    ce_specversion: '1.0',
    ce_id: event(1).id,
    ce_source: '/weir/test',
    ce_type: 'weir.reviews.resolved',
    ce_time: '2023-11-14T22:13:20.000Z',
    'content-type': 'application/avro',
    traceparent: `00-16fd27068baf533ba82bbb81c2b3ee25-${event(1).id.replaceAll('-', '').slice(0, 16)}-01`,
  });
  expect(await pipeline.codec.decode('reviews.resolved', record?.value ?? Buffer.alloc(0))).toEqual(event(1).data);
  expect(await unpublished()).toBe(0);
});

test('an event of no screening is in the trace of what led to it, and in none without', async () => {
  const outbox = open();
  const [{ screeningId: _, ...first }, { screeningId: __, ...second }] = [event(1), event(2)];
  const caused = { ...first, cause: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00' };
  await outbox.publish(await store(outbox, [caused, second]));
  const traces = new Map((await published()).map(({ headers }) => [headers['ce_id'], headers['traceparent']]));
  expect(traces.get(caused.id)).toBe(`00-4bf92f3577b34da6a3ce929d0e0e4736-${caused.id.replaceAll('-', '').slice(0, 16)}-00`);
  expect(traces.get(second.id)).toBeUndefined();
});

test('events of a transaction are one batch until they are published, and their rows are written once', async () => {
  const outbox = open();
  const stored = await store(outbox, [event(1), event(2), event(3)]);
  const batches = async () => (await pipeline.pool.query<{ ids: string[] }>('SELECT event_ids AS ids FROM outbox.batches')).rows;
  const versions = async () => (await pipeline.pool.query('SELECT event_id, ctid, xmin::text FROM outbox.events ORDER BY 1')).rows;
  const [before, [batch]] = [await versions(), await batches()];
  expect(new Set(batch?.ids)).toEqual(new Set(stored.map(({ id }) => id)));
  await outbox.publish(stored);
  expect([await batches(), await versions()]).toEqual([[], before]);
});

test('a transaction that stores nothing new has no batch', async () => {
  await open().publish(await store(open(), [event(1)]));
  expect((await store(open(), [event(1)])).map(({ batch }) => batch)).toEqual([undefined]);
  expect(await unpublished()).toBe(0);
});

describe('an event that is stored again', () => {
  test('keeps its first bytes, in the order that is asked for', async () => {
    const first = await store(open(), [event(1, 'first')]);
    const again = await store(open(), [event(2), event(1, 'second'), event(3)]);
    expect(again.map(({ id }) => id)).toEqual([event(2).id, event(1).id, event(3).id]);
    expect(contentOf(again.slice(1, 2))).toEqual(contentOf(first));
    expect(await open().load(pipeline.pool, [event(1).id, eventId('unknown'), event(2).id])).toEqual(
      contentOf(again.slice(0, 2)).toReversed(),
    );
  });

  test.each([
    ['topic', `topic = 'screenings.decided'`],
    ['key', `key = 'd-9'`],
  ])('under its id with another %s is refused, and its transaction stores nothing', async (_, other) => {
    await store(open(), [event(1)]);
    await pipeline.pool.query(`UPDATE outbox.events SET ${other}`);
    await expect(store(open(), [event(2), event(1)])).rejects.toThrow(OutboxConflict);
    await expect(transaction(pipeline.pool, (tx) => open().findLost(tx, [event(2), event(1)]))).rejects.toThrow(OutboxConflict);
    expect(await open().load(pipeline.pool, [event(2).id])).toEqual([]);
  });

  test('is not stored when its transaction is rolled back', async () => {
    const outbox = open();
    const lost = transaction(pipeline.pool, async (tx) => {
      await outbox.store(tx, [event(1)]);
      throw new Error('crash');
    });
    await expect(lost).rejects.toThrow('crash');
    expect(await outbox.load(pipeline.pool, [event(1).id])).toEqual([]);
  });

  test('by two replicas at once, in any order, is one event and no deadlock', async () => {
    const numbers = Array.from({ length: 200 }, (_, n) => n);
    const [one, two] = [open(), open()];
    for (let round = 0; round < 5; round += 1) {
      const events = numbers.map((n) => event(round * 1_000 + n, 'one'));
      const others = numbers.toReversed().map((n) => event(round * 1_000 + n, 'two'));
      const [a, b] = await Promise.all([store(one, events), store(two, others)]);
      expect(contentOf(b).toReversed()).toEqual(contentOf(a));
    }
  });
});

describe('an event whose derived id another service has stored before', () => {
  beforeEach(async () => {
    await store(open('other'), [event(1, 'forged')]);
    await age();
  });

  const reasonOf = async ([one]: readonly StoredEvent[]): Promise<unknown> =>
    one && (await pipeline.codec.decode('reviews.resolved', one.record.value)).reason;

  test('is stored with its own bytes', async () => {
    expect(await reasonOf(await store(open(), [event(1)]))).toBe('known');
    expect(await reasonOf(await open().load(pipeline.pool, [event(1).id]))).toBe('known');
    expect(await reasonOf(await store(open(), [event(1, 'second')]))).toBe('known');
  });

  test('is lost until its service stores it', async () => {
    expect(await open().load(pipeline.pool, [event(1).id])).toEqual([]);
    const lost = () => transaction(pipeline.pool, (tx) => open().findLost(tx, [event(1)]));
    expect(await lost()).toEqual({ missing: [event(1)], waiting: [] });
    await store(open(), [event(1)]);
    expect(await lost()).toEqual({ missing: [], waiting: [] });
    await pipeline.pool.query('UPDATE outbox.events SET published = false');
    await age();
    expect(await reasonOf((await lost()).waiting)).toBe('known');
  });

  test('is published and trimmed without it', async () => {
    await open().publish(await store(open(), [event(1)]));
    expect((await pipeline.pool.query('SELECT service FROM outbox.batches')).rows).toEqual([{ service: 'other' }]);
    await age();
    await trimOutbox(pipeline.pool, 5_000);
    expect((await pipeline.pool.query('SELECT service FROM outbox.events')).rows).toEqual([{ service: 'other' }]);
  });
});

describe('the sweep', () => {
  test('publishes what a crash left stored, once, and nothing of another service', async () => {
    await store(open(), [event(1), event(2)]);
    await store(open('other'), [event(3)]);
    await age();
    const clock = new ManualClock();
    const outbox = open();
    outbox.start(clock, () => undefined);
    await vi.waitFor(() => expect(clock.sleeping).toBe(2), 10_000);
    expect(new Set(await publishedIds())).toEqual(new Set([event(1).id, event(2).id]));
    await clock.advance(2_000);
    await vi.waitFor(() => expect(clock.sleeping).toBe(2), 10_000);
    expect(await published()).toHaveLength(2);
  });

  test('leaves young events to whoever stored them, until they are old', async () => {
    const clock = new ManualClock();
    const outbox = open();
    await store(outbox, [event(1)]);
    outbox.start(clock, () => undefined);
    await vi.waitFor(() => expect(clock.sleeping).toBe(2), 10_000);
    expect(await published()).toEqual([]);
    await age();
    await clock.advance(2_000);
    await vi.waitFor(async () => expect(await publishedIds()).toEqual([event(1).id]), 10_000);
  });

  test('goes on past an event that the log refuses, keeps it and what follows of its key, and publishes both once the log takes it', async () => {
    const later = { ...event(4), key: event(2).key };
    await store(open(), [event(1), event(2), event(3)]);
    await age();
    await store(open(), [later]);
    await age();
    await pipeline.pool.query(`UPDATE outbox.events SET topic = 'reviews.late' WHERE event_id = $1`, [event(2).id]);
    const clock = new ManualClock();
    const failures: unknown[] = [];
    const outbox = open();
    outbox.start(clock, (error) => failures.push(error));
    await vi.waitFor(() => expect(clock.sleeping).toBe(2), 10_000);
    expect(new Set(await publishedIds())).toEqual(new Set([event(1).id, event(3).id]));
    expect(failures).toEqual([expect.objectContaining({ code: 'UNKNOWN_TOPIC' })]);
    const metrics = await pipeline.metrics.scrape();
    expect(metrics).toContain('weir_outbox_refused_total{topic="reviews.late",reason="UNKNOWN_TOPIC"} 1');
    expect(metrics).toContain('weir_outbox_refused_events{topic="reviews.late"} 1');

    // Not every sweep retries it.
    await clock.advance(2_000);
    await vi.waitFor(() => expect(clock.sleeping).toBe(2), 10_000);
    expect(failures).toHaveLength(1);

    await pipeline.log.createTopics([{ name: 'reviews.late', partitions: 1 }]);
    await pipeline.pool.query("UPDATE outbox.events SET refused_at = refused_at - interval '2 minutes'");
    await clock.advance(2_000);
    await vi.waitFor(async () => expect(await unpublished()).toBe(0), 10_000);
    expect((await pipeline.log.read('reviews.late', 0, 0n, 10)).map(({ headers }) => headers['ce_id'])).toEqual([event(2).id]);
    expect(await publishedIds()).toContain(later.id);
    expect(await pipeline.metrics.scrape()).not.toContain('weir_outbox_refused_events{');
  });

  test('a topic that the broker’s ACLs deny does not stop the records of other topics, and is counted as refused', async () => {
    await store(open(), [event(1), event(2), event(3)]);
    await age();
    await pipeline.pool.query(`UPDATE outbox.events SET topic = 'reviews.denied' WHERE event_id = $1`, [event(2).id]);
    // Kafka rejects all records of the call.
    const publish: typeof pipeline.log.publish = (records) =>
      records.some(({ topic }) => topic === 'reviews.denied')
        ? Promise.reject(new EventLogError('TOPIC_DENIED', 'Kafka refused: TOPIC_AUTHORIZATION_FAILED'))
        : pipeline.log.publish(records);
    const clock = new ManualClock();
    const failures: unknown[] = [];
    const outbox = open('test', { publish });
    outbox.start(clock, (error) => failures.push(error));
    await vi.waitFor(() => expect(clock.sleeping).toBe(2), 10_000);
    expect(new Set(await publishedIds())).toEqual(new Set([event(1).id, event(3).id]));
    expect(failures).toEqual([expect.objectContaining({ code: 'TOPIC_DENIED' })]);
    const metrics = await pipeline.metrics.scrape();
    expect(metrics).toContain('weir_outbox_refused_total{topic="reviews.denied",reason="TOPIC_DENIED"} 1');
    expect(metrics).toContain('weir_outbox_refused_events{topic="reviews.denied"} 1');
  });

  test('tells of a failure and mends it the next time', async () => {
    await store(open(), [event(1)]);
    await age();
    const clock = new ManualClock();
    let isAway = true;
    const publish: typeof pipeline.log.publish = (records) => (isAway ? Promise.reject(new Error('away')) : pipeline.log.publish(records));
    const failures: unknown[] = [];
    const outbox = open('test', { publish });
    outbox.start(clock, (error) => failures.push(error));
    await vi.waitFor(() => expect(clock.sleeping).toBe(2), 10_000);
    expect(failures).toEqual([new Error('away')]);
    isAway = false;
    await clock.advance(2_000);
    await vi.waitFor(async () => expect(await unpublished()).toBe(0), 10_000);
    expect(await publishedIds()).toEqual([event(1).id]);
  });

  test('of two replicas loses nothing', async () => {
    const events = Array.from({ length: 700 }, (_, n) => event(n));
    await store(open(), events);
    await age();
    for (const outbox of [open(), open()]) outbox.start(systemClock, () => undefined);
    await vi.waitFor(async () => expect(await unpublished()).toBe(0), 20_000);
    expect(new Set(await publishedIds())).toEqual(new Set(events.map(({ id }) => id)));
  });
});

test('more than the log takes at once is published in pieces, at once or by the sweep', async () => {
  const large = 'x'.repeat(1_000_000);
  const numbers = Array.from({ length: 70 }, (_, n) => n);
  const outbox = open();
  const stored: StoredEvent[] = [];
  for (const n of numbers) stored.push(...(await store(outbox, [event(n, large)])));
  await expect(pipeline.log.publish(stored.map(({ record }) => record))).rejects.toMatchObject({ code: 'INVALID_RECORD' });
  await outbox.publish(stored);
  expect(await unpublished()).toBe(0);
  await pipeline.pool.query('UPDATE outbox.events SET published = false');
  await age();
  outbox.start(systemClock, () => undefined);
  await vi.waitFor(async () => expect(await unpublished()).toBe(0), 20_000);
});

test('trimming deletes what was published long ago and nothing else', async () => {
  const outbox = open();
  await outbox.publish(await store(outbox, [event(1)]));
  await store(outbox, [event(2)]);
  await age();
  await outbox.publish(await store(outbox, [event(3)]));
  await trimOutbox(pipeline.pool, 5_000);
  expect(
    (
      await outbox.load(
        pipeline.pool,
        [1, 2, 3].map((n) => event(n).id),
      )
    ).map(({ id }) => id),
  ).toEqual([event(2).id, event(3).id]);
});

describe('with the log in the same database', () => {
  const together = (): Outbox => open('test', pipeline.log);
  const rows = async () =>
    (await pipeline.pool.query<{ event_id: string; published: boolean }>('SELECT event_id, published FROM outbox.events')).rows;

  test('an event is in the log as soon as it is stored, has no row, and nothing is left to publish or to mark', async () => {
    expect(await store(together(), [event(1), event(2)])).toEqual([]);
    expect(new Set(await publishedIds())).toEqual(new Set([event(1).id, event(2).id]));
    expect(await rows()).toEqual([]);
  });

  test('an event of a transaction that is rolled back is not in the log', async () => {
    const lost = transaction(pipeline.pool, async (tx) => {
      await together().store(tx, [event(1)]);
      throw new Error('crash');
    });
    await expect(lost).rejects.toThrow('crash');
    expect(await published()).toEqual([]);
  });

  test('a repeat has nothing to publish, and none of its events is missing', async () => {
    await store(together(), [event(1)]);
    expect(await transaction(pipeline.pool, (tx) => together().repeat(tx, [event(1).id]))).toEqual([]);
    expect(await transaction(pipeline.pool, (tx) => together().findLost(tx, [event(1)]))).toEqual({ missing: [], waiting: [] });
    expect(await publishedIds()).toEqual([event(1).id]);
  });

  test('an event that others look for in the outbox has a row, which no sweep publishes, and the bytes of the record', async () => {
    const outbox = open('test', pipeline.log, ({ id }) => id === event(2).id);
    await store(outbox, [event(1), event(2)]);
    expect(await rows()).toEqual([{ event_id: event(2).id, published: true }]);
    const [kept] = await outbox.load(pipeline.pool, [event(2).id]);
    expect((await published()).find(({ headers }) => headers['ce_id'] === event(2).id)?.value).toEqual(kept?.record.value);
  });

  test('an event that the log refuses fails its transaction, which stores nothing', async () => {
    await pipeline.pool.query("UPDATE log.topics SET name = 'reviews.gone' WHERE name = 'reviews.resolved'");
    const refused = open('test', pipeline.log, () => true);
    await expect(store(refused, [event(1)])).rejects.toMatchObject({ code: 'UNKNOWN_TOPIC' });
    expect(await rows()).toEqual([]);
  });

  test('events that a former version stored, but did not publish before it was killed, are appended once, however many replicas sweep', async () => {
    const events = Array.from({ length: 700 }, (_, n) => event(n));
    await store(open(), events);
    await age();
    const clock = new ManualClock();
    for (const outbox of [together(), together()]) outbox.start(clock, () => undefined);
    await vi.waitFor(() => expect(clock.sleeping).toBe(2), 20_000);
    expect(await unpublished()).toBe(0);
    const ids = await publishedIds();
    expect([ids.length, new Set(ids)]).toEqual([700, new Set(events.map(({ id }) => id))]);
  });

  test('an event of a former version that the log refuses stops none of the others', async () => {
    await store(open(), [event(1), event(2), event(3)]);
    await age();
    await pipeline.pool.query(`UPDATE outbox.events SET topic = 'reviews.late' WHERE event_id = $1`, [event(2).id]);
    const clock = new ManualClock();
    together().start(clock, () => undefined);
    await vi.waitFor(() => expect(clock.sleeping).toBe(1), 10_000);
    expect([new Set(await publishedIds()), await unpublished()]).toEqual([new Set([event(1).id, event(3).id]), 1]);
    expect(await pipeline.metrics.scrape()).toContain('weir_outbox_refused_events{topic="reviews.late"} 1');
  });
});
