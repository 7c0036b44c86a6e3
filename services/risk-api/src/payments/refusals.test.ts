import type { PaymentPayload } from '@x402/core/types';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { get, type Instance } from '../testing/instance.ts';
import {
  type PaidCall,
  type Payer,
  type PayWorld,
  pay,
  paymentHeader,
  requiredBy,
  requiredOf,
  send,
  startPayWorld,
} from '../testing/paying.ts';
import { evmNetwork, payNetworks, type PayNetwork, solanaNetwork } from './networks.ts';

const address = '0x28C6c06298d514Db089934071355E5743bf21d60';
const action: PaidCall = { method: 'GET', path: '/x402/address_action', fields: { coin: 'ETH', address } };
const trace: PaidCall = { ...action, path: '/x402/address_trace' };
const labels: PaidCall = { ...action, path: '/x402/address_labels' };
const create: PaidCall = { method: 'POST', path: '/x402/risk_score_create_task', fields: { coin: 'ETH', address } };

let world: PayWorld;
let instance: Instance;
let payer: Payer;
beforeAll(async () => {
  world = await startPayWorld();
  instance = await world.start({ workers: 0 });
  payer = await world.payer();
});
afterAll(() => world.stop());
afterEach(() => world.facilitator.clear());

const money = () => Promise.all(payNetworks.flatMap((network) => [payer.balance(network), world.received(network)]));

/** Asserts that nothing was charged, and that no row claims a charge or blocks the same payment. */
async function unchanged<T>(work: () => Promise<T>): Promise<T> {
  const before = await money();
  const settled = async () =>
    (await world.service.database.pool.query(`SELECT state, count(*) AS n FROM risk.payments GROUP BY state ORDER BY state`)).rows;
  const rows = await settled();
  const result = await work();
  expect([await money(), await settled()]).toEqual([before, rows]);
  return result;
}

type Tamper = (payload: PaymentPayload) => unknown;
const authorization =
  (fields: Record<string, string>): Tamper =>
  (payload) => ({
    ...payload,
    payload: { ...payload.payload, authorization: { ...(payload.payload['authorization'] as object), ...fields } },
  });
const later = (seconds: number): string => String(Math.floor(Date.now() / 1000) + seconds);

const wrong: [string, PayNetwork, Tamper, string][] = [
  ['of another version', evmNetwork, (own) => ({ ...own, x402Version: 1 }), 'invalid_x402_version'],
  ['on another network', evmNetwork, (own) => ({ ...own, accepted: { ...own.accepted, network: 'eip155:1' } }), 'invalid_network'],
  ['by another scheme', evmNetwork, (own) => ({ ...own, accepted: { ...own.accepted, scheme: 'upto' } }), 'invalid_scheme'],
  ['for less than is asked', evmNetwork, (own) => ({ ...own, accepted: { ...own.accepted, amount: '1' } }), 'invalid_payment_requirements'],
  ['that signs less', evmNetwork, authorization({ value: '1' }), 'invalid_amount'],
  ['whose amount was raised', evmNetwork, authorization({ value: '600000' }), 'invalid_amount'],
  ['to another receiver', evmNetwork, authorization({ to: '0x00000000000000000000000000000000000000aa' }), 'invalid_recipient'],
  ['that has expired', evmNetwork, authorization({ validBefore: later(2) }), 'payment_expired'],
  ['that is good for longer than an hour', evmNetwork, authorization({ validBefore: later(7_200) }), 'invalid_payment_requirements'],
  ['that is good for ever', evmNetwork, authorization({ validBefore: String(2n ** 256n - 1n) }), 'invalid_payment_requirements'],
  ['that is not good yet', evmNetwork, authorization({ validAfter: later(600) }), 'payment_not_yet_valid'],
  ['whose nonce was changed', evmNetwork, authorization({ nonce: `0x${'1'.repeat(64)}` }), 'invalid_signature'],
  ['of another payer', evmNetwork, authorization({ from: '0x00000000000000000000000000000000000000aa' }), 'invalid_signature'],
  ['without a resource', evmNetwork, (own) => ({ ...own, resource: undefined }), 'resource_mismatch'],
  ['with a text that no database holds', evmNetwork, (own) => ({ ...own, extensions: { note: 'a\u0000' } }), 'invalid_payload'],
  ['with half a character', solanaNetwork, (own) => ({ ...own, extensions: { note: '\ud800' } }), 'invalid_payload'],
  ['without a signature', evmNetwork, (own) => ({ ...own, payload: {} }), 'invalid_payload'],
  ['that is no transaction', solanaNetwork, (own) => ({ ...own, payload: { transaction: 'AAAA' } }), 'invalid_payload'],
  ['without the memo', solanaNetwork, (own) => ({ ...own, accepted: { ...own.accepted, extra: {} } }), 'resource_mismatch'],
  [
    'whose memo was changed',
    solanaNetwork,
    (own) => ({
      ...own,
      accepted: {
        ...own.accepted,
        extra: { ...own.accepted.extra, memo: `0000000000000000.${String(own.accepted.extra['memo']).slice(17)}` },
      },
    }),
    'resource_mismatch',
  ],
];

describe('a payment', () => {
  it.each(wrong)('%s is not taken (%s)', async (_, network, tamper, error) => {
    const payload = tamper(await payer.sign(await requiredBy(instance.url, action), network)) as PaymentPayload;
    const answer = await unchanged(() => send(instance.url, action, paymentHeader(payload)));
    expect(requiredOf(answer).error).toBe(error);
    expect(answer.body).toMatchObject({ success: false, msg: 'PaymentRequired', data: {}, error, x402Version: 2 });
  });

  it.each(['', 'e30=', 'not base64', Buffer.from('[1]').toString('base64'), 'A'.repeat(13_000)])(
    'that is %.20j is not taken',
    async (header) => {
      const answer = await send(instance.url, action, { 'PAYMENT-SIGNATURE': header });
      expect(requiredOf(answer).error).toMatch(/^(invalid_payload|payment_required)$/);
    },
  );

  it.each(payNetworks)('without a balance is refused, and says nothing of what a library has to say (%s)', async (network) => {
    const poor = await world.payer(0n);
    const { answer } = await unchanged(() => pay(instance.url, action, poor, network));
    expect(requiredOf(answer).error).toMatch(/^(insufficient_funds|payment_refused|invalid_payload)$/);
    expect(JSON.stringify(answer.body) + JSON.stringify(requiredOf(answer))).not.toMatch(
      /simulation|revert|viem|FiatToken|custom program|exception/i,
    );
  });

  it.each(payNetworks)('is for the resource it was signed for, at the same price too (%s)', async (network) => {
    const payload = await payer.sign(await requiredBy(instance.url, action), network);
    for (const call of [trace, { ...action, fields: { ...action.fields, address: '0x00000000000000000000000000000000000000aa' } }]) {
      expect(requiredOf(await unchanged(() => send(instance.url, call, paymentHeader(payload)))).error).toBe('resource_mismatch');
      const renamed = { ...payload, resource: { ...payload.resource, url: `${instance.url}${call.path}` } };
      if (network === solanaNetwork)
        expect(requiredOf(await unchanged(() => send(instance.url, call, paymentHeader(renamed)))).error).toBe('resource_mismatch');
    }
    expect((await send(instance.url, action, paymentHeader(payload))).status).toBe(200);
    // A spent payment buys nothing else, under any resource name.
    const renamed = { ...payload, resource: { ...payload.resource, url: `${instance.url}${trace.path}` } };
    const error = requiredOf(await unchanged(() => send(instance.url, trace, paymentHeader(renamed)))).error;
    expect(error).toBe(network === evmNetwork ? 'authorization_used' : 'resource_mismatch');
  });

  it('for the bare resource is good for any query of it', async () => {
    const payload = await payer.sign(await requiredBy(instance.url, { ...action, fields: {} }), solanaNetwork);
    expect((await send(instance.url, action, paymentHeader(payload))).status).toBe(200);
  });
});

describe('a request that is paid and wrong', () => {
  it('is 400 and not charged; the same payment may pay for a right one', async () => {
    const header = paymentHeader(await payer.sign(await requiredBy(instance.url, { ...create, fields: {} }), evmNetwork));
    for (const [fields, msg] of [
      [{ coin: 'NONE', address }, 'UnsupportedToken'],
      [{ coin: 'ETH' }, 'InvalidAddress'],
      [{ coin: 'ETH', address: 'x' }, 'InvalidAddress'],
      [{ coin: 'ETH', address, txid: 'x' }, 'InvalidParameter'],
    ] as const) {
      const answer = await unchanged(() => send(instance.url, { ...create, fields }, header));
      expect([answer.status, answer.body.msg]).toEqual([400, msg]);
    }
    const raw = await fetch(instance.url + create.path, {
      method: 'POST',
      body: 'x',
      headers: { ...header, 'content-type': 'text/plain' },
    });
    expect(raw.status).toBe(415);
    expect((await send(instance.url, create, header)).status).toBe(200);
  });

  it('that fails in the handler is not charged, and is when it works again', async () => {
    const { pool } = world.service.database;
    const header = paymentHeader(await payer.sign(await requiredBy(instance.url, labels), solanaNetwork));
    await pool.query('ALTER TABLE chain.labels RENAME TO gone');
    try {
      expect((await unchanged(() => send(instance.url, labels, header))).body).toEqual({ success: false, msg: 'InternalError', data: {} });
    } finally {
      await pool.query('ALTER TABLE chain.gone RENAME TO labels');
    }
    expect((await send(instance.url, labels, header)).status).toBe(200);
  });

  it('whose score does not come is not charged', async () => {
    const call: PaidCall = { ...action, path: '/x402/risk_score' };
    const { url } = await world.start({ workers: 0, syncWaitMs: 50 });
    const { answer } = await unchanged(() => pay(url, call, payer, evmNetwork));
    expect([answer.status, answer.body.msg]).toEqual([503, 'ServiceUnavailable']);
  });
});

describe('other methods', () => {
  it('HEAD says what a GET costs, and neither runs nor is paid', async () => {
    const header = paymentHeader(await payer.sign(await requiredBy(instance.url, action), evmNetwork));
    const url = `${instance.url}${action.path}?${new URLSearchParams(action.fields).toString()}`;
    for (const headers of [{}, header]) {
      const answer = await unchanged(() => fetch(url, { method: 'HEAD', headers }));
      expect([answer.status, await answer.text(), answer.headers.has('payment-required')]).toEqual([402, '', true]);
    }
    expect((await send(instance.url, action, header)).status).toBe(200);
  });

  it('OPTIONS takes no payment, and pages of other origins see the three headers', async () => {
    const origin = { origin: 'https://wallet.example' };
    const asked = { ...origin, 'access-control-request-method': 'GET', 'access-control-request-headers': 'payment-signature' };
    const preflight = await fetch(instance.url + action.path, { method: 'OPTIONS', headers: asked });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
    expect(preflight.headers.get('access-control-allow-headers')).toContain('PAYMENT-SIGNATURE');
    const paid = await pay(instance.url, action, payer, evmNetwork);
    for (const headers of [
      (await send(instance.url, action, origin)).headers,
      paid.answer.headers,
      (await send(instance.url, action, { 'PAYMENT-SIGNATURE': 'x', ...origin })).headers,
    ])
      for (const name of ['PAYMENT-REQUIRED', 'PAYMENT-SIGNATURE', 'PAYMENT-RESPONSE'])
        expect(headers.get('access-control-expose-headers')).toContain(name);
  });
});

describe('the surface', () => {
  it.each(payNetworks)('can be paid behind a proxy that takes a prefix off its public address (%s)', async (network) => {
    const { url } = await world.start({ workers: 0, publicUrl: 'https://risk.example/weir/' });
    expect((await requiredBy(url, action)).resource?.url).toMatch(/^https:\/\/risk\.example\/weir\/x402\/address_action\?/);
    const { answer } = await pay(url, action, payer, network);
    expect(answer.status).toBe(200);
    const payload = await payer.sign(await requiredBy(url, action), network);
    expect(requiredOf(await unchanged(() => send(url, trace, paymentHeader(payload)))).error).toBe('resource_mismatch');
  });

  it('is off without a receiving address, and says so', async () => {
    const { url } = await world.service.start({ settings: { workers: 0 } });
    for (const call of [action, create]) {
      const answer = await send(url, call);
      expect([answer.status, answer.body]).toEqual([503, { success: false, msg: 'ServiceUnavailable', data: {} }]);
    }
    expect((await get(`${url}/.well-known/x402`)).body).toMatchObject({ networks: [], resources: [], items: [] });
  });

  it('offers the networks that have one, at the prices that are set', async () => {
    const { url } = await world.start({ workers: 0, x402PayToSolana: '', x402Prices: 'address_action=0.000001,risk_score=2.5' });
    const { accepts } = await requiredBy(url, action);
    expect(accepts.map(({ network, amount }) => [network, amount])).toEqual([[evmNetwork, '1']]);
    const { body } = await get(`${url}/.well-known/x402`);
    expect(body).toMatchObject({ version: 1, networks: [evmNetwork] });
    expect(body.resources).toHaveLength(8);
    const { paths } = (await get(`${url}/openapi.json`)).body;
    const info = { protocols: ['x402'], pricingMode: 'fixed', currency: 'USDC' };
    expect(paths['/x402/risk_score'].get['x-payment-info']).toEqual({ ...info, price: '2.5' });
    expect(paths['/x402/address_labels'].get['x-payment-info']).toEqual({ ...info, price: '0.1' });
    const before = await world.received(evmNetwork);
    expect((await pay(url, action, payer, evmNetwork)).answer.status).toBe(200);
    expect((await world.received(evmNetwork)) - before).toBe(1n);
  });

  it('does not start where nothing could settle', async () => {
    await expect(world.start({ x402FacilitatorUrl: '', x402EvmRpcUrl: '' })).rejects.toThrow('WEIR_X402_FACILITATOR_URL is wrong');
  });
});
