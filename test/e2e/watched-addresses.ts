import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@weir/clock';
import { screeningId } from '@weir/contracts';
import type { Hex } from 'viem';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { weir } from '../../packages/cli/src/testing/weir.ts';
import { anvilClient, startEvmChain } from '../support/local-chains/index.ts';
import { type Installation, makeInstallation } from '../support/stack/installation.ts';

const within = { timeout: 120_000, interval: 100 };
const account = (n: number): Hex => `0x${n.toString(16).padStart(40, '0')}`;
const [customer, receiver, hot, second] = [account(0xc1), account(0xe1), account(0xe2), account(0xc2)];
const ether = 10n ** 18n;

/** What the exchange is told of its own addresses on a real chain, whatever carries the events. */
export function expectWatchedAddresses(tier: { prepare(): Promise<{ env: NodeJS.ProcessEnv; close(): Promise<void> }> }): void {
  let evm: Awaited<ReturnType<typeof startEvmChain>>;
  let installation: Installation;
  let close: () => Promise<void>;
  let folder: string;
  beforeAll(async () => {
    const [chain, prepared] = await Promise.all([startEvmChain(), tier.prepare()]);
    folder = mkdtempSync(join(tmpdir(), 'weir-test-'));
    const days = [0, 1].map((n) => new Date(systemClock.now() + n * 86_400_000).toISOString().slice(0, 10));
    writeFileSync(join(folder, 'prices.csv'), `coin,date,usd\n${days.map((day) => `ETH-BASE,${day},3000.5\n`).join('')}`);
    [evm, close] = [chain, () => prepared.close()];
    installation = await makeInstallation({
      env: {
        ...prepared.env,
        WEIR_CHAIN_NODES: `base=${evm.url}`,
        WEIR_CHAIN_FIRST_BLOCKS: 'base=1',
        WEIR_CHAIN_CONFIRMATIONS: 'base=1',
        WEIR_CHAIN_POLL_MS: '200',
        WEIR_PRICE_SOURCE: join(folder, 'prices.csv'),
        WEIR_NODE_REQUESTS_PER_SECOND: '1000',
      },
    });
    await installation.start();
    const place = ['--chain', 'base', '--since', '2020-01-01T00:00:00Z', '--data-dir', installation.dataDir];
    const env = prepared.env;
    for (const args of [[receiver, '--user', 'u-1'], [hot]])
      expect(await weir(['watch', 'add', ...args, ...place], { env })).toMatchObject({ code: 0 });
  });
  afterAll(async () => {
    await installation.remove();
    await Promise.all([evm.close(), close()]);
    rmSync(folder, { recursive: true });
  });

  async function ask(role: string, method: string, path: string, body?: object): Promise<{ status: number; body: any }> {
    const answer = await fetch(`${installation.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${installation.token(role)}`, 'content-type': 'application/json', prefer: 'wait=20' },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: await answer.json() };
  }
  const metric = async (name: string): Promise<number> => {
    const text = await (await fetch(`${installation.url}/metrics`)).text();
    return Number(new RegExp(`^${name}\\{chain="base"\\} (\\S+)$`, 'm').exec(text)?.[1] ?? 0);
  };
  /** Decided deposits, as they were told of. */
  const decided = async (): Promise<{ deposit_id: string; [field: string]: unknown }[]> => {
    const { items } = (await ask('auditor', 'GET', '/v1/screenings?kind=deposit&limit=200')).body;
    return items.flatMap(({ transfer, decisions }: any) => (decisions.length > 0 ? [transfer] : []));
  };
  const decisions = async (depositId: string): Promise<any[]> =>
    (await ask('auditor', 'GET', `/v1/screenings/${screeningId('deposit', depositId)}`)).body.decisions;
  const ids = async (): Promise<string[]> => (await decided()).map(({ deposit_id }) => deposit_id);

  test('a deposit to a watched address is decided without a call, a payment without a permit is told, a reorganisation takes back', async () => {
    const client = anvilClient(evm);
    const pay = async (from: Hex, to: Hex, value: bigint): Promise<string> => {
      await client.setBalance({ address: from, value: 100n * ether });
      await client.impersonateAccount({ address: from });
      // Fixed, so that the same payment has the same id in another block.
      const fees = { gas: 21_000n, maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 10n ** 9n };
      const hash = await client.sendTransaction({ account: from, to, value, chain: evm.chain, ...fees });
      return (await client.waitForTransactionReceipt({ hash })).transactionHash;
    };

    const first = await pay(customer, receiver, 2n * ether);
    await evm.fund(receiver, 5_000_000n);
    // Between watched addresses, and nothing.
    await pay(receiver, hot, ether);
    await pay(customer, receiver, 0n);
    await client.mine({ blocks: 1 });
    await vi.waitFor(async () => expect(await decided()).toHaveLength(2), within);
    const deposits = await decided();
    expect(deposits).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          deposit_id: `base:${first}:0`,
          coin: 'ETH-BASE',
          amount: '2',
          from_address: customer,
          to_address: receiver,
          user_id: 'u-1',
          usd_value: '6001',
        }),
        expect.objectContaining({ coin: 'USDC-BASE', amount: '5', to_address: receiver, user_id: 'u-1', usd_value: null }),
      ]),
    );
    expect(await metric('weir_watched_deposits_total')).toBe(2);
    expect(await metric('weir_watched_addresses')).toBe(2);
    expect(await metric('weir_watched_payments_without_permit')).toBe(0);

    await pay(hot, second, 3n * ether);
    await client.mine({ blocks: 1 });
    await vi.waitFor(async () => expect(await metric('weir_watched_payments_without_permit')).toBe(1), within);
    expect(installation.output()).toContain('money left a watched address without a redeemed permit');

    const withdrawal = { withdrawal_id: 'w-1', coin: 'ETH-BASE', to_address: customer, amount: '1.5' };
    await ask('gate', 'POST', '/v1/withdrawals', withdrawal);
    const allowed = await vi.waitFor(async () => {
      const { body } = await ask('gate', 'GET', '/v1/withdrawals/w-1');
      expect(body.status).not.toBe('pending');
      return body;
    }, within);
    expect(allowed.status).toBe('allowed');
    const terms = { chain: 'base', coin: 'ETH-BASE', to_address: customer, amount: '1.5' };
    expect((await ask('gate', 'POST', '/v1/permits/redeem', { permit: allowed.permit, ...terms })).status).toBe(200);
    await pay(hot, customer, (3n * ether) / 2n);
    await client.mine({ blocks: 1 });
    // A later deposit is behind it on the chain.
    const later = await pay(second, receiver, ether);
    await client.mine({ blocks: 1 });
    await vi.waitFor(async () => expect(await ids()).toContain(`base:${later}:0`), within);
    expect(await metric('weir_watched_payments_without_permit')).toBe(1);

    const before = await client.snapshot();
    const lost = await pay(second, receiver, 7n * ether);
    await client.mine({ blocks: 1 });
    await vi.waitFor(async () => expect(await ids()).toContain(`base:${lost}:0`), within);
    await client.revert({ id: before });
    await client.increaseTime({ seconds: 5 });
    await client.mine({ blocks: 4 });
    await vi.waitFor(async () => expect(await metric('weir_watched_deposits_taken_back')).toBe(1), within);
    // A changed score may have made a revision before.
    const latest = async (): Promise<any> => (await decisions(`base:${lost}:0`)).at(-1);
    await vi.waitFor(
      async () => expect(await latest()).toMatchObject({ action: 'review', reason_codes: ['INVALID_TRANSFER', 'TAKEN_BACK'] }),
      within,
    );
    // It comes again in another block, and is the same deposit.
    const again = await pay(second, receiver, 7n * ether);
    await client.mine({ blocks: 1 });
    expect(again).toBe(lost);
    await vi.waitFor(async () => expect(await metric('weir_watched_deposits_taken_back')).toBe(0), within);
    await vi.waitFor(async () => expect(await latest()).toMatchObject({ action: 'allow' }), within);
    expect((await ids()).filter((id) => id === `base:${lost}:0`)).toHaveLength(1);
    const verified = await weir(['audit', 'verify', '--data-dir', installation.dataDir]);
    expect(verified).toMatchObject({ code: 0 });
  }, 300_000);
}
