import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../clock.ts';
import type { Clock } from '../types.ts';
import { PayingClient } from './client.ts';
import { baseOffer, headerOf, labelled, type PaidApi, receiver, startPaidApi, wallet } from './paid-api.testing.ts';
import type { Claim, PayingClientOptions } from './types.ts';

let api: PaidApi;
beforeEach(async () => {
  api = await startPaidApi();
});
afterEach(() => api.close());

/** Waits take no time; tests move the time of day. */
function quickClock(): Clock & { ahead: number } {
  const clock = {
    ahead: 0,
    now: () => systemClock.now() + clock.ahead,
    monotonic: () => systemClock.monotonic() + clock.ahead,
    sleep: (ms: number, signal?: AbortSignal) => {
      // Long waits are request timeouts, which are real.
      if (ms >= 20_000) return systemClock.sleep(ms, signal);
      clock.ahead += ms;
      return Promise.resolve();
    },
  };
  return clock;
}

function paying(options: Partial<PayingClientOptions> = {}): PayingClient {
  return new PayingClient({
    baseUrl: api.url,
    wallets: { evm: wallet() },
    spendingCapMicroUsdc: 1_000_000n,
    clock: quickClock(),
    ...options,
  });
}
const question = { coin: 'ETH', address: '0x1' };

test('a call signs one payment, says what it paid, and counts it', async () => {
  const client = paying();
  const { answer, payment } = await client.addressLabels(question);
  expect(answer).toEqual({ kind: 'labels', label_list: ['Binance'], label_type: 'exchange' });
  expect(payment).toMatchObject({
    state: 'settled',
    transaction: '0xabc',
    claim: { amount: '100000', payTo: receiver, network: 'eip155:8453' },
  });
  expect(api.payments).toHaveLength(1);
  expect(api.payments[0]).toMatchObject({ id: payment?.claim.paymentId, path: '/x402/address_labels?coin=ETH&address=0x1' });
  expect(client.spending()).toEqual({ settled: 100_000n, open: 0n, left: 900_000n });
});

test('whatever gets lost, the same payment is sent again and no other', async () => {
  const client = paying();
  const losses = [
    'cut',
    { status: 409, body: { success: false, msg: 'PaymentInProgress', data: {} } },
    { status: 503 },
    { status: 500 },
    { status: 200, body: 'x', headers: { 'content-type': 'text/html' } },
    { status: 429 },
    labelled,
  ] as const;
  api.onPayment = (_, count) => losses[count] ?? labelled;
  const { payment } = await client.addressLabels(question);
  expect(payment?.state).toBe('settled');
  expect(api.payments).toHaveLength(losses.length);
  expect(new Set(api.payments.map(({ signature }) => signature)).size).toBe(1);
  expect(client.spending()).toMatchObject({ settled: 100_000n, open: 0n });
});

test.each([401, 402, 403, 404, 409, 413])('a %d of something between us and the API is not taken for "not charged"', async (status) => {
  const page = { status, body: '<html>', headers: { 'content-type': 'text/html' } };
  api.onPayment = (_, count) => (['cut', page, labelled] as const)[count] ?? labelled;
  expect((await paying().addressLabels(question)).payment).toMatchObject({ state: 'settled' });
  api.onPayment = () => page;
  const client = paying();
  const { answer, payment } = await client.addressLabels(question);
  expect([answer, payment]).toMatchObject([{ kind: 'not_paid', code: 'OUTCOME_UNKNOWN', detail: `HTTP ${status}` }, { state: 'unknown' }]);
  expect(client.spending().open).toBe(100_000n);
});

test('a pending settlement is waited for', async () => {
  const pending = { success: false, errorReason: 'settlement_pending', transaction: '0xabc' };
  api.onPayment = (_, count) => (count < 2 ? { status: 402, headers: { 'payment-response': headerOf(pending) } } : labelled);
  expect((await paying().addressLabels(question)).payment).toMatchObject({ state: 'settled' });
});

test('an answer that does not come leaves a claim, which is asked for later and not paid again', async () => {
  const client = paying({ patienceMs: 3_000, timeoutMs: 25_000 });
  api.onPayment = () => 'cut';
  const { answer, payment } = await client.addressLabels(question);
  expect(answer).toMatchObject({ kind: 'not_paid', code: 'OUTCOME_UNKNOWN', retriable: true });
  expect(payment?.state).toBe('unknown');
  expect(client.spending()).toEqual({ settled: 0n, open: 100_000n, left: 900_000n });

  api.onPayment = () => labelled;
  const kept = JSON.parse(JSON.stringify(payment?.claim)) as Claim;
  const elsewhere = paying();
  expect((await elsewhere.resume(kept)).answer).toMatchObject({ kind: 'labels' });
  expect(elsewhere.spending()).toMatchObject({ settled: 100_000n });
  await client.resume(kept);
  expect((await client.resume(kept)).payment?.state).toBe('settled');
  expect(client.spending()).toEqual({ settled: 100_000n, open: 0n, left: 900_000n });
  expect(new Set(api.payments.map(({ signature }) => signature)).size).toBe(1);
});

test('what is refused counts until nobody can charge it any more; then resume says that it was not used', async () => {
  const clock = quickClock();
  const client = paying({ clock });
  api.onPayment = () => ({
    status: 402,
    headers: { 'payment-required': headerOf({ x402Version: 2, resource: { url: '' }, accepts: [], error: 'insufficient_funds' }) },
  });
  const { answer, payment } = await client.addressLabels(question);
  expect(answer).toEqual({ kind: 'not_paid', code: 'REFUSED', detail: 'insufficient_funds', retriable: false });
  expect(payment?.state).toBe('not_charged');
  expect(client.spending().open).toBe(100_000n);
  const claim = payment?.claim as Claim;
  expect((await client.resume(claim)).answer).toMatchObject({ code: 'REFUSED' });
  clock.ahead += 95_000;
  expect((await client.resume(claim)).answer).toMatchObject({ code: 'EXPIRED_UNUSED', retriable: true });
  expect(client.spending()).toEqual({ settled: 0n, open: 0n, left: 1_000_000n });
});

test('what was charged and is no longer kept is not taken for unused', async () => {
  const clock = quickClock();
  const client = paying({ clock });
  const used = { x402Version: 2, resource: { url: '' }, accepts: [], error: 'authorization_used' };
  api.onPayment = () => ({ status: 402, headers: { 'payment-required': headerOf(used) } });
  const { payment } = await client.addressLabels(question);
  clock.ahead += 95_000;
  expect(await client.resume(payment?.claim as Claim)).toMatchObject({
    answer: { code: 'REFUSED', detail: 'authorization_used' },
    payment: { state: 'settled' },
  });
  expect(client.spending()).toMatchObject({ settled: 100_000n, open: 0n });
});

test('an id that stands for another question is told', async () => {
  api.onPayment = () => ({ status: 409, body: { success: false, msg: 'PaymentConflict', data: {} } });
  expect((await paying().addressLabels(question)).answer).toMatchObject({ code: 'ID_CONFLICT', detail: 'PaymentConflict' });
});

test('a question that is no good is not charged, and says why', async () => {
  api.onPayment = () => ({ status: 400, body: { success: false, msg: 'InvalidAddress', data: {} } });
  const { answer, payment } = await paying().addressLabels(question);
  expect(answer).toEqual({ kind: 'invalid', code: 'InvalidAddress' });
  expect(payment?.state).toBe('not_charged');
});

test('the caps hold, also for calls at the same time', async () => {
  const client = paying({ spendingCapMicroUsdc: 250_000n });
  const all = await Promise.all(Array.from({ length: 5 }, () => client.addressLabels(question)));
  expect(all.filter(({ answer }) => answer.kind === 'labels')).toHaveLength(2);
  expect(all.filter(({ answer }) => answer.kind === 'not_paid' && answer.code === 'CAP_OF_ALL')).toHaveLength(3);
  expect(api.payments).toHaveLength(2);
  expect(client.spending()).toEqual({ settled: 200_000n, open: 0n, left: 50_000n });
});

test.each([
  ['a price above the expected one', { amount: '100001' }, 'CAP_OF_CALL'],
  ['another asset', { asset: '0x00000000000000000000000000000000000000bb' }, 'OFFER_UNSUPPORTED'],
  ['another network', { network: 'eip155:1' }, 'OFFER_UNSUPPORTED'],
  ['another scheme', { scheme: 'upto' }, 'OFFER_UNSUPPORTED'],
  ['a permit in place of an authorization', { extra: { assetTransferMethod: 'permit2' } }, 'OFFER_UNSUPPORTED'],
  ['a payment that lives long', { maxTimeoutSeconds: 100_000 }, 'OFFER_UNSUPPORTED'],
  ['an amount that is none', { amount: '1e5' }, 'OFFER_UNSUPPORTED'],
  ['nothing to pay', { amount: '0' }, 'OFFER_UNSUPPORTED'],
])('%s is not signed', async (_, change, code) => {
  api.offers = [{ ...baseOffer, ...change }];
  const { answer, payment } = await paying().addressLabels(question);
  expect(answer).toMatchObject({ kind: 'not_paid', code });
  expect(payment).toBeNull();
  expect(api.payments).toEqual([]);
});

test('somebody else is not paid: neither than was given nor than before', async () => {
  const given = paying({ receivers: { 'eip155:8453': '0x00000000000000000000000000000000000000cc' } });
  expect((await given.addressLabels(question)).answer).toMatchObject({ code: 'RECEIVER_CHANGED' });
  const client = paying();
  await client.addressLabels(question);
  api.offers = [{ ...baseOffer, payTo: '0x00000000000000000000000000000000000000cc' }];
  expect((await client.addressLabels(question)).answer).toMatchObject({ code: 'RECEIVER_CHANGED' });
  expect(api.payments).toHaveLength(1);
});

test('nothing is sent before its claim is kept', async () => {
  const kept: Claim[] = [];
  const keeps = paying({ onSigned: async (claim) => void kept.push(claim) });
  api.onPayment = (sent) => {
    expect(kept.map(({ signature }) => signature)).toEqual([sent.signature]);
    return labelled;
  };
  await keeps.addressLabels(question);
  const cannot = paying({ onSigned: () => Promise.reject(new Error('disk full')) });
  expect((await cannot.addressLabels(question)).answer).toMatchObject({ code: 'NOT_SIGNED' });
  expect(cannot.spending().open).toBe(0n);
  expect(api.payments).toHaveLength(1);
});

test('a paid answer is read as strictly as any', async () => {
  api.offers = [{ ...baseOffer, amount: '1000000' }];
  const low = { score: 3, risk_level: 'Low', hacking_event: '', detail_list: [], risk_detail: [], coverage: 'full' };
  const answered = async (data: unknown) => {
    api.onPayment = () => ({ ...(labelled as { status: number }), body: { success: true, msg: '', data } });
    return (await paying().riskScore(question)).answer;
  };
  expect(await answered(low)).toMatchObject({ kind: 'scored', result: { risk_level: 'Low' } });
  expect(await answered({ ...low, risk_detail: undefined })).toMatchObject({ kind: 'unavailable', reason: 'UNREADABLE' });
  expect(await answered({ ...low, score: 95 })).toMatchObject({ kind: 'unavailable', reason: 'UNREADABLE' });
});

test('what cannot be asked or understood is not paid', async () => {
  api.offers = [];
  expect((await paying().addressLabels(question)).answer).toMatchObject({ code: 'OFFER_UNSUPPORTED' });
  await api.close();
  expect((await paying().addressLabels(question)).answer).toMatchObject({ kind: 'unavailable', reason: 'NETWORK' });
  expect(() => paying({ spendingCapMicroUsdc: -1n })).toThrow(TypeError);
  expect(() => paying({ wallets: {} })).toThrow(TypeError);
  api = await startPaidApi();
});
