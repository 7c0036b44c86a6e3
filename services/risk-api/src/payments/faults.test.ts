import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { systemClock } from '@weir/clock';
import { eip3009ABI } from '@x402/evm';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { anvilClient } from '../../../../test/support/local-chains/index.ts';
import type { Answer, Instance } from '../testing/instance.ts';
import {
  type PaidCall,
  pay,
  type Payer,
  paymentHeader,
  type PayWorld,
  receiptIn,
  requiredBy,
  requiredOf,
  send,
  startPayWorld,
} from '../testing/paying.ts';
import { evmNetwork, type PayNetwork, payNetworks, solanaNetwork } from './networks.ts';

const address = '0x28C6c06298d514Db089934071355E5743bf21d60';
const labels: PaidCall = { method: 'GET', path: '/x402/address_labels', fields: { coin: 'ETH', address } };
const price = 100_000n;

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

async function signed(network: PayNetwork, url = instance.url): Promise<Record<string, string>> {
  return paymentHeader(await payer.sign(await requiredBy(url, labels), network));
}

/** Amount moved from the payer to the receiver during the work. Both balances must agree. */
async function charged(network: PayNetwork, work: () => Promise<unknown>): Promise<bigint> {
  const before = [await payer.balance(network), await world.received(network)] as const;
  await work();
  const [spent, received] = [before[0] - (await payer.balance(network)), (await world.received(network)) - before[1]];
  expect(spent).toBe(received);
  return spent;
}

async function insist(header: Record<string, string>, url = instance.url): Promise<Answer> {
  let last: Answer | undefined;
  await expect
    .poll(
      async () => {
        last = await send(url, labels, header);
        return last.status;
      },
      { timeout: 20_000, interval: 200 },
    )
    .not.toSatisfy((status: number) => status === 503 || status === 409);
  return last as Answer;
}

async function runsOf({ url }: Instance): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/weir_payment_step_seconds_count\{step="run"\} (\d+)/.exec(text)?.[1] ?? 0);
}

const states = async () =>
  (await world.service.database.pool.query(`SELECT state FROM risk.payments ORDER BY created_at DESC LIMIT 1`)).rows[0]?.['state'];

describe.each(payNetworks)('on %s', (network) => {
  it('the same payment at once, here and at another replica, is one run, one charge and one answer', async () => {
    const replica = await world.start({ workers: 0 });
    const header = await signed(network);
    const runs = async () => (await Promise.all([instance, replica].map(runsOf))).reduce((sum, own) => sum + own, 0);
    const settlements = () => world.facilitator.calls.filter(({ on }) => on === 'settle').length;
    const before = [await runs(), settlements()] as const;
    const amount = await charged(network, async () => {
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, n) => send(n % 2 === 0 ? instance.url : replica.url, labels, header)),
      );
      expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200));
      expect(new Set(answers.map((answer) => receiptIn(answer).transaction)).size).toBe(1);
    });
    expect(amount).toBe(price);
    expect([(await runs()) - before[0], settlements() - before[1]]).toEqual([1, 1]);
    await replica.stop();
  });

  it('a payment that comes again has the same answer, uncharged, also after it has expired', async () => {
    const header = await signed(network);
    const first = await send(instance.url, labels, header);
    const { pool } = world.service.database;
    await pool.query(`UPDATE risk.payments SET created_at = created_at - interval '1 hour', settled_at = settled_at - interval '1 hour'`);
    const laterOn = await world.service.start({
      settings: { ...world.settings, workers: 0 },
      clock: { ...systemClock, now: () => Date.now() + 3_600_000 },
    });
    const amount = await charged(network, async () => {
      const again = await send(laterOn.url, labels, header);
      expect([again.status, again.body, receiptIn(again)]).toEqual([200, first.body, receiptIn(first)]);
    });
    expect(amount).toBe(0n);
    await laterOn.stop();
  });

  it('an answer is kept for as long as was said, and the payment stays spent', async () => {
    const header = await signed(network);
    const own = await world.start({ workers: 0, x402AnswerTtlMs: 1 });
    expect((await send(own.url, labels, header)).status).toBe(200);
    await expect.poll(async () => (await send(own.url, labels, header)).status, { timeout: 10_000 }).toBe(402);
    expect(requiredOf(await send(own.url, labels, header)).error).toBe('authorization_used');
    await own.stop();
  });

  it('a facilitator that is away is 503 and not 402, and the payment is good when it is back', async () => {
    const header = await signed(network);
    const amount = await charged(network, async () => {
      await world.facilitator.away();
      try {
        const answer = await send(instance.url, labels, header);
        expect([answer.status, answer.body.msg, answer.headers.get('retry-after')]).toEqual([503, 'ServiceUnavailable', '5']);
        expect(JSON.stringify(answer.body)).not.toMatch(/fetch|ECONN|127\.0/);
      } finally {
        await world.facilitator.back();
      }
      expect((await insist(header)).status).toBe(200);
    });
    expect(amount).toBe(price);
  });

  it.each([{ kind: 'status', status: 500 }, { kind: 'garbage' }, { kind: 'drop', at: 'before' }, { kind: 'slow', ms: 2_500 }] as const)(
    'a verification that comes to %j is 503',
    async (fault) => {
      const hasty = await world.start({ workers: 0, x402VerifyLimitMs: 1_000 });
      const header = await signed(network, hasty.url);
      world.facilitator.fault('verify', fault);
      const amount = await charged(network, async () => {
        const answer = await send(hasty.url, labels, header);
        expect([answer.status, answer.body.msg]).toEqual([503, 'ServiceUnavailable']);
      });
      await hasty.stop();
      expect(amount).toBe(0n);
      expect((await insist(header)).status).toBe(200);
    },
  );

  it.each([
    { kind: 'status', status: 500 },
    { kind: 'garbage' },
    { kind: 'drop', at: 'before' },
    { kind: 'drop', at: 'after' },
    { kind: 'slow', ms: 2_500 },
  ] as const)('a settlement that comes to %j is charged once, and delivered', async (fault) => {
    const hasty = await world.start({ workers: 0, x402SettleLimitMs: 1_000, x402ReconcileMs: 3_600_000 });
    const header = await signed(network);
    world.facilitator.fault('settle', fault);
    const amount = await charged(network, async () => {
      const first = await send(hasty.url, labels, header);
      expect([200, 503]).toContain(first.status);
      if (first.status === 503) expect([first.body.msg, first.headers.get('retry-after')]).toEqual(['SettlementPending', '2']);
      const answer = await insist(header);
      expect([answer.status, answer.body.success, receiptIn(answer).success]).toEqual([200, true, true]);
    });
    await hasty.stop();
    expect(amount).toBe(price);
  });

  it('a settlement that is pending is settled later by the service itself, and delivered to whoever sends the payment again', async () => {
    const chain = network === evmNetwork ? world.evm : world.solana;
    const header = await signed(network);
    const amount = await charged(network, async () => {
      await chain.pauseMining();
      try {
        expect((await send(instance.url, labels, header)).body.msg).toBe('SettlementPending');
      } finally {
        await chain.mine();
      }
      await expect.poll(states, { timeout: 15_000 }).toBe('settled');
      expect((await send(instance.url, labels, header)).status).toBe(200);
    });
    expect(amount).toBe(price);
  });

  it('a settlement that went out and never came back stays unknown where there is nobody to ask: not delivered, and not called paid', async () => {
    const blind = await world.start({ workers: 0, x402EvmRpcUrl: '', x402SolanaRpcUrl: '', x402ReconcileMs: 3_600_000 });
    const seeing = instance;
    await seeing.stop();
    const header = await signed(network, blind.url);
    world.facilitator.fault('settle', { kind: 'drop', at: 'after' });
    const amount = await charged(network, async () => {
      for (let turn = 0; turn < 3; turn += 1) {
        expect((await send(blind.url, labels, header)).body.msg).toBe('SettlementPending');
        await new Promise((resolve) => setTimeout(resolve, 1_050));
      }
      expect(await states()).toBe('unknown');
    });
    expect(amount).toBe(price);
    await blind.stop();
    instance = await world.start({ workers: 0 });
    expect((await insist(header)).status).toBe(200);
  });

  it('an identifier has the stored answer, uncharged, for another authorization of the same payer, and is 409 for another request', async () => {
    const id = `pay_${crypto.randomUUID().replaceAll('-', '')}`;
    const withId = async (by: Payer, call: PaidCall, more: object = {}) => {
      const payload = await by.sign(await requiredBy(instance.url, call), network);
      const own = payload.extensions?.['payment-identifier'] as object;
      return paymentHeader({
        ...payload,
        extensions: { ...payload.extensions, 'payment-identifier': { ...own, info: { required: false, id } } },
        ...more,
      });
    };
    const first = await send(instance.url, labels, await withId(payer, labels));
    expect(first.status).toBe(200);
    const amount = await charged(network, async () => {
      const again = await send(instance.url, labels, await withId(payer, labels));
      expect([again.status, receiptIn(again)]).toEqual([200, receiptIn(first)]);
      const other = { ...labels, fields: { ...labels.fields, address: '0x00000000000000000000000000000000000000aa' } };
      const conflict = await send(instance.url, other, await withId(payer, other));
      expect([conflict.status, conflict.body.msg]).toEqual([409, 'PaymentConflict']);
    });
    expect(amount).toBe(0n);
    // The same identifier of another payer is another payment.
    const stranger = await world.payer();
    const theirs = await send(instance.url, labels, await withId(stranger, labels));
    expect(receiptIn(theirs).transaction).not.toBe(receiptIn(first).transaction);
  });
});

describe('a facilitator that has not answered since the start', () => {
  it('is no reason to hide the price, where a payment names no fee payer; a payment is 503 and uncharged', async () => {
    const headers = await Promise.all(payNetworks.map((network) => signed(network)));
    await world.facilitator.away();
    const own = await world.start({ workers: 0 });
    const onSolana = await world.start({ workers: 0, x402PayToEvm: '' });
    try {
      const required = await requiredBy(own.url, labels);
      expect(required.error).toBe('payment_required');
      expect(required.accepts.map(({ network, amount }) => [network, amount])).toEqual([[evmNetwork, String(price)]]);
      for (const [at, network] of payNetworks.entries()) {
        const amount = await charged(network, async () => {
          const answer = await send(own.url, labels, headers[at]);
          expect([answer.status, answer.body.msg, answer.headers.get('retry-after')]).toEqual([503, 'ServiceUnavailable', '5']);
        });
        expect(amount).toBe(0n);
      }
      const none = await send(onSolana.url, labels);
      expect([none.status, none.body.msg, none.headers.get('retry-after')]).toEqual([503, 'ServiceUnavailable', '5']);
    } finally {
      await world.facilitator.back();
      await own.stop();
      await onSolana.stop();
    }
  });
});

describe('a caller whose payment another replica has taken over', () => {
  it('is not told that it was refused, for the other may have settled it', async () => {
    const own = await world.payer(price);
    const header = paymentHeader(await own.sign(await requiredBy(instance.url, labels), evmNetwork));
    const { pool } = world.service.database;
    const hold = world.facilitator.hold('settle', 'before');
    const asking = send(instance.url, labels, header);
    await hold.reached;
    await pool.query(
      `UPDATE risk.payments SET holder = gen_random_uuid(), lease_until = now() + interval '2 seconds' WHERE state = 'settling'`,
    );
    // Without a balance the facilitator refuses it, as it would after the other call settled it.
    expect((await pay(instance.url, labels, own, evmNetwork)).answer.status).toBe(200);
    hold.release();
    const answer = await asking;
    expect([answer.status, answer.body.msg]).toEqual([503, 'SettlementPending']);
    await world.evm.fund(own.evm.address, price);
    expect((await insist(header)).status).toBe(200);
  });
});

describe('a charge of what had been taken for refused', () => {
  it('is told to the operator', async () => {
    const header = await signed(evmNetwork);
    const { pool } = world.service.database;
    const hold = world.facilitator.hold('settle', 'after');
    const asking = send(instance.url, labels, header);
    await hold.reached;
    const { rows } = await pool.query(
      `UPDATE risk.payments SET state = 'refused', answer = NULL, reason = 'payment_refused' WHERE state = 'settling' RETURNING id`,
    );
    hold.release();
    expect((await asking).body.msg).toBe('SettlementPending');
    const told = instance
      .logs()
      .split('\n')
      .filter((line) => line.includes('had been taken for refused'));
    expect(told).toHaveLength(1);
    expect(told[0]).toContain(String(rows[0]?.['id']));
    await pool.query(`DELETE FROM risk.payments WHERE id = $1`, [rows[0]?.['id']]);
  });
});

describe('a node of Solana that is behind the others', () => {
  it('does not know a new blockhash yet, and that is not taken for one that has run out', async () => {
    let isBehind = true;
    const node = createServer((request, response) => {
      void (async () => {
        const body = await textOf(request);
        const { id, method } = JSON.parse(body) as { id: unknown; method: string };
        const value = { isBlockhashValid: { context: { slot: 1 }, value: false }, getSignaturesForAddress: [] }[method];
        const answer =
          isBehind && value !== undefined
            ? JSON.stringify({ jsonrpc: '2.0', id, result: value })
            : await (await fetch(world.solana.url, { method: 'POST', body, headers: { 'content-type': 'application/json' } })).text();
        response.writeHead(200, { 'content-type': 'application/json' }).end(answer);
      })();
    });
    const port = await new Promise<number>((resolve) => node.listen(0, '127.0.0.1', () => resolve((node.address() as AddressInfo).port)));
    await instance.stop();
    const own = await world.start({ workers: 0, x402SolanaRpcUrl: `http://127.0.0.1:${port}` });
    const header = await signed(solanaNetwork, own.url);
    world.facilitator.fault('settle', { kind: 'drop', at: 'before' });
    const amount = await charged(solanaNetwork, async () => {
      expect((await send(own.url, labels, header)).body.msg).toBe('SettlementPending');
      isBehind = false;
      expect((await insist(header, own.url)).status).toBe(200);
    });
    expect(amount).toBe(price);
    await own.stop();
    node.close();
    node.closeAllConnections();
    instance = await world.start({ workers: 0 });
  });
});

describe('a service that is stopped', () => {
  it('looks after no further settlement than the one in hand', async () => {
    const first = await world.start({ workers: 0, x402ReconcileMs: 3_600_000 });
    await instance.stop();
    for (let n = 0; n < 3; n += 1) {
      const header = await signed(evmNetwork, first.url);
      world.facilitator.fault('settle', { kind: 'status', status: 500 });
      expect((await send(first.url, labels, header)).body.msg).toBe('SettlementPending');
    }
    await first.stop();
    await world.service.database.pool.query(`UPDATE risk.payments SET next_try_at = now() WHERE state = 'unknown'`);
    const settlements = () => world.facilitator.calls.filter(({ on }) => on === 'settle').length;
    const before = settlements();
    const hold = world.facilitator.hold('settle', 'before');
    const next = await world.start({ workers: 0, x402ReconcileMs: 3_600_000 });
    await hold.reached;
    const stopped = next.stop();
    hold.release();
    await stopped;
    expect(settlements() - before).toBe(1);
    instance = await world.start({ workers: 0 });
    await expect
      .poll(async () => (await world.service.database.pool.query(`SELECT 1 FROM risk.payments WHERE state = 'unknown'`)).rowCount, {
        timeout: 15_000,
      })
      .toBe(0);
  });
});

describe('a payer who cancels', () => {
  it('while a settlement is unknown has not paid, and gets nothing', async () => {
    const own = await world.payer();
    await world.evm.fundGas(own.evm.address);
    const payload = await own.sign(await requiredBy(instance.url, labels), evmNetwork);
    const header = paymentHeader(payload);
    world.facilitator.fault('settle', { kind: 'drop', at: 'before' });
    const hold = world.facilitator.hold('settle', 'before');
    expect((await send(instance.url, labels, header)).body.msg).toBe('SettlementPending');
    await hold.reached;
    const client = anvilClient(world.evm);
    const { nonce } = payload.payload['authorization'] as { nonce: `0x${string}` };
    const signature = await own.evm.account.signTypedData({
      domain: { name: 'USD Coin', version: '2', chainId: 8453, verifyingContract: world.evm.asset },
      types: {
        CancelAuthorization: [
          { name: 'authorizer', type: 'address' },
          { name: 'nonce', type: 'bytes32' },
        ],
      },
      primaryType: 'CancelAuthorization',
      message: { authorizer: own.evm.address, nonce },
    });
    const abi = [
      {
        type: 'function',
        name: 'cancelAuthorization',
        stateMutability: 'nonpayable',
        outputs: [],
        inputs: [
          { name: 'authorizer', type: 'address' },
          { name: 'nonce', type: 'bytes32' },
          { name: 'signature', type: 'bytes' },
        ],
      },
    ] as const;
    const hash = await client.writeContract({
      account: own.evm.account,
      address: world.evm.asset,
      abi,
      functionName: 'cancelAuthorization',
      args: [own.evm.address, nonce, signature],
    });
    await client.waitForTransactionReceipt({ hash });
    expect(
      await client.readContract({
        address: world.evm.asset,
        abi: eip3009ABI,
        functionName: 'authorizationState',
        args: [own.evm.address, nonce],
      }),
    ).toBe(true);
    hold.release();
    const answer = await insist(header);
    expect([answer.status, requiredOf(answer).error, receiptIn(answer).success]).toEqual([402, 'payment_refused', false]);
    expect(await own.balance(evmNetwork)).toBe(100_000_000n);
  });
});

describe('what was bought', () => {
  it('is counted', async () => {
    await pay(instance.url, labels, payer, evmNetwork);
    const text = await (await fetch(`${instance.url}/metrics`)).text();
    expect(text).toMatch(/weir_payments_total\{operation="x402_address_labels",network="eip155:8453",outcome="settled"\} [1-9]/);
    expect(text).toMatch(/weir_payments_open 0\n/);
    expect(text).not.toContain(payer.evm.address.toLowerCase());
  });
});
