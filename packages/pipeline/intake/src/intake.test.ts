import { ManualClock } from '@weir/clock';
import { eventId, screeningId } from '@weir/contracts';
import { PoisonRecord } from '@weir/event-log';
import { type OpenPipeline, type Pipeline, subscribeStage } from '@weir/service-kit';
import {
  caughtUp,
  deadLetters,
  openTestStack,
  type TestService,
  type TestStack,
  publishTo,
  readTopic,
  withLogElsewhere,
} from '@weir/service-kit/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type CheckedTransfer, checkTransfer, Intake, isMalformed, type RawTransfer, toDeposit } from './index.ts';
import { lowerCase, mixedCase, raw } from './transfers.testing.ts';

let stack: TestStack;
beforeEach(async () => {
  stack = await openTestStack();
});
afterEach(() => stack.close());

const options = { service: 'deposit-ingest', deadlineMs: 600_000 };
const group = 'intake';

function replica(maxBatch = 250): Promise<TestService> {
  return stack.service(async (pipeline) => {
    const intake = await Intake.open(pipeline, options);
    const subscription = await subscribeStage(pipeline, {
      group,
      topics: ['deposits.detected'],
      maxBatch,
      handle: (events) =>
        intake.request(
          events.map(({ data }) =>
            raw({ source_id: data.deposit_id, to_address: data.to_address, amount: data.amount, occurred_at: data.detected_at }),
          ),
        ),
    });
    return {
      stop: async () => {
        await subscription.stop();
        await intake.stop();
      },
    };
  });
}

async function requests(pipeline: Pipeline): Promise<string[]> {
  const events = await readTopic(pipeline, 'screenings.requested');
  const bytes = new Map(events.map(({ id, record }) => [id, record.value]));
  for (const { id, record } of events) expect(record.value).toEqual(bytes.get(id));
  return [...new Set(events.map(({ id }) => id))].sort();
}
const requestId = (source_id: string) => eventId('screenings.requested', screeningId('deposit', source_id), 1);
const deposit = (over: Partial<RawTransfer> = {}) => toDeposit(raw(over));
const numbered = (count: number) => Array.from({ length: count }, (_, n) => `d-${n}`);

test('a transfer told twice in one batch, and again in a later one, is requested once', async () => {
  const { pipeline } = await replica();
  await publishTo(pipeline, 'deposits.detected', deposit(), deposit({ to_address: mixedCase }), deposit({ occurred_at: 5 }));
  await caughtUp(pipeline, group);
  await publishTo(pipeline, 'deposits.detected', deposit());
  await caughtUp(pipeline, group);
  expect(await requests(pipeline)).toEqual([requestId('d-1')]);
  expect(await deadLetters(pipeline, 'deposits.detected')).toEqual([]);
});

test('one call with the same transfer twice publishes one request', async () => {
  const pipeline = await stack.pipeline();
  const intake = await Intake.open(pipeline, options);
  await intake.request([raw(), raw({ to_address: mixedCase }), raw({ source_id: 'd-2' })]);
  const events = await readTopic(pipeline, 'screenings.requested');
  expect(events.map(({ record }) => record.key).sort()).toEqual(['d-1', 'd-2']);
  await intake.stop();
});

test('two replicas told of the same transfers at once request each once, with the same bytes', async () => {
  const [one, two] = [await stack.pipeline(), await stack.pipeline()];
  const intakes = [await Intake.open(one, options), await Intake.open(two, options)] as const;
  const ids = numbered(100);
  const told100 = ids.map((source_id) => raw({ source_id }));
  await Promise.all(
    Array.from({ length: 8 }, (_, n) => (n % 2 === 0 ? intakes[0] : intakes[1]).request(n % 4 < 2 ? told100 : told100.toReversed())),
  );
  expect(await requests(one)).toEqual(ids.map(requestId).sort());
  expect((await one.pool.query('SELECT FROM intake.transfers')).rowCount).toBe(100);
  await Promise.all(intakes.map((intake) => intake.stop()));
});

test('two replicas of a stage share what is told, and request each once', async () => {
  const [{ pipeline }] = [await replica(7), await replica(7)];
  const ids = numbered(120);
  await publishTo(pipeline, 'deposits.detected', ...ids.map((source_id) => deposit({ source_id })));
  await publishTo(pipeline, 'deposits.detected', ...ids.toReversed().map((source_id) => deposit({ source_id, to_address: mixedCase })));
  await caughtUp(pipeline, group);
  expect(await requests(pipeline)).toEqual(ids.map(requestId).sort());
});

test('what contradicts an earlier one goes to the dead letters with its bytes, and the rest goes on', async () => {
  const { pipeline } = await replica();
  await publishTo(pipeline, 'deposits.detected', deposit());
  await caughtUp(pipeline, group);
  const contradiction = pipeline.codec.encode('deposits.detected', deposit({ amount: '2' }));
  await publishTo(
    pipeline,
    'deposits.detected',
    deposit({ amount: '2' }),
    deposit({ to_address: mixedCase }),
    deposit({ source_id: 'd-2' }),
  );
  await caughtUp(pipeline, group);
  const [dead, ...more] = await deadLetters(pipeline, 'deposits.detected');
  expect([dead?.value, dead?.key, dead?.headers['weir_reason'], more]).toEqual([contradiction, 'd-1', 'CONFLICTING_CONTENT', []]);
  expect(await requests(pipeline)).toEqual([requestId('d-1'), requestId('d-2')].sort());
  const amounts = (await readTopic(pipeline, 'screenings.requested')).map(({ data }) => data.transfer.amount);
  expect(new Set(amounts)).toEqual(new Set(['1.5']));
});

test('of two contradicting ones in one batch the first counts', async () => {
  const { pipeline } = await replica();
  await publishTo(pipeline, 'deposits.detected', deposit({ amount: '1' }), deposit({ amount: '2' }), deposit({ amount: '1.0' }));
  await caughtUp(pipeline, group);
  expect((await readTopic(pipeline, 'screenings.requested')).map(({ data }) => data.transfer.amount)).toContain('1');
  expect(await requests(pipeline)).toHaveLength(1);
  expect((await deadLetters(pipeline, 'deposits.detected')).map(({ headers }) => headers['weir_reason'])).toEqual(['CONFLICTING_CONTENT']);
});

test('what is malformed, and what is no record, goes to the dead letters with its bytes, and the rest goes on', async () => {
  const { pipeline } = await replica();
  const malformed = pipeline.codec.encode('deposits.detected', deposit({ source_id: 'd-9', amount: '-1' }));
  await publishTo(
    pipeline,
    'deposits.detected',
    deposit({ source_id: 'd-9', amount: '-1' }),
    Buffer.from('not a record'),
    deposit({ source_id: 'd-2' }),
  );
  await caughtUp(pipeline, group);
  const dead = (await deadLetters(pipeline, 'deposits.detected')).map(({ value, headers }) => [headers['weir_reason'], value] as const);
  expect(new Map(dead)).toEqual(
    new Map([
      ['MALFORMED', malformed],
      ['UNDECODABLE', Buffer.from('not a record')],
    ]),
  );
  expect(dead).toHaveLength(2);
  expect(await requests(pipeline)).toEqual([requestId('d-2')]);
});

test('a call with one that is wrong leaves nothing of the call behind', async () => {
  const pipeline = await stack.pipeline();
  const intake = await Intake.open(pipeline, options);
  await expect(intake.request([raw({ source_id: 'd-2' }), raw({ amount: 'x' })])).rejects.toBeInstanceOf(PoisonRecord);
  await intake.request([raw()]);
  await expect(intake.request([raw({ source_id: 'd-2' }), raw({ amount: '2' })])).rejects.toMatchObject({ reason: 'CONFLICTING_CONTENT' });
  expect((await pipeline.pool.query('SELECT screening_id FROM intake.transfers')).rows).toEqual([
    { screening_id: screeningId('deposit', 'd-1') },
  ]);
  expect(await requests(pipeline)).toEqual([requestId('d-1')]);
  await intake.stop();
});

/** A process that dies, or loses the log, after its transaction. */
function withoutLog(pipeline: OpenPipeline): Pipeline {
  const log = Object.assign(Object.create(null), { publish: () => Promise.reject(new Error('gone')) }) as Pipeline['log'];
  return { ...pipeline, log };
}

function checked(given: RawTransfer): CheckedTransfer {
  const result = checkTransfer(given);
  if (isMalformed(result)) throw new Error(JSON.stringify(result.problems));
  return result;
}

test('what a crash kept from being published is published by the next start, the same bytes as a repeat would', async () => {
  const pipeline = withLogElsewhere(await stack.pipeline());
  const crashing = await Intake.open(withoutLog(pipeline), options);
  await expect(crashing.request([raw()])).rejects.toThrow('gone');
  expect(await crashing.accept(checked(raw({ source_id: 'd-2' })))).toBe('new');
  await crashing.stop();
  expect([await requests(pipeline), await readTopic(pipeline, 'deposits.detected')]).toEqual([[], []]);

  // The sweep skips events younger than two seconds.
  await pipeline.pool.query(`UPDATE outbox.events SET created_at = created_at - interval '10 seconds';
    UPDATE outbox.batches SET created_at = created_at - interval '10 seconds'`);
  const next = await Intake.open(pipeline, options);
  await vi.waitFor(async () => {
    expect(await requests(pipeline)).toEqual([requestId('d-1'), requestId('d-2')].sort());
    expect((await readTopic(pipeline, 'deposits.detected')).map(({ data }) => data.deposit_id)).toEqual(['d-2']);
  });
  await next.request([raw({ to_address: lowerCase })]);
  expect(await requests(pipeline)).toEqual([requestId('d-1'), requestId('d-2')].sort());
  await next.stop();
});

test('what a caller told is requested at once, and once: what its topic tells again is on its way, lost, or new', async () => {
  const pipeline = withLogElsewhere(await stack.pipeline());
  // It was not started, so it publishes only events that it stored.
  const intake = await Intake.open({ ...pipeline, clock: new ManualClock(0) }, options);
  const publishings = async () => (await readTopic(pipeline, 'screenings.requested')).length;
  expect(await intake.accept(checked(raw()))).toBe('new');
  expect(await publishings()).toBe(1);
  await intake.request([raw()]);
  expect(await publishings()).toBe(1);
  // Neither published nor young: the storing process ended before publishing, or could not mark it.
  await pipeline.pool.query("UPDATE outbox.events SET published = false, created_at = created_at - interval '10 seconds'");
  await intake.request([raw()]);
  expect(await publishings()).toBe(2);
  // As an older version accepted it, which left the request to the topic.
  await pipeline.pool.query("DELETE FROM outbox.events WHERE topic = 'screenings.requested'");
  await intake.request([raw(), raw({ source_id: 'd-2' })]);
  expect(await publishings()).toBe(4);
  expect(await requests(pipeline)).toEqual([requestId('d-1'), requestId('d-2')].sort());
  await intake.stop();
});

test('a request names the token that posted the transfer, keeps the lane of its kind however many came before, and a topic names none', async () => {
  const pipeline = await stack.pipeline();
  const intake = await Intake.open(pipeline, options);
  const caller = { id: 'own', role: 'ingest', name: 'own', limits: { perSecond: null, perDay: 1 } } as const;
  for (let n = 0; n < 3; n++) await intake.accept(checked(raw({ source_id: `posted-${n}` })), caller);
  await intake.request([raw({ source_id: 'by-topic' })]);
  const requested = (await readTopic(pipeline, 'screenings.requested')).map(({ data }) => [
    data.transfer.source_id,
    data.lane,
    data.token_id,
  ]);
  expect(requested.toSorted((a, b) => String(a[0]).localeCompare(String(b[0])))).toEqual([
    ['by-topic', 'deposit', null],
    ['posted-0', 'deposit', 'own'],
    ['posted-1', 'deposit', 'own'],
    ['posted-2', 'deposit', 'own'],
  ]);
  await intake.stop();
});

test('a crash in the transaction leaves nothing, and the repeat is new', async () => {
  const pipeline = await stack.pipeline();
  const intake = await Intake.open(pipeline, options);
  await pipeline.pool.query('ALTER TABLE log.records ADD CONSTRAINT fails CHECK (false) NOT VALID');
  await expect(intake.accept(checked(raw()))).rejects.toMatchObject({ code: '23514' });
  await pipeline.pool.query('ALTER TABLE log.records DROP CONSTRAINT fails');
  expect(await intake.accept(checked(raw()))).toBe('new');
  expect(await intake.accept(checked(raw({ occurred_at: 7 })))).toBe('known');
  expect(await intake.accept(checked(raw({ amount: '7' })))).toBe('conflict');
  await intake.stop();
});

test('of callers who come at once one contradicts, one cannot be told, and the others are taken', async () => {
  const pipeline = await stack.pipeline();
  const intake = await Intake.open(pipeline, options);
  await intake.accept(checked(raw({ source_id: 'd-0' })));
  const third = raw({ source_id: 'd-3' });
  const untellable = { ...checked(third), given: { ...third, amount: 5 as never } };
  const came = await Promise.allSettled([
    intake.accept(checked(raw({ source_id: 'd-1' }))),
    intake.accept(checked(raw({ source_id: 'd-2' }))),
    intake.accept(checked(raw({ source_id: 'd-0', amount: '9' }))),
    intake.accept(untellable),
    intake.accept(checked(raw({ source_id: 'd-2' }))),
    intake.accept(checked(raw({ source_id: 'd-4' }))),
  ]);
  expect(came.map((each) => (each.status === 'fulfilled' ? each.value : 'failed'))).toEqual([
    'new',
    'new',
    'conflict',
    'failed',
    'known',
    'new',
  ]);
  const { rows } = await pipeline.pool.query<{ id: string }>(`SELECT given->>'source_id' AS id FROM intake.transfers ORDER BY id`);
  expect(rows.map(({ id }) => id)).toEqual(['d-0', 'd-1', 'd-2', 'd-4']);
  expect([...new Set((await readTopic(pipeline, 'deposits.detected')).map(({ record }) => record.key))].sort()).toEqual([
    'd-0',
    'd-1',
    'd-2',
    'd-4',
  ]);
  await intake.stop();
});

test('a transfer that another replica, which has stopped, has in hand keeps no other caller waiting', async () => {
  const pipeline = await stack.pipeline();
  const intake = await Intake.open(pipeline, options);
  const stuck = await pipeline.pool.connect();
  await stuck.query('BEGIN');
  await stuck.query(`INSERT INTO intake.transfers VALUES ($1, '{}', '{"kind": "deposit"}')`, [screeningId('deposit', 'd-1')]);
  try {
    const [held, ...others] = await Promise.allSettled([
      intake.accept(checked(raw({ source_id: 'd-1' }))),
      intake.accept(checked(raw({ source_id: 'd-2' }))),
      intake.accept(checked(raw({ source_id: 'd-3' }))),
    ]);
    // Retriable: the other transaction's outcome is unknown.
    expect(held).toMatchObject({ status: 'rejected', reason: { code: 'DATABASE_UNAVAILABLE', retriable: true } });
    expect(others).toEqual([
      { status: 'fulfilled', value: 'new' },
      { status: 'fulfilled', value: 'new' },
    ]);
  } finally {
    await stuck.query('ROLLBACK');
    stuck.release();
  }
  expect(await intake.accept(checked(raw({ source_id: 'd-1' })))).toBe('new');
  await intake.stop();
});
