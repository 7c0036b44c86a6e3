import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type StreamOptions, WeirClient } from './index.ts';
import { cut, json, PassingClock, problem, type ScriptedServer, type Step, startScriptedServer } from './scripted-server.testing.ts';

let server: ScriptedServer;
beforeAll(async () => {
  server = await startScriptedServer();
});
afterAll(() => server.close());

const decisionOf = (n: number) => ({
  type: 'screening.decided',
  timestamp: '2026-01-31T09:13:00.000Z',
  data: { screening_id: `s-${n}`, revision: 1, action: 'allow', kind: 'deposit', source_id: `d-${n}` },
});
const block = (n: number, event = 'screening.decided'): string => `event: ${event}\nid: 0.${n}\ndata: ${JSON.stringify(decisionOf(n))}\n\n`;
const start = (response: ServerResponse): ServerResponse => response.writeHead(200, { 'content-type': 'text/event-stream' });
/** Sends the pieces, then ends as `end` says. */
const stream =
  (pieces: readonly string[], end: 'close' | 'cut' | 'stay' = 'stay'): Step =>
  (response) => {
    start(response);
    for (const piece of pieces) response.write(piece);
    if (end === 'close') response.end();
    if (end === 'cut') response.write('', () => response.destroy());
  };

const clock = new PassingClock();
const connect = (options: Omit<StreamOptions, 'type'> = {}, more: object = {}) =>
  new WeirClient({ baseUrl: server.url, token: 't', clock, timeoutMs: 3_600_000, random: () => 0, ...more }).events({
    idleMs: 3_600_000,
    ...options,
  });

async function take(events: ReturnType<typeof connect>, count: number): Promise<string[]> {
  const taken: string[] = [];
  for await (const { id, data } of events) if (taken.push(`${id} ${data.source_id}`) === count) break;
  return taken;
}
const lastIds = (): unknown[] => server.seen.map(({ headers }) => headers['last-event-id']);

test('goes on behind the last event after an end, a cut and a refusal', async () => {
  server.script(
    stream([': connected\nid: 0.0\n\n', block(1)], 'close'),
    problem(503, 'TOO_MANY_CLIENTS'),
    cut,
    stream([block(2), block(3)], 'cut'),
    stream([block(4)]),
  );
  expect(await take(connect({ kind: 'deposit' }), 4)).toEqual(['0.1 d-1', '0.2 d-2', '0.3 d-3', '0.4 d-4']);
  expect(lastIds()).toEqual([undefined, '0.1', '0.1', '0.1', '0.3']);
  expect(new Set(server.seen.map(({ path }) => path))).toEqual(new Set(['/v1/events?kind=deposit']));
});

test('goes on where it began when it is cut off before its first event, and behind a heartbeat', async () => {
  server.script(stream([': connected\nid: 0.7\n\n'], 'cut'), stream([': heartbeat\nid: 0.9\n\n'], 'close'), stream([block(10)]));
  await take(connect(), 1);
  expect(lastIds()).toEqual([undefined, '0.7', '0.9']);
});

test('an event that was not taken is read again', async () => {
  server.script(stream([block(1) + block(2)]), stream([block(2)]));
  const events = connect();
  expect((await events.next()).value?.id).toBe('0.1');
  await events.return(undefined);
  expect(await take(connect({ lastEventId: '0.1' }), 1)).toEqual(['0.2 d-2']);
  expect(lastIds()).toEqual([undefined, '0.1']);
});

test('pieces may end anywhere, and events of other types are passed over', async () => {
  const text = `${block(1, 'price.changed')}: heartbeat\r\n\r\n${block(2).replace('d-2', 'd-é')}`;
  const bytes = Buffer.from(text);
  server.script((response) => {
    start(response);
    for (const byte of bytes) response.write(Buffer.of(byte));
  });
  expect(await take(connect(), 1)).toEqual(['0.2 d-é']);
});

test('with a type it has acts of people and health beside decisions', async () => {
  const eventOf = (n: number, type: string, data: object): string =>
    `event: ${type}\nid: 0.1_${n}\ndata: ${JSON.stringify({ type, timestamp: '2026-01-31T09:13:00.000Z', data })}\n\n`;
  const noted = eventOf(1, 'review.noted', { activity_id: 'a-1', screening_id: 's-1', person: { id: 'ann', name: 'Ann' } });
  const proposed = eventOf(1, 'policy.proposed', { activity_id: 'a-2', policy_hash: 'c0ffee', person: { id: 'ann', name: 'Ann' } });
  const asked = eventOf(1, 'label.requested', { activity_id: 'a-3', request_id: 'r-1', person: { id: 'ben', name: 'Ben' } });
  server.script(
    stream([noted, proposed, asked, eventOf(1, 'health.changed', { status: 'not ready', unavailable: ['database'] }), block(2)]),
  );
  const client = new WeirClient({ baseUrl: server.url, token: 't', clock, timeoutMs: 3_600_000, random: () => 0 });
  const taken: unknown[] = [];
  for await (const event of client.events({ type: 'screening,review,policy,label,health', idleMs: 3_600_000 })) {
    if (event.type === 'screening.decided') taken.push(event.data.source_id);
    else taken.push(event.type === 'health.changed' ? event.data.unavailable : event.data.person?.name);
    if (taken.length === 5) break;
  }
  expect(taken).toEqual(['Ann', 'Ann', 'Ben', ['database'], 'd-2']);
  expect(server.seen[0]?.path).toBe(`/v1/events?type=${encodeURIComponent('screening,review,policy,label,health')}`);
});

test('a connection without a byte is opened anew', async () => {
  const real = { clock: undefined, retry: { firstMs: 1 } };
  const { clock: _, ...options } = real;
  server.script(stream([': connected\nid: 0.3\n\n']), stream([block(4)]));
  const client = new WeirClient({ baseUrl: server.url, token: 't', ...options });
  // Enough for the first bytes of each.
  expect(await take(client.events({ idleMs: 2_000 }), 1)).toEqual(['0.4 d-4']);
  expect(lastIds()).toEqual([undefined, '0.3']);
});

test.each<[string, Step, object]>([
  ['a token that may not', problem(403, 'FORBIDDEN'), { code: 'FORBIDDEN' }],
  ['an id of another log', problem(400, 'INVALID_LAST_EVENT_ID'), { code: 'INVALID_LAST_EVENT_ID' }],
  ['another type', json(200, {}), { code: 'UNREADABLE' }],
  ['an event that is none', stream(['event: screening.decided\nid: 0.1\ndata: {"type":"screening.decided"}\n\n']), { code: 'UNREADABLE' }],
  ['an act of another type', stream(['event: review.noted\nid: 0.1\ndata: {"type":"case.noted","data":{}}\n\n']), { code: 'UNREADABLE' }],
  ['an event that is too large', stream([`data: ${'x'.repeat(1_000_100)}\n`]), { code: 'UNREADABLE' }],
  ['more failures than allowed', cut, { code: 'NETWORK', retriable: true }],
])('rejects for %s', async (_, step, expected) => {
  server.script(step);
  await expect(connect({ maxFailures: 3 }).next()).rejects.toMatchObject(expected);
  expect(server.seen.length).toBe(step === cut ? 3 : 1);
});

test('ends with its signal, and leaves the connection when its reader does', async () => {
  const left = Promise.withResolvers<void>();
  const first: Step = (response, request) => {
    response.on('close', () => left.resolve());
    stream([block(1)])(response, request);
  };
  server.script(first);
  await take(connect(), 1);
  await left.promise;
  const stop = new AbortController();
  server.script(stream([block(1)]));
  const events = connect({ signal: stop.signal });
  expect((await events.next()).done).toBe(false);
  const next = events.next();
  stop.abort();
  expect(await next).toEqual({ done: true, value: undefined });
});
