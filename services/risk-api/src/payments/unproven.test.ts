import { x402Client } from '@x402/core/client';
import type { PaymentPayload, PaymentRequired } from '@x402/core/types';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Listener, listen, sendJson } from '../../../../test/support/local-chains/faults.ts';
import { newEvmWallet } from '../../../../test/support/local-chains/index.ts';
import type { Answer, Instance } from '../testing/instance.ts';
import { type PaidCall, type Payer, type PayWorld, paymentHeader, requiredBy, requiredOf, send, startPayWorld } from '../testing/paying.ts';
import { evmNetwork, payNetworks, solanaNetwork } from './networks.ts';

const address = '0x28C6c06298d514Db089934071355E5743bf21d60';
const labels: PaidCall = { method: 'GET', path: '/x402/address_labels', fields: { coin: 'ETH', address } };
const create: PaidCall = { method: 'POST', path: '/x402/risk_score_create_task', fields: { coin: 'ETH', address } };

/** A proxy before the test facilitator. It records requests and can hold verifications. */
interface Watched extends Listener {
  readonly asked: { readonly path: string; readonly body: string }[];
  holds: (body: string) => boolean;
  readonly held: () => number;
  release(): void;
}

async function watch(url: string): Promise<Watched> {
  const asked: { path: string; body: string }[] = [];
  let waiting: (() => void)[] = [];
  const watched: Pick<Watched, 'holds'> = { holds: () => false };
  const listener = await listen(async (request, body, response) => {
    const path = request.url ?? '';
    asked.push({ path, body: `${body} ${JSON.stringify(request.headers)}` });
    if (path === '/verify' && watched.holds(body)) await new Promise<void>((resolve) => waiting.push(resolve));
    const answer = await fetch(url + path, body === '' ? {} : { method: 'POST', body, headers: { 'content-type': 'application/json' } });
    sendJson(response, answer.status, await answer.json());
  });
  return Object.assign(watched, listener, {
    asked,
    held: () => waiting.length,
    release: () => {
      for (const release of waiting) release();
      waiting = [];
    },
  });
}

let world: PayWorld;
let facilitator: Watched;
let instance: Instance;
let payer: Payer;
let required: PaymentRequired;
beforeAll(async () => {
  world = await startPayWorld();
  facilitator = await watch(world.facilitator.url);
  const settings = { workers: 0, x402FacilitatorUrl: facilitator.url, x402VerifyLimitMs: 240_000, trustedProxies: '127.0.0.1' };
  instance = await world.start(settings);
  payer = await world.payer();
  required = await requiredBy(instance.url, labels);
});
afterAll(async () => {
  facilitator.release();
  await world.stop();
  await facilitator.close();
});
afterEach(() => {
  facilitator.holds = () => false;
  facilitator.release();
  facilitator.asked.length = 0;
});

const from = (client: string, header: Record<string, string>): Promise<Answer> =>
  send(instance.url, labels, { ...header, 'x-forwarded-for': client });

function newEvmPayer(): x402Client {
  return new x402Client().register(evmNetwork, new ExactEvmScheme(newEvmWallet().account));
}

const onEvm = (of: PaymentRequired): PaymentRequired => ({ ...of, accepts: of.accepts.filter(({ network }) => network === evmNetwork) });

/** A payment that cannot be settled. Each nonce makes another payment. */
function junk(payload: PaymentPayload, nonce: number): Record<string, string> {
  const authorization = { ...(payload.payload['authorization'] as object), nonce: `0x${nonce.toString(16).padStart(64, '0')}` };
  return paymentHeader({ ...payload, payload: { ...payload.payload, authorization } });
}

/** Sends them all at once; resolves when the facilitator holds or has answered each. */
async function flood(
  headers: { client: string; header: Record<string, string> }[],
): Promise<{ statuses: number[]; all: Promise<unknown> }> {
  const statuses: number[] = [];
  facilitator.holds = (body) => !body.includes(payer.evm.address);
  const all = Promise.all(headers.map(async ({ client, header }) => statuses.push((await from(client, header)).status)));
  const answered = expect.poll(() => statuses.length + facilitator.held(), { interval: 20 }).toBe(headers.length);
  // A request that fails has no status, so its error must end the wait.
  await Promise.race([answered, all.then(() => answered)]);
  return { statuses, all };
}

describe('200 junk payments', () => {
  it('of one client, each well signed by a payer without money, do not close the paid API for others', async () => {
    const poor = await world.payer(0n);
    const headers = await Promise.all(
      Array.from({ length: 200 }, async () => ({ client: '203.0.113.7', header: paymentHeader(await poor.sign(required, evmNetwork)) })),
    );
    const { statuses, all } = await flood(headers);
    expect(facilitator.held()).toBe(10);
    expect(statuses).toEqual(Array.from({ length: 190 }, () => 429));
    const answer = await from('198.51.100.4', paymentHeader(await payer.sign(required, evmNetwork)));
    expect(answer.status).toBe(200);
    facilitator.release();
    await all;
  });

  it('of as many clients, with signatures that only a chain can check, take a fifth of the places', async () => {
    const signed = await (await world.payer(0n)).sign(required, evmNetwork);
    const headers = Array.from({ length: 200 }, (_, n) => ({ client: `203.0.113.${n}`, header: junk(signed, n) }));
    const { statuses, all } = await flood(headers);
    expect(facilitator.held()).toBe(20);
    expect(statuses).toEqual(Array.from({ length: 180 }, () => 503));
    const answer = await from('198.51.100.4', paymentHeader(await payer.sign(required, evmNetwork)));
    expect(answer.status).toBe(200);
    facilitator.release();
    await all;
  });

  it('of as many fresh wallets and clients, each well signed, take no place of a payer who has settled before', async () => {
    expect((await from('198.51.100.4', paymentHeader(await payer.sign(required, evmNetwork)))).status).toBe(200);
    const headers = await Promise.all(
      Array.from({ length: 200 }, async (_, n) => ({
        client: `203.0.113.${n}`,
        header: paymentHeader(await newEvmPayer().createPaymentPayload(onEvm(required))),
      })),
    );
    const { statuses, all } = await flood(headers);
    expect(facilitator.held()).toBe(50);
    expect(statuses).toEqual(Array.from({ length: 150 }, () => 503));
    const paid = await from('198.51.100.4', paymentHeader(await payer.sign(required, evmNetwork)));
    expect(paid.status).toBe(200);
    facilitator.release();
    await all;
  });

  it('of one payer who has settled before, from as many clients, take ten places', async () => {
    const once = await world.payer();
    expect((await from('198.51.100.5', paymentHeader(await once.sign(required, evmNetwork)))).status).toBe(200);
    const headers = await Promise.all(
      Array.from({ length: 200 }, async (_, n) => ({
        client: `203.0.113.${n}`,
        header: paymentHeader(await once.sign(required, evmNetwork)),
      })),
    );
    const { statuses, all } = await flood(headers);
    expect(facilitator.held()).toBe(10);
    expect(statuses).toEqual(Array.from({ length: 190 }, () => 429));
    facilitator.release();
    await all;
  });

  it('that can be seen to be wrong here never reach the facilitator', async () => {
    const solana = await payer.sign(required, solanaNetwork);
    const bytes = Buffer.from(String(solana.payload['transaction']), 'base64');
    // The first byte of the payer's signature, the second of two.
    bytes[1 + 64] = (bytes[1 + 64] ?? 0) ^ 1;
    const forged = { ...solana, payload: { transaction: bytes.toString('base64') } };
    expect(requiredOf(await from('203.0.113.9', paymentHeader(forged))).error).toBe('invalid_signature');
    const evm = await payer.sign(required, evmNetwork);
    for (const [field, error] of [
      [{ value: '1' }, 'invalid_amount'],
      [{ to: address }, 'invalid_recipient'],
      [{ validBefore: '1' }, 'payment_expired'],
    ] as const) {
      const authorization = { ...(evm.payload['authorization'] as object), ...field };
      const header = paymentHeader({ ...evm, payload: { ...evm.payload, authorization } });
      expect(requiredOf(await from('203.0.113.9', header)).error).toBe(error);
    }
    expect(facilitator.asked.filter(({ path }) => path !== '/supported')).toEqual([]);
  });
});

describe('a credential that is sent to a paid call', () => {
  const secret = 'k3y-that-nobody-else-may-see';

  it.each(payNetworks)('is in no answer, not at the facilitator, not in the ledger and in no log (%s)', async (network) => {
    const careless: PaidCall = { ...labels, fields: { ...labels.fields, api_key: secret, Authorization: `Bearer ${secret}` } };
    const headers = { 'x-api-key': secret, authorization: `Bearer ${secret}` };
    const unpaid = await send(instance.url, careless, headers);
    const wanted = requiredOf(unpaid);
    expect(wanted.resource?.url).toBe(`${instance.url}/x402/address_labels?${new URLSearchParams(labels.fields).toString()}`);
    const payload = await payer.sign(wanted, network);
    // A client may name the URL that it called instead of the one in the answer.
    const named =
      network === evmNetwork
        ? { ...payload, resource: { ...payload.resource, url: `${wanted.resource?.url}&api_key=${secret}` } }
        : payload;
    const paid = await send(instance.url, careless, { ...headers, ...paymentHeader(named) });
    expect(paid.status).toBe(200);
    const { rows } = await world.service.database.pool.query('SELECT * FROM risk.payments');
    const seen = { unpaid, wanted, paid, asked: facilitator.asked, rows, logs: instance.logs() };
    expect(facilitator.asked.map(({ path }) => path)).toEqual(['/verify', '/settle']);
    for (const [where, what] of Object.entries(seen)) expect(JSON.stringify(what), where).not.toContain(secret);
    for (const answer of [unpaid, paid]) expect(JSON.stringify([...answer.headers])).not.toContain(secret);
  });

  it('in a body is in no answer either', async () => {
    const careless: PaidCall = { ...create, fields: { ...create.fields, api_key: secret } };
    const unpaid = await send(instance.url, careless);
    const paid = await send(instance.url, careless, paymentHeader(await payer.sign(requiredOf(unpaid), evmNetwork)));
    expect(paid.status).toBe(200);
    expect(JSON.stringify([unpaid, paid, facilitator.asked, instance.logs()])).not.toContain(secret);
  });
});

describe('a facilitator that redirects', () => {
  it('is not followed: no other host sees a payment or the token', async () => {
    const seen: string[] = [];
    const other = await listen(async (request, body, response) => {
      seen.push(`${request.url} ${body}`);
      sendJson(response, 200, { isValid: true, payer: payer.evm.address });
    });
    const redirecting = await listen(async (request, _, response) => {
      if (request.url === '/supported')
        return sendJson(response, 200, { kinds: [{ x402Version: 2, scheme: 'exact', network: evmNetwork }] });
      response.writeHead(307, { location: `${other.url}${request.url}` }).end();
    });
    const own = await world.start({ workers: 0, x402FacilitatorUrl: redirecting.url, x402FacilitatorToken: 'operator-token' });
    const header = paymentHeader(await payer.sign(await requiredBy(own.url, labels), evmNetwork));
    const answer = await send(own.url, labels, header);
    expect([answer.status, answer.body.msg]).toEqual([503, 'ServiceUnavailable']);
    expect(seen).toEqual([]);
    await own.stop();
    await Promise.all([other.close(), redirecting.close()]);
  });
});

describe('a block that a chain may take back', () => {
  it('settles nothing: the payment stays pending until the block is safe', async () => {
    const own = await world.start({ workers: 0, x402EvmFinality: 'safe', x402ReconcileMs: 3_600_000 });
    const header = paymentHeader(await payer.sign(await requiredBy(own.url, labels), evmNetwork));
    // The payment is executed, but its answer is lost.
    world.facilitator.fault('settle', { kind: 'drop', at: 'after' });
    expect((await send(own.url, labels, header)).body.msg).toBe('SettlementPending');
    const state = async () =>
      (await world.service.database.pool.query('SELECT state FROM risk.payments ORDER BY created_at DESC LIMIT 1')).rows[0]?.['state'];
    expect(await state()).toBe('unknown');
    await world.evm.skipBlocks(64);
    await expect.poll(async () => (await send(own.url, labels, header)).status, { timeout: 15_000, interval: 300 }).toBe(200);
    await own.stop();
  });
});
