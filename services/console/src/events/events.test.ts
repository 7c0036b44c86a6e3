import { screeningId } from '@weir/contracts';
import { createApp, createLogger, hashToken, loadConfig, recordActivity, revokeToken, storeToken, tokenId } from '@weir/service-kit';
import { caughtUp, openTestStack, publishTo, type TestService, type TestStack } from '@weir/service-kit/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { consoleSchema } from '../config.ts';
import { consoleRole, decided, publish, requested } from '../events.testing.ts';
import { startConsole } from '../service.ts';

let stack: TestStack;
let console: TestService;
let app: ReturnType<typeof createApp>;

beforeEach(async () => {
  stack = await openTestStack({ roles: [consoleRole] });
  console = await stack.service((pipeline) => startConsole(pipeline, loadConfig(consoleSchema, {})), { role: consoleRole });
  for (const role of ['auditor', 'gate'] as const) await storeToken(stack.db.pool, `token-${role}`, role, role);
  app = createApp(createLogger({ service: 'console', level: 'silent' }), console.service.operations);
});
afterEach(() => stack.close());

const ask = async (path: string, headers: Record<string, string> = {}, token = 'token-auditor'): Promise<Response> =>
  app.request(path, { headers: { authorization: `Bearer ${token}`, ...headers } });

interface Stream {
  /** The id of the place where it began. */
  readonly begin: string;
  /** The next event. */
  next(): Promise<{ id: string; event: string; data: { data: { screening_id: string; revision: number; action: string } } }>;
  /** The text up to the next blank line. */
  block(): Promise<string | undefined>;
  close(): Promise<void>;
}

async function open(query = '', lastEventId?: string, token?: string): Promise<Stream> {
  const answer = await ask(`/v1/events${query}`, lastEventId === undefined ? {} : { 'last-event-id': lastEventId }, token);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (reader === undefined) throw new Error('no body');
  let text = '';
  const block = async (): Promise<string | undefined> => {
    for (;;) {
      const end = text.indexOf('\n\n');
      if (end >= 0) {
        const found = text.slice(0, end);
        text = text.slice(end + 2);
        return found;
      }
      const { value, done } = await reader.read();
      if (done) return undefined;
      text += value;
    }
  };
  const [, begin = ''] = /^: connected\nid: ([\d._]+)$/.exec((await block()) ?? '') ?? [];
  return {
    begin,
    block,
    next: async () => {
      const lines = new Map(
        ((await block()) ?? '').split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
      );
      return { id: lines.get('id') ?? '', event: lines.get('event') ?? '', data: JSON.parse(lines.get('data') ?? 'null') };
    },
    close: () => reader.cancel(),
  };
}

const publishDecisions = (...numbers: number[]) =>
  publish(
    console.pipeline,
    numbers.map((n) => decided(n % 2 === 0 ? 'withdrawal' : 'deposit', n, { action: n % 2 === 0 ? 'allow' : 'block' })),
  );
const idOf = (n: number) => screeningId(n % 2 === 0 ? 'withdrawal' : 'deposit', `${n % 2 === 0 ? 'withdrawal' : 'deposit'}-${n}`);

test('sends decisions from now on, as a webhook has them', async () => {
  await publishDecisions(1);
  await caughtUp(console.pipeline, 'console');
  const stream = await open();
  await publishDecisions(3);
  expect(await stream.next()).toEqual({
    id: expect.stringMatching(/^\d+(\.\d+)*$/),
    event: 'screening.decided',
    data: {
      type: 'screening.decided',
      timestamp: '2026-01-01T00:00:03.250Z',
      data: expect.objectContaining({ screening_id: idOf(3), source_id: 'deposit-3', kind: 'deposit', revision: 1, action: 'block' }),
    },
  });
  await stream.close();
});

test('goes on behind Last-Event-ID, none lost and none twice', async () => {
  const numbers = Array.from({ length: 250 }, (_, n) => n);
  const first = await open();
  await publishDecisions(...numbers);
  const seen: string[] = [];
  let last = '';
  for (let n = 0; n < 100; n++) {
    const { id, data } = await first.next();
    seen.push(data.data.screening_id);
    last = id;
  }
  await first.close();
  const second = await open('', last);
  for (let n = 0; n < 150; n++) seen.push((await second.next()).data.data.screening_id);
  await second.close();
  expect(seen.toSorted()).toEqual(numbers.map(idOf).toSorted());
});

test('a client that was cut off before its first event goes on where it began', async () => {
  await publishDecisions(1);
  await caughtUp(console.pipeline, 'console');
  const cut = await open();
  await cut.close();
  await publishDecisions(3);
  await caughtUp(console.pipeline, 'console');
  const stream = await open('', cut.begin);
  expect((await stream.next()).data.data.screening_id).toBe(idOf(3));
  await stream.close();
});

test('filters by kind, action and level, and passes over what is no decision', async () => {
  const stream = await open('?kind=withdrawal&action=allow&level=Severe');
  await publishTo(console.pipeline, 'screenings.decided', Buffer.from('no decision'));
  await publishDecisions(1, 2, 3);
  expect((await stream.next()).data.data.screening_id).toBe(idOf(2));
  await publishDecisions(5, 6);
  expect((await stream.next()).data.data.screening_id).toBe(idOf(6));
  await stream.close();
});

test('sends the acts of people on policies and labels, without what they wrote, and none of another kind', async () => {
  const stream = await open('?type=policy,label');
  const by = { id: 'reviewer:1', name: 'Ann' };
  const at = Date.now();
  const secret = { reason: 'secret words', name: 'secret name' };
  for (const [action, subjectType, subject] of [
    ['policy_proposed', 'policy', 'c0ffee'],
    ['policy_rejected', 'policy', 'c0ffee'],
    ['policy_activated', 'policy', 'c0ffee'],
    ['key_created', 'key', 'k-1'],
    ['label_change_requested', 'labels', 'r-1'],
    ['label_change_answered', 'labels', 'r-1'],
  ] as const)
    await recordActivity(stack.db.pool, { action, subjectType, subject, by, details: secret, at });
  const seen = [];
  for (let n = 0; n < 5; n += 1) seen.push(await stream.next());
  const person = { id: 'reviewer:1', name: 'Ann' };
  expect(seen.map(({ event, data }) => [event, data.data])).toEqual(
    expect.arrayContaining([
      ...['proposed', 'rejected', 'activated'].map((act) => [
        `policy.${act}`,
        { activity_id: expect.any(String), policy_hash: 'c0ffee', person },
      ]),
      ...['requested', 'answered'].map((act) => [`label.change_${act}`, { activity_id: expect.any(String), request_id: 'r-1', person }]),
    ]),
  );
  await stream.close();
});

test('sends the acts of people on reviews and cases, with their person and without their texts, and goes on behind them', async () => {
  await storeToken(stack.db.pool, 'token-reviewer', 'reviewer', 'Ann');
  await publish(console.pipeline, [requested('deposit', 1), decided('deposit', 1, { action: 'review', reason_codes: ['LEVEL_HIGH'] })]);
  await caughtUp(console.pipeline, 'console');
  const stream = await open('?type=review,case');
  const act = async (path: string, method: string, body: object): Promise<void> => {
    const headers = { authorization: 'Bearer token-reviewer', 'content-type': 'application/json' };
    expect((await app.request(path, { method, headers, body: JSON.stringify(body) })).ok).toBe(true);
  };
  await act(`/v1/reviews/${idOf(1)}/notes`, 'POST', { text: 'secret words' });
  const noted = await stream.next();
  expect(noted).toMatchObject({
    event: 'review.noted',
    data: { type: 'review.noted', data: { screening_id: idOf(1), person: { name: 'Ann' } } },
  });
  expect(JSON.stringify(noted)).not.toContain('secret');
  const cases = (await (await ask('/v1/cases')).json()) as { items: { case_id: string }[] };
  await act(`/v1/cases/${cases.items[0]?.case_id}/assignee`, 'PUT', { assignee: 'Ben' });
  const assigned = await stream.next();
  expect(assigned).toMatchObject({ event: 'case.assigned', data: { data: { case_id: cases.items[0]?.case_id, assignee: 'Ben' } } });
  await stream.close();
  await act(`/v1/reviews/${idOf(1)}/assignee`, 'PUT', { assignee: 'Cid' });
  await act(`/v1/reviews/${idOf(1)}/due`, 'PUT', { due_at: '2031-01-31T00:00:00Z' });
  // Behind the first of them, and only those of reviews.
  const resumed = await open('?type=review', noted.id);
  const both = [await resumed.next(), await resumed.next()];
  expect(both.map(({ event }) => event).toSorted()).toEqual(['review.assigned', 'review.due_set']);
  await resumed.close();
});

test('sends resolutions when they are made', async () => {
  const stream = await open('?type=review&action=allow');
  const resolution = { screening_id: idOf(1), revision: 1, reviewer: 'reviewer/1', approver: 'approver/2', reason: 'known' };
  const data = { ...resolution, resolution_id: 'r-1', resolved_at: 1_767_225_600_000, approved_at: 1_767_225_601_000 };
  await publish(console.pipeline, [
    { topic: 'reviews.resolved', data: { ...data, action: 'block' } },
    { topic: 'reviews.resolved', data: { ...data, action: 'allow' } },
  ]);
  const { reviewer: resolved_by, approver: approved_by, reason: _, ...rest } = resolution;
  expect((await stream.next()).data).toEqual({
    type: 'review.resolved',
    timestamp: '2026-01-01T00:00:01.000Z',
    data: { ...rest, resolution_id: 'r-1', action: 'allow', resolved_by, approved_by },
  });
  await stream.close();
});

test('sends the health at the begin and when it changes', async () => {
  let warnings: string[] = [];
  console.pipeline.readiness.set('console', {
    unavailable: async () => [],
    expose: async () => ({ type: '', text: '' }),
    warnings: () => warnings,
  });
  const stream = await open('?type=health,screening');
  expect(await stream.next()).toMatchObject({ event: 'health.changed', data: { data: { status: 'ready', unavailable: [] } } });
  warnings = ['one'];
  expect(await stream.next()).toMatchObject({ event: 'health.changed', data: { data: { warnings: ['one'] } } });
  await publishDecisions(1);
  expect((await stream.next()).event).toBe('screening.decided');
  await stream.close();
});

test('ends when the console stops', async () => {
  const stream = await open();
  await console.stop();
  expect(await stream.block()).toBeUndefined();
});

test('ends soon after its token was revoked, and sends nothing more', async () => {
  await storeToken(stack.db.pool, 'token-leaver', 'auditor', 'leaver');
  const stream = await open('', undefined, 'token-leaver');
  await revokeToken(stack.db.pool, tokenId(hashToken('token-leaver')));
  expect(await stream.block()).toBeUndefined();
  expect((await ask('/v1/events', {}, 'token-leaver')).status).toBe(401);
});

test.each(['x', '1', '1.', '-1', '1.2.3.4.5.6.7.8.9.1.2.3.4.5.6.7.8.9', '99999999999999999999', '9999999999999999999'])(
  'refuses the Last-Event-ID %s',
  async (id) => {
    const answer = await ask('/v1/events', { 'last-event-id': id });
    expect([answer.status, await answer.json()]).toEqual([400, expect.objectContaining({ code: 'INVALID_LAST_EVENT_ID' })]);
  },
);

test('is for those who may read', async () => {
  expect((await ask('/v1/events', {}, 'token-gate')).status).toBe(403);
  expect((await ask('/v1/events', {}, 'none')).status).toBe(401);
  expect((await ask('/v1/events?user=x')).status).toBe(400);
  expect((await ask('/v1/events?type=review,other')).status).toBe(400);
});

test('a process has a bounded number of streams, and a client that left gives its place back', async () => {
  const streams = await Promise.all(Array.from({ length: 64 }, () => open()));
  expect((await ask('/v1/events')).status).toBe(503);
  await streams[0]?.close();
  await expect
    .poll(
      async () => {
        const answer = await ask('/v1/events');
        await answer.body?.cancel();
        return answer.status;
      },
      { timeout: 10_000 },
    )
    .toBe(200);
  for (const stream of streams.slice(1)) await stream.close();
});
