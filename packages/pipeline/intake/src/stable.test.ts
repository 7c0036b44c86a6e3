import { ManualClock } from '@weir/clock';
import { type CheckedTransfer, checkTransfer, Intake, isMalformed, type RawTransfer, toDeposit } from './index.ts';
import type { Topic } from '@weir/contracts';
import type { OpenPipeline } from '@weir/service-kit';
import { openTestStack, type TestStack, readTopic, withLogElsewhere } from '@weir/service-kit/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { databaseNow } from '@weir/postgres';
import { detectedAt, mixedCase, raw, receivedAt } from './transfers.testing.ts';

const known = vi.hoisted((): { coins: readonly string[] | undefined } => ({ coins: undefined }));
vi.mock('@weir/chains', async (original) => {
  const real = await original<typeof import('@weir/chains')>();
  return {
    ...real,
    readCoin: (symbol: string, chain: string | null) =>
      known.coins?.includes(symbol) === false ? undefined : real.readCoin(symbol, chain),
  };
});

let stack: TestStack;
let pipeline: OpenPipeline;
let clock: ManualClock;
const intakes: Intake[] = [];
beforeEach(async () => {
  known.coins = undefined;
  stack = await openTestStack();
  pipeline = await stack.pipeline();
  clock = new ManualClock(receivedAt);
});
afterEach(async () => {
  for (const intake of intakes.splice(0)) await intake.stop();
  await stack.close();
});

/** Only the service has this clock; the log uses the machine's. */
async function open(deadlineMs = 600_000, of = pipeline): Promise<Intake> {
  const intake = await Intake.open({ ...of, clock }, { service: 'deposit-ingest', deadlineMs });
  intakes.push(intake);
  return intake;
}

function checked(given: RawTransfer): CheckedTransfer {
  const result = checkTransfer(given);
  if (isMalformed(result)) throw new Error(JSON.stringify(result.problems));
  return result;
}

const post = (intake: Intake, over: Partial<RawTransfer> = {}) => intake.accept(checked(raw(over)));

const published = async (topic: Topic) =>
  (await readTopic(pipeline, topic)).map(({ id, record: { key, value, headers } }) => ({ id, key, value, headers }));

test('what is told again after the outbox was trimmed is published with the same bytes', async () => {
  const elsewhere = withLogElsewhere(pipeline);
  const first = await open(600_000, elsewhere);
  // Neither gave a time, so both times are those of receipt.
  expect(await post(first, { occurred_at: receivedAt })).toBe('new');
  await first.request([raw({ source_id: 'd-2' }), raw({ occurred_at: receivedAt, received_at: receivedAt + 3 })]);
  await pipeline.pool.query('DELETE FROM outbox.events');

  await clock.advance(86_400_000);
  // Another version with another setting and other coins.
  const second = await open(1_000, elsewhere);
  known.coins = [];
  const again = { occurred_at: clock.now(), received_at: clock.now() };
  expect(await post(second, again)).toBe('known');
  await second.request([raw({ ...again, source_id: 'd-2' }), raw(again)]);

  for (const [topic, count] of [
    ['deposits.detected', 1],
    ['screenings.requested', 2],
  ] as const) {
    const events = await published(topic);
    expect(events).toHaveLength(count * 2);
    expect(new Set(events.map(({ id }) => id)).size).toBe(count);
    for (const event of events) expect(event).toEqual(events.find(({ id }) => id === event.id));
  }
});

test('the deadline counts from the receipt, however long the transfer waited to be handled', async () => {
  const intake = await open();
  expect(await post(intake)).toBe('new');
  const accepted = (await readTopic(pipeline, 'screenings.requested')).map(({ data }) => data.requested_at);
  await clock.advance(3_600_000);
  await intake.request([raw({ received_at: receivedAt + 2 }), raw({ source_id: 'd-2' })]);
  const requests = await readTopic(pipeline, 'screenings.requested');
  expect(new Map(requests.map(({ data }) => [data.transfer.source_id, [data.requested_at, data.deadline_at]]))).toEqual(
    new Map([
      ['d-1', [accepted[0], (accepted[0] ?? 0) + 600_000]],
      ['d-2', [receivedAt, receivedAt + 600_000]],
    ]),
  );
});

test('a log whose clock goes ahead gives no more time', async () => {
  const intake = await open();
  const before = await databaseNow(pipeline.pool);
  await intake.request([raw({ received_at: before + 86_400_000 })]);
  const after = await databaseNow(pipeline.pool);
  const [deadline = 0] = (await readTopic(pipeline, 'screenings.requested')).map(({ data }) => data.deadline_at);
  expect(deadline).toBeGreaterThanOrEqual(before + 600_000);
  expect(deadline).toBeLessThanOrEqual(after + 600_000);
});

test.each([-3_600_000, 3_600_000])('a replica whose clock is %d ms off gives the deadline by the database', async (off) => {
  const before = await databaseNow(pipeline.pool);
  await clock.advance(before + off - clock.now());
  const intake = await open();
  expect(await post(intake, { received_at: await intake.now() })).toBe('new');
  const after = await databaseNow(pipeline.pool);
  const [request] = await readTopic(pipeline, 'screenings.requested');
  expect(request?.data.deadline_at).toBeGreaterThanOrEqual(before + 600_000);
  expect(request?.data.deadline_at).toBeLessThanOrEqual(after + 600_000);
});

test.each(['in the same words', 'with the address in its other form', 'with the chain named'])(
  'a coin that becomes known between the acceptance and the request makes no contradiction: %s',
  async (how) => {
    const over =
      { 'with the address in its other form': { to_address: mixedCase }, 'with the chain named': { chain: 'ethereum' } }[how] ?? {};
    known.coins = [];
    const intake = await open();
    expect(await post(intake)).toBe('new');
    known.coins = undefined;
    const [event] = await readTopic(pipeline, 'deposits.detected');
    expect(event?.data).toEqual(toDeposit(raw()));
    await intake.request([raw(over)]);
    expect(await post(intake, over)).toBe('known');
    expect(await post(intake, { amount: '2' })).toBe('conflict');
    const [request, ...more] = await readTopic(pipeline, 'screenings.requested');
    // A repeat publishes it again.
    for (const { record } of more) expect(record.value).toEqual(request?.record.value);
    // As first accepted: it is held, and allows nothing.
    expect(request?.data).toMatchObject({ fault: 'UNSUPPORTED_COIN', transfer: { occurred_at: detectedAt } });
  },
);

test('a coin that is no longer known makes no contradiction of the same words', async () => {
  const intake = await open();
  expect(await post(intake, { to_address: mixedCase })).toBe('new');
  known.coins = [];
  await intake.request([raw({ to_address: mixedCase })]);
  expect((await readTopic(pipeline, 'screenings.requested')).map(({ data }) => data.fault)).toEqual([null]);
});
