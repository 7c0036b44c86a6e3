import { afterAll, beforeAll, expect, test } from 'vitest';
import { apiKey, clientOf, withData } from './answers.testing.ts';
import { answer, type Behaviour, json, type RudeServer, startRudeServer } from './rude-server.testing.ts';

let server: RudeServer;
beforeAll(async () => {
  server = await startRudeServer();
});
afterAll(() => server.close());

const pdf = Buffer.from('%PDF-1.3 of nothing');
const url = 'https://elsewhere.example/v1/risk_report?access_token=a.b.c';
const isPdf: Behaviour = answer(200, pdf, { 'content-type': 'application/pdf' });

/** The score, then the report. */
function ask(score: Behaviour, report: Behaviour = isPdf) {
  server.behave((response, request) => (request.url?.includes('/v3/risk_score') ? score : report)(response, request));
  return clientOf(server, { keyIn: 'header', maxBytes: 1_000 }).riskReport({ coin: 'ETH', address: '0x01' });
}

test('a report is read with the token of its URL from the API itself, which gets no key with it', async () => {
  const found = await ask(withData({ risk_report_url: url }));
  expect(found).toEqual({ kind: 'report', pdf: expect.any(Uint8Array) });
  if (found.kind === 'report') expect(Buffer.from(found.pdf).toString()).toBe(pdf.toString());
  const [score, report] = server.seen;
  expect([score?.url.pathname, score?.key]).toEqual(['/base/v3/risk_score', apiKey]);
  expect(report?.url.pathname).toBe('/base/v1/risk_report');
  expect(Object.fromEntries(report?.url.searchParams ?? [])).toEqual({ access_token: 'a.b.c' });
  expect(report?.key).toBeUndefined();
});

test.each<[string, unknown, object]>([
  ['no URL', undefined, { kind: 'rejected', status: 404 }],
  ['an empty URL', '', { kind: 'rejected', status: 404 }],
  ['a URL without a token', 'https://elsewhere.example/', { kind: 'unavailable', reason: 'UNREADABLE' }],
  ['a URL that is none', 'somewhere', { kind: 'unavailable', reason: 'UNREADABLE' }],
  ['a number', 7, { kind: 'unavailable', reason: 'UNREADABLE' }],
])('a score with %s has no report, and nothing else is asked', async (_, named, expected) => {
  expect(await ask(withData({ risk_report_url: named }))).toMatchObject(expected);
  expect(server.seen).toHaveLength(1);
});

test.each<[string, Behaviour, object]>([
  ['a page', answer(200, '<html></html>', { 'content-type': 'text/html' }), { kind: 'unavailable', reason: 'UNREADABLE' }],
  ['JSON', json({ success: true }), { kind: 'unavailable', reason: 'UNREADABLE' }],
  ['nothing', answer(200, '', { 'content-type': 'application/pdf' }), { kind: 'unavailable', reason: 'UNREADABLE' }],
  [
    'more than is taken',
    answer(200, Buffer.alloc(2_000), { 'content-type': 'application/pdf' }),
    { kind: 'unavailable', reason: 'UNREADABLE' },
  ],
  ['a refused token', json({ success: false, msg: 'ExpiredAccessToken', data: {} }, 403), { kind: 'rejected', status: 403 }],
  ['a failure', json({}, 500), { kind: 'unavailable' }],
])('%s is no report', async (_, report, expected) => {
  expect(await ask(withData({ risk_report_url: url }), report)).toMatchObject(expected);
});

test('a refused score is the answer', async () => {
  expect(await ask(json({ success: false, msg: 'ExceededDailyRateLimit', data: {} }))).toMatchObject({ kind: 'limited', window: 'day' });
  expect(server.seen).toHaveLength(1);
});
