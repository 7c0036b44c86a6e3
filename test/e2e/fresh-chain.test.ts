import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Hex } from 'viem';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { anvilClient, type EvmChain, startEvmChain } from '../support/local-chains/index.ts';
import { type Installation, makeInstallation } from '../support/stack/installation.ts';

const weir = join(import.meta.dirname, '..', '..', 'packages', 'cli', 'bin', 'weir.js');
const within = { timeout: 60_000, interval: 20 };
const account = (n: number): Hex => `0x${n.toString(16).padStart(40, '0')}`;
const [thief, honest, customer, exchange] = [account(0xf1), account(0xa1), account(0xc1), account(0xe1)];

let evm: EvmChain;
let installation: Installation;
beforeAll(async () => {
  evm = await startEvmChain();
  installation = await makeInstallation({
    env: {
      WEIR_CHAIN_NODES: `base=${evm.url}`,
      WEIR_CHAIN_FIRST_BLOCKS: 'base=1',
      WEIR_CHAIN_CONFIRMATIONS: 'base=1',
      WEIR_CHAIN_POLL_MS: '1000',
      WEIR_NODE_REQUESTS_PER_SECOND: '1000',
    },
  });
  await installation.start();
  const file = join(installation.dataDir, 'labels.csv');
  const row = `base,${thief},Somebody,theft,2025-01-01,,1,test`;
  writeFileSync(file, `chain,address,name,category,valid_from,valid_to,confidence,source\n${row}\n`);
  const args = ['labels', 'import', file, '--format', 'csv', '--data-dir', installation.dataDir];
  await promisify(execFile)(process.execPath, [weir, ...args], { env: { ...process.env, WEIR_TOKEN: installation.token('admin') } });
});
afterAll(async () => {
  await installation.remove();
  await evm.close();
});

async function ask(role: string, method: string, path: string, body?: object): Promise<any> {
  const answer = await fetch(`${installation.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${installation.token(role)}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  return answer.json();
}

let deposits = 0;
/** The first decision of a deposit from the customer. */
async function decide(): Promise<{ action: string; level: string | null }> {
  deposits += 1;
  const body = {
    deposit_id: `d-${deposits}`,
    coin: 'ETH-BASE',
    from_address: customer,
    to_address: exchange,
    amount: '1',
    usd_value: '50',
  };
  const { screening_id: id } = await ask('ingest', 'POST', '/v1/deposits', body);
  return vi.waitFor(async () => {
    const { decisions = [], result } = await ask('auditor', 'GET', `/v1/screenings/${id}`);
    expect(decisions.length).toBeGreaterThan(0);
    return { action: decisions[0].action, level: result?.risk_level ?? null };
  }, within);
}

async function stored(block: number): Promise<void> {
  const followed = async (): Promise<number> => {
    const metrics = await (await fetch(`${installation.url}/metrics`)).text();
    return Number(/^weir_chain_blocks_total\{chain="base"\} (\d+)$/m.exec(metrics)?.[1] ?? 0);
  };
  await vi.waitFor(async () => expect(await followed()).toBeGreaterThanOrEqual(block), within);
}

test('stolen money that arrives at a screened address changes the next decision within two blocks, and one that takes it back changes it again', async () => {
  const client = anvilClient(evm);
  const pay = async (from: Hex): Promise<number> => {
    await client.setBalance({ address: from, value: 10n ** 21n });
    await client.impersonateAccount({ address: from });
    const hash = await client.sendTransaction({ account: from, to: customer, value: 10n ** 18n, chain: evm.chain });
    return Number((await client.waitForTransactionReceipt({ hash })).blockNumber);
  };
  const first = await pay(honest);
  await client.mine({ blocks: 1 });
  await stored(first);
  expect(await decide()).toEqual({ action: 'allow', level: 'Low' });
  expect(await decide()).toEqual({ action: 'allow', level: 'Low' });

  const before = await client.snapshot();
  const paid = await pay(thief);
  // The one block that confirms it.
  await client.mine({ blocks: 1 });
  const begun = performance.now();
  await stored(paid);
  const storedMs = performance.now() - begun;
  let decision = await decide();
  // Until scoring has read the change, it may reuse the old result.
  while (decision.action === 'allow' && performance.now() - begun < 120_000) decision = await decide();
  const changedMs = performance.now() - begun;
  const head = Number(await client.getBlockNumber());
  process.stdout.write(
    `paid in block ${paid}, decided with head ${head}: stored after ${Math.round(storedMs)} ms, ${decision.action} (${decision.level}) after ${Math.round(changedMs)} ms\n`,
  );
  expect(decision.action).not.toBe('allow');
  expect(head - paid).toBeLessThan(2);

  await client.revert({ id: before });
  // Another time makes another block.
  await client.increaseTime({ seconds: 5 });
  await client.mine({ blocks: 3 });
  await vi.waitFor(async () => expect(await decide()).toEqual({ action: 'allow', level: 'Low' }), within);
});
