import { ManualClock } from '@weir/clock';
import { eventId, type ScreeningDecided, screeningId } from '@weir/contracts';
import { caughtUp, deadLetters, openTestStack, type TestStack } from '@weir/service-kit/testing';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { ConsoleSettings } from '../config.ts';
import { consoleRole, decided, publish } from '../events.testing.ts';
import { type PostingConsole, settingsFor, startPosting } from './console.testing.ts';
import { newSecret, type Receiver, startReceiver, status } from './receiver.testing.ts';

let stack: TestStack;
let receiver: Receiver;
let console: PostingConsole;
beforeEach(async () => {
  stack = await openTestStack({ roles: [consoleRole] });
});
afterEach(async () => {
  await stack.close();
  await receiver.close();
});

const id = (n = 1): string => screeningId('deposit', `deposit-${n}`);
const event = (n = 1, revision = 1): string => eventId('screenings.decided', id(n), revision);
const tell = (...all: [n: number, over?: Partial<ScreeningDecided>][]): Promise<void> =>
  publish(
    console.pipeline,
    all.map(([n, over]) => decided('deposit', n, over)),
  );
const show = async (n = 1, revision = 1) => (await console.ask('GET', `/v1/webhooks/deliveries/${event(n, revision)}`)).body;
const until = (check: () => unknown): Promise<unknown> => vi.waitFor(check, { timeout: 15_000, interval: 20 });
const arrived = (count: number): Promise<unknown> => until(() => expect(receiver.arrivals.length).toBeGreaterThanOrEqual(count));
const open = async (over: Partial<ConsoleSettings> = {}): Promise<void> => {
  receiver = await startReceiver();
  console = await startPosting(stack, settingsFor(receiver, over));
};

describe('a decision', () => {
  test('is posted once, signed, as documented, and stands in the delivery log', async () => {
    await open();
    await tell([1, { resolution_id: null }]);
    await until(async () => expect(await show()).toMatchObject({ state: 'delivered' }));
    // A repeat of the event adds no delivery.
    await tell([1], [1, { action: 'allow' }]);
    await caughtUp(console.pipeline, 'webhooks');
    const data = {
      screening_id: id(),
      kind: 'deposit',
      source_id: 'deposit-1',
      revision: 1,
      action: 'block',
      reason_codes: ['LEVEL_SEVERE'],
      rule: null,
      policy_hash: 'c0ffee',
      decided_at: '2026-01-01T00:00:01.250Z',
      supersedes: null,
      resolution_id: null,
    };
    expect(receiver.arrivals).toHaveLength(1);
    expect(receiver.arrivals[0]?.payload).toEqual({ type: 'screening.decided', timestamp: '2026-01-01T00:00:01.250Z', data });
    expect(receiver.arrivals[0]).toMatchObject({
      id: event(),
      headers: { 'content-type': 'application/json', 'user-agent': 'weir', 'webhook-signature': expect.stringMatching(/^v1,[^ ]+$/) },
    });
    expect(await show()).toEqual({
      event_id: event(),
      screening_id: id(),
      revision: 1,
      state: 'delivered',
      attempts: 1,
      created_at: expect.any(String),
      next_at: null,
      attempted_at: expect.any(String),
      settled_at: expect.any(String),
      last_status: 200,
      last_error: null,
      body: receiver.arrivals[0]?.body,
    });
    expect(receiver.unverified).toBe(0);
  });

  test('that no database could hold goes to the dead letters and stops nothing', async () => {
    await open();
    await tell([1, { screening_id: 'none' }], [2]);
    await arrived(1);
    await caughtUp(console.pipeline, 'webhooks');
    expect(receiver.arrivals.map((arrival) => arrival.id)).toEqual([event(2)]);
    expect((await deadLetters(console.pipeline, 'screenings.decided')).map(({ headers }) => headers['weir_reason'])).toContain(
      'INVALID_SCREENING_ID',
    );
  });
});

describe('the signature', () => {
  test('does not fit another body, id or time', async () => {
    await open();
    await tell([1]);
    await arrived(1);
    const [{ body, headers }] = receiver.arrivals as [(typeof receiver.arrivals)[0]];
    const verify = (text: string, over: Record<string, string> = {}) =>
      new Webhook(receiver.secret).verify(text, { ...(headers as Record<string, string>), ...over });
    expect(verify(body)).toMatchObject({ data: { action: 'block' } });
    expect(() => verify(body.replace('"block"', '"allow"'))).toThrow('No matching signature');
    expect(() => verify(body, { 'webhook-id': event(2) })).toThrow('No matching signature');
    expect(() => verify(body, { 'webhook-timestamp': String(Number(headers['webhook-timestamp']) - 1) })).toThrow('No matching signature');
    expect(() => verify(body, { 'webhook-timestamp': '1' })).toThrow('too old');
    expect(() => new Webhook(newSecret()).verify(body, headers as Record<string, string>)).toThrow('No matching signature');
  });

  test('is there for each secret, so that a receiver with either takes it', async () => {
    const [old, next] = [newSecret(), newSecret()];
    receiver = await startReceiver({ secret: old });
    console = await startPosting(stack, settingsFor(receiver, { webhookSecrets: `${next}, ${old}` }));
    await tell([1]);
    await arrived(1);
    const [{ body, headers }] = receiver.arrivals as [(typeof receiver.arrivals)[0]];
    expect(String(headers['webhook-signature'])).toMatch(/^v1,\S+ v1,\S+$/);
    expect(new Webhook(next).verify(body, headers as Record<string, string>)).toEqual(receiver.arrivals[0]?.payload);
  });
});

describe('with time standing still', () => {
  let clock: ManualClock;
  beforeEach(async () => {
    clock = new ManualClock();
    receiver = await startReceiver({ now: () => clock.now() });
  });
  const attempts = (n: number): Promise<unknown> => until(async () => expect(await show()).toMatchObject({ attempts: n }));
  /** Waits until the loop and the sweep sleep. The last result may still be on its way to the row. */
  async function idle(): Promise<void> {
    const end = performance.now() + 120_000;
    while (clock.sleeping !== 2) {
      if (performance.now() > end) throw new Error(`${clock.sleeping} sleep`);
      await new Promise(setImmediate);
    }
  }
  /** Advances the clock and waits for the work that falls due. */
  async function pass(ms: number): Promise<void> {
    await idle();
    await clock.advance(ms);
    await idle();
  }

  test('what is not taken is repeated on schedule, with new times and the same bytes, and given up after the last', async () => {
    console = await startPosting(stack, settingsFor(receiver), clock);
    receiver.behave(status(500));
    await tell([1]);
    await arrived(1);
    const waits = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400].map((s) => s * 1_000);
    for (const [n, wait] of waits.entries()) {
      await attempts(n + 1);
      const { next_at, attempted_at } = await show();
      const waitMs = Date.parse(next_at) - Date.parse(attempted_at);
      expect(waitMs).toBeGreaterThanOrEqual(wait);
      expect(waitMs).toBeLessThanOrEqual(wait * 1.1);
      await pass(Date.parse(next_at) - clock.now() - 1);
      expect(receiver.arrivals).toHaveLength(n + 1);
      await pass(1_000);
      await arrived(n + 2);
    }
    await until(async () => expect(await show()).toMatchObject({ state: 'failed', attempts: 10, last_status: 500, last_error: 'REFUSED' }));
    expect(receiver.unverified).toBe(0);
    const times = receiver.arrivals.map(({ headers }) => Number(headers['webhook-timestamp']));
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(new Set(times).size).toBe(10);
    expect(new Set(receiver.arrivals.map(({ body }) => body)).size).toBe(1);
    expect(new Set(receiver.arrivals.map((arrival) => arrival.id))).toEqual(new Set([event()]));
    expect(await console.scrape()).toContain('weir_webhook_deliveries_total{result="given_up"} 1');
    expect(await console.scrape()).toContain('weir_webhook_deliveries_total{result="repeated"} 9');
    expect(await console.scrape()).toContain('weir_webhook_oldest_seconds 0');
    await pass(30 * 86_400_000);
    expect(receiver.arrivals).toHaveLength(10);
    // A person retries after a look at it.
    receiver.behave(status(204));
    expect(await console.ask('POST', `/v1/webhooks/deliveries/${event()}/retry`, 'admin')).toMatchObject({
      status: 200,
      body: { state: 'pending', attempts: 0, settled_at: null },
    });
    await until(async () => expect(await show()).toMatchObject({ state: 'delivered', attempts: 1, last_status: 204, last_error: null }));
  });

  test('a later revision waits for the earlier one, and not for one that was given up', async () => {
    console = await startPosting(stack, settingsFor(receiver, { webhookRetryDelaysS: '100' }), clock);
    receiver.behave((response, { payload }, request) =>
      status(payload.data.screening_id === id(1) && payload.data.revision === 1 ? 400 : 200)(response, {} as never, request),
    );
    await tell([1], [1, { revision: 2, supersedes: 1 }], [1, { revision: 3, supersedes: 2 }], [2]);
    await until(async () => expect(await show(2)).toMatchObject({ state: 'delivered' }));
    await attempts(1);
    await pass(62_000);
    expect(await show(1, 2)).toMatchObject({ state: 'pending', attempts: 0 });
    expect(await console.scrape()).toContain('weir_webhook_oldest_seconds 62');
    await pass(60_000);
    await until(async () => expect(await show(1, 3)).toMatchObject({ state: 'delivered' }));
    expect(await show(1, 1)).toMatchObject({ state: 'failed', attempts: 2 });
    expect(receiver.taken().get(id(1))).toEqual([2, 3]);
  });

  test('what a person asks for anew while it is under way is not given up by what came of the attempt before', async () => {
    console = await startPosting(stack, settingsFor(receiver, { webhookRetryDelaysS: '10' }), clock);
    receiver.behave(status(400));
    await tell([1]);
    await attempts(1);
    receiver.behave(() => undefined);
    await idle();
    await clock.advance(11_000);
    await arrived(2);
    expect((await console.ask('POST', `/v1/webhooks/deliveries/${event()}/retry`, 'admin')).body).toMatchObject({ attempts: 0 });
    receiver.behave(status(200));
    // The earlier attempt times out.
    await clock.advance(5_000);
    await until(async () => expect(await show()).toMatchObject({ state: 'delivered', attempts: 1 }));
    expect(receiver.arrivals).toHaveLength(3);
  });

  test.each([
    ['429', 429, '120', 120_000],
    ['503 with a date', 503, 'date', 120_000],
    ['a wait without end', 429, '99999999', 3_600_000],
  ])('Retry-After of %s is kept, for all, and bounded', async (_, code, after, waitMs) => {
    console = await startPosting(stack, settingsFor(receiver), clock);
    const header = after === 'date' ? new Date(Math.ceil(clock.now() / 1_000) * 1_000 + waitMs).toUTCString() : after;
    receiver.behave(status(code, { 'retry-after': header }));
    await tell([1]);
    await attempts(1);
    receiver.behave(status(200));
    await tell([2]);
    await caughtUp(console.pipeline, 'webhooks');
    await pass(waitMs - 5_000);
    await pass(1_000);
    expect(receiver.arrivals).toHaveLength(1);
    await pass(5_000);
    await pass(1_000);
    await pass(400_000);
    await until(async () => expect([await show(1), await show(2)]).toMatchObject([{ state: 'delivered' }, { state: 'delivered' }]));
    expect((await show()).next_at).toBeNull();
  });

  test('while the receiver is away one at a time asks, attempts are not spent, and all follow when it is back', async () => {
    console = await startPosting(stack, settingsFor(receiver, { webhookConcurrency: 4 }), clock);
    receiver.behave(status(503));
    await tell(...Array.from({ length: 40 }, (_, n): [number] => [n]));
    await until(() => expect(receiver.arrivals.length).toBeGreaterThan(0));
    await caughtUp(console.pipeline, 'webhooks');
    await idle();
    const before = receiver.arrivals.length;
    expect(before).toBeLessThanOrEqual(4);
    for (let n = 0; n < 300; n += 1) await pass(1_000);
    // Five minutes of probes, after 1, 2, 4 … 60 seconds, each late by up to a second.
    expect(receiver.arrivals.length - before).toBeGreaterThanOrEqual(7);
    expect(receiver.arrivals.length - before).toBeLessThanOrEqual(9);
    expect(receiver.most).toBeLessThanOrEqual(4);
    receiver.behave(status(200));
    await pass(60_000);
    await pass(1_000);
    await until(() => expect(receiver.taken().size).toBeGreaterThanOrEqual(39));
    // The first failure may have caused the outage, so it keeps its own schedule.
    await pass(3_600_000);
    await until(() => expect(receiver.taken().size).toBe(40));
    expect(console.logged()).toContain('the receiver of webhooks is back');
  });

  test('what was not taken while the receiver was away is due when it is back, but for what the trouble began with', async () => {
    console = await startPosting(stack, settingsFor(receiver), clock);
    receiver.behave(status(503));
    await tell([1], [2]);
    for (let n = 0; n < 400; n += 1) await pass(1_000);
    const both = async () => [await show(1), await show(2)];
    await until(async () => expect(await both()).toMatchObject([{ attempts: 3 }, { attempts: 3 }]));
    receiver.behave(status(200));
    await tell([3]);
    await caughtUp(console.pipeline, 'webhooks');
    await pass(1_000);
    await pass(1_000);
    await until(async () => expect((await both()).filter(({ state }) => state === 'delivered')).toHaveLength(1));
    expect(await show(3)).toMatchObject({ state: 'delivered', attempts: 1 });
    await pass(1_000);
    expect((await both()).filter(({ state }) => state === 'pending')).toHaveLength(1);
    await pass(2_000_000);
    await until(async () => expect(await both()).toMatchObject([{ state: 'delivered' }, { state: 'delivered' }]));
  });

  test('410 Gone stops everything, also for other replicas and after a restart, until a person retries one', async () => {
    console = await startPosting(stack, settingsFor(receiver), clock);
    receiver.behave(status(410));
    await tell([1]);
    await attempts(1);
    expect(await show()).toMatchObject({ state: 'pending', last_status: 410, last_error: 'GONE' });
    expect(console.service.warnings?.()).toEqual([expect.stringContaining('410 Gone')]);
    await console.stop();
    receiver.behave(status(200));
    console = await startPosting(stack, settingsFor(receiver), clock);
    await tell([2]);
    await caughtUp(console.pipeline, 'webhooks');
    await pass(86_400_000);
    await pass(1_000);
    expect(receiver.arrivals).toHaveLength(1);
    expect(console.service.warnings?.()).toEqual([expect.stringContaining('410 Gone')]);
    expect((await console.ask('POST', `/v1/webhooks/deliveries/${event(2)}/retry`, 'admin')).status).toBe(200);
    await pass(1_000);
    await until(async () => expect([await show(1), await show(2)]).toMatchObject([{ state: 'delivered' }, { state: 'delivered' }]));
    expect(console.service.warnings?.()).toEqual([]);
  });

  test('what was delivered long ago is swept, and nothing else', async () => {
    console = await startPosting(stack, settingsFor(receiver, { webhookKeepMs: 86_400_000, webhookRetryDelaysS: '1' }), clock);
    receiver.behave((response, { payload }) => response.writeHead(payload.data.source_id === 'deposit-1' ? 400 : 200).end());
    await tell([1], [2]);
    await attempts(1);
    await pass(2_000);
    await until(async () => expect(await show()).toMatchObject({ state: 'failed' }));
    await until(async () => expect(await show(2)).toMatchObject({ state: 'delivered' }));
    await pass(80_000_000);
    await tell([3]);
    await until(async () => expect(await show(3)).toMatchObject({ state: 'delivered' }));
    await pass(10_000_000);
    // The sweep runs each hour.
    await pass(3_600_000);
    await until(async () => expect((await console.ask('GET', '/v1/webhooks/deliveries')).body.items).toHaveLength(2));
    expect((await console.ask('GET', '/v1/webhooks/deliveries')).body.items.map((item: { event_id: string }) => item.event_id)).toEqual([
      event(3),
      event(1),
    ]);
  });
});
