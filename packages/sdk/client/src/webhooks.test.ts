import { createHmac, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { WebhookVerifier } from './index.ts';
import { PassingClock } from './scripted-server.testing.ts';

const clock = new PassingClock();
const seconds = clock.now() / 1_000;
const [key, oldKey] = [randomBytes(32), randomBytes(24)];
const secretOf = (bytes: Buffer): string => `whsec_${bytes.toString('base64')}`;
const event = {
  type: 'screening.decided',
  timestamp: '2026-01-31T09:13:00.000Z',
  data: { screening_id: 's', revision: 2, action: 'block', kind: 'deposit', source_id: 'd-é' },
};
const body = JSON.stringify(event);

/** By the specification of Standard Webhooks, without its library. */
function signature(text: string, { id = 'm-1', at = seconds, by = key } = {}): string {
  return `v1,${createHmac('sha256', by).update(`${id}.${at}.${text}`).digest('base64')}`;
}
const headersOf = (over: object = {}) => ({
  'webhook-id': 'm-1',
  'webhook-timestamp': String(seconds),
  'webhook-signature': signature(body),
  ...over,
});
const verifier = new WebhookVerifier({ secrets: [secretOf(key)], clock });

test('a webhook that Weir has signed is taken, by each of the secrets', () => {
  const taken = { ok: true, id: 'm-1', event };
  expect(verifier.verify({ headers: headersOf(), body: Buffer.from(body) })).toEqual(taken);
  expect(verifier.verify({ headers: new Headers(headersOf()), body })).toEqual(taken);
  const both = `${signature(body, { by: oldKey })} v1a,other ${signature(body)}`;
  expect(verifier.verify({ headers: headersOf({ 'webhook-signature': both }), body })).toEqual(taken);
  const changing = new WebhookVerifier({ secrets: [secretOf(randomBytes(32)), secretOf(oldKey)], clock });
  expect(changing.verify({ headers: headersOf({ 'webhook-signature': signature(body, { by: oldKey }) }), body })).toEqual(taken);
});

test.each<[string, object, string, string]>([
  ['without an id', { 'webhook-id': undefined }, body, 'NO_SIGNATURE'],
  ['without a signature', { 'webhook-signature': '' }, body, 'NO_SIGNATURE'],
  ['with a header twice', { 'webhook-signature': [signature(body), signature(body)] }, body, 'NO_SIGNATURE'],
  ['with a time that is none', { 'webhook-timestamp': '1e9' }, body, 'NO_SIGNATURE'],
  [
    'too old',
    { 'webhook-timestamp': String(seconds - 301), 'webhook-signature': signature(body, { at: seconds - 301 }) },
    body,
    'WRONG_TIME',
  ],
  [
    'of the future',
    { 'webhook-timestamp': String(seconds + 301), 'webhook-signature': signature(body, { at: seconds + 301 }) },
    body,
    'WRONG_TIME',
  ],
  ['with another time', { 'webhook-timestamp': String(seconds + 1) }, body, 'BAD_SIGNATURE'],
  ['with another id', { 'webhook-id': 'm-2' }, body, 'BAD_SIGNATURE'],
  ['with another body', {}, body.replace('block', 'allow'), 'BAD_SIGNATURE'],
  ['with a blank more', {}, `${body} `, 'BAD_SIGNATURE'],
  ['by another secret', { 'webhook-signature': signature(body, { by: oldKey }) }, body, 'BAD_SIGNATURE'],
  ['of another version', { 'webhook-signature': signature(body).replace('v1,', 'v2,') }, body, 'BAD_SIGNATURE'],
  ['half signed', { 'webhook-signature': signature(body).slice(0, -4) }, body, 'BAD_SIGNATURE'],
  ['that is no JSON', { 'webhook-signature': signature('{') }, '{', 'UNREADABLE'],
  ['of another type', { 'webhook-signature': signature('{"type":"x"}') }, '{"type":"x"}', 'UNREADABLE'],
])('one %s is refused', (_, over, text, code) => {
  expect(verifier.verify({ headers: headersOf(over), body: text })).toEqual({ ok: false, code });
});

test('nothing can be verified without a secret', () => {
  for (const secrets of [[], [''], ['whsec_']]) expect(() => new WebhookVerifier({ secrets })).toThrow();
});
