import { afterAll, beforeAll, expect, test } from 'vitest';
import { apiKey, askWhile, clientOf, data, envelope, low, now, withData } from './answers.testing.ts';
import type { QueryAnswer, RiskClientOptions } from './index.ts';
import { answer, type Behaviour, json, type RudeServer, startRudeServer } from './rude-server.testing.ts';

let server: RudeServer;
beforeAll(async () => {
  server = await startRudeServer();
});
afterAll(() => server.close());

const ask = (behaviour: Behaviour, over?: Partial<RiskClientOptions>): Promise<QueryAnswer> => askWhile(server, behaviour, over);

const states: [string, Behaviour, object][] = [
  ['running', json({ success: true, msg: 'TaskUnderRunning', data }), { kind: 'running' }],
  ['unknown, standard', json({ success: true, msg: 'TaskNotFound', data: {} }), { kind: 'not_found' }],
  ['unknown, sandbox', json({ success: false, msg: 'TaskNotFound' }), { kind: 'not_found' }],
  ['nothing known', withData({ ...low, coverage: 'none' }), { kind: 'no_data', result: { score: 3, coverage: 'none' } }],
  ['a wrong key', json({ success: false, msg: 'InvalidApiKey' }, 400), { kind: 'rejected', status: 400, code: 'InvalidApiKey' }],
  ['an expired plan', json({ success: false, msg: 'ExpiredPlan' }, 402), { kind: 'rejected', status: 402, code: 'ExpiredPlan' }],
  ['an unknown coin', json({ success: false, msg: 'UnsupportedToken' }, 400), { kind: 'unsupported', code: 'UnsupportedToken' }],
  [
    'an unknown kind of address',
    json({ success: false, msg: 'UnsupportedAddressType' }),
    { kind: 'unsupported', code: 'UnsupportedAddressType' },
  ],
  ['a wrong address', json({ success: false, msg: 'InvalidAddress' }, 400), { kind: 'invalid', code: 'InvalidAddress' }],
  ['a wrong parameter', json({ success: false, msg: 'InvalidParameter' }, 400), { kind: 'invalid', code: 'InvalidParameter' }],
  ['another refusal', json({ success: false, msg: 'PageNotFound' }, 404), { kind: 'rejected', status: 404, code: 'PageNotFound' }],
  ['a refusal in free words', json({ success: false, msg: `no key ${apiKey}` }, 401), { kind: 'rejected', status: 401, code: 'HTTP_401' }],
  [
    'a refusal in HTML',
    answer(403, '<h1>Forbidden</h1>', { 'content-type': 'text/html' }),
    { kind: 'rejected', status: 403, code: 'HTTP_403' },
  ],
  ['a refusal with a result', json(envelope, 400), { kind: 'rejected', status: 400, code: 'HTTP_400' }],
  ['a failure that says success false', json({ ...envelope, success: false }), { kind: 'rejected', status: 200, code: 'HTTP_200' }],
  ['a fault of the server', json(envelope, 500), { kind: 'unavailable', reason: 'HTTP_STATUS', detail: 'HTTP 500' }],
  [
    'a gateway in HTML',
    answer(502, '<html>', { 'content-type': 'text/html' }),
    { kind: 'unavailable', reason: 'HTTP_STATUS', detail: 'HTTP 502' },
  ],
  [
    'a fault with status 200',
    json({ success: false, msg: 'ServiceUnavailable' }),
    { kind: 'unavailable', reason: 'HTTP_STATUS', detail: 'HTTP 200 ServiceUnavailable' },
  ],
  ['a redirect', json(envelope, 302, { location: '/elsewhere' }), { kind: 'unavailable', reason: 'HTTP_STATUS', detail: 'HTTP 302' }],
  ['another success', json(envelope, 203), { kind: 'unavailable', reason: 'HTTP_STATUS', detail: 'HTTP 203' }],
  ['a part', json(envelope, 206), { kind: 'unavailable', reason: 'HTTP_STATUS', detail: 'HTTP 206' }],
  [
    'a reset',
    (_, request) => request.socket.resetAndDestroy(),
    { kind: 'unavailable', reason: 'NETWORK', detail: expect.stringMatching(/^[A-Z_]+$/) },
  ],
  ['no HTTP', (response) => response.socket?.end('nonsense\r\n\r\n'), { kind: 'unavailable', reason: 'NETWORK' }],
];
test.each(states)('names %s', async (_, behaviour, expected) => {
  expect(await ask(behaviour)).toMatchObject(expected);
  expect(server.seen).toHaveLength(1);
});

const toMidnight = 6 * 3_600_000;
const limited: [string, Behaviour, 'second' | 'day', number][] = [
  ['the body', json({ success: false, msg: 'ExceededRateLimit', retry_after: 2 }, 429, { 'retry-after': '9' }), 'second', 2_000],
  ['a string in the body', json({ success: false, msg: 'ExceededDailyRateLimit', retry_after: '60' }, 429), 'day', 60_000],
  ['the header', json({ success: false, msg: 'ExceededRateLimit', retry_after: 'soon' }, 429, { 'retry-after': '9' }), 'second', 9_000],
  [
    'a date in the header',
    json({ success: false, msg: 'ExceededDailyRateLimit' }, 429, { 'retry-after': new Date(now + 90_000).toUTCString() }),
    'day',
    90_000,
  ],
  ['nothing', json({ success: false, msg: 'ExceededRateLimit' }, 429), 'second', 1_000],
  ['nothing, for the day', json({ success: false, msg: 'ExceededDailyRateLimit' }, 429), 'day', toMidnight],
  [
    'a date that is past',
    json({ success: false, msg: 'ExceededDailyRateLimit' }, 429, { 'retry-after': new Date(now - 5_000).toUTCString() }),
    'day',
    toMidnight,
  ],
  ['nonsense in the header', json({ success: false, msg: 'ExceededRateLimit' }, 429, { 'retry-after': '-5' }), 'second', 1_000],
  ['a success with a limit', json({ success: false, msg: 'ExceededRateLimit', retry_after: 3 }), 'second', 3_000],
  ['a proxy', answer(429, 'slow down', { 'content-type': 'text/plain', 'retry-after': '4' }), 'second', 4_000],
  ['a year', json({ success: false, msg: 'ExceededDailyRateLimit', retry_after: 31_536_000 }, 429), 'day', 86_400_000],
];
test.each(limited)('takes from %s how long a limit binds', async (_, behaviour, window, retryAfterMs) => {
  expect(await ask(behaviour)).toEqual({ kind: 'limited', window, retryAfterMs });
});

test.each([302, 303, 307, 308])('follows no redirect with a create either: %d', async (status) => {
  server.behave(json({ success: true, msg: '', data: { task_id: 't' } }, status, { location: '/elsewhere' }));
  const expected = { kind: 'unavailable', reason: 'HTTP_STATUS', detail: `HTTP ${status}` };
  expect(await clientOf(server).createTask({ coin: 'ETH', address: '0x1' })).toEqual(expected);
  expect(server.seen).toHaveLength(1);
});
