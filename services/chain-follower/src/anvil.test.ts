import { findRange, findTraceMethod, openNode, readRange } from '@weir/chain-import';
import { type ImportObserver, readFollowedChain } from '@weir/chain-store';
import { contents, createChainDatabase, importChainRecords } from '@weir/chain-store/testing';
import { systemClock } from '@weir/clock';
import type { TestDatabase } from '@weir/postgres/testing';
import { type Hex, pad } from 'viem';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { anvilClient, type EvmChain, startEvmChain } from '../../../test/support/local-chains/index.ts';
import { ChainFollower } from './chain-follower.ts';
import { evmNode } from './evm-node.ts';
import { NodeGroup } from './node-group.ts';

let evm: EvmChain;
let [followed, imported]: TestDatabase[] = [];
beforeAll(async () => {
  [evm, followed, imported] = await Promise.all([startEvmChain(), createChainDatabase(), createChainDatabase()]);
});
afterAll(() => Promise.all([evm.close(), followed?.drop(), imported?.drop()]));

const unobserved: ImportObserver = { labelsStored: async () => undefined, transfersStored: async () => undefined };
const account = (n: number): Hex => `0x${n.toString(16).padStart(40, '0')}`;
/** Passes what it receives on to the address in its call data. */
const forwarder = account(0xf0f0);
const forwarderCode = '0x6000808080346000355af100';

it('transfers, tokens and payments of contracts are followed through reorganisations of 1 to 20 blocks', async () => {
  if (followed === undefined || imported === undefined) throw new Error('there is no database');
  const client = anvilClient(evm);
  const [sender] = await client.getAddresses();
  if (sender === undefined) throw new Error('anvil has no account');
  await client.setCode({ address: forwarder, bytecode: forwarderCode });
  const logger = { warn: () => undefined } as never;
  const stopping = new AbortController();
  const node = evmNode({
    chain: 'base',
    url: evm.url,
    name: 'base 1',
    clock: systemClock,
    logger,
    signal: stopping.signal,
    timeoutMs: 60_000,
    requestsPerSecond: 5_000,
    traces: true,
  });
  const nodes = new NodeGroup({ clock: systemClock, nodes: [node], onLeft: () => undefined });
  const removed: number[] = [];
  const follower = new ChainFollower({
    pool: followed.pool,
    clock: systemClock,
    chain: 'base',
    nodes,
    firstBlock: 1,
    confirmations: 0,
    observer: unobserved,
    onRemoved: ({ blocks }) => removed.push(blocks),
  });
  /** Until the node has nothing new. */
  const follow = async (): Promise<void> => {
    while (await follower.step());
  };
  /** In a block of its own: anvil makes it a moment after it has taken the transaction. */
  const send = async (payment: { to: Hex; value: bigint; data?: Hex }): Promise<void> => {
    const hash = await client.sendTransaction({ account: sender, chain: evm.chain, ...payment });
    await client.waitForTransactionReceipt({ hash });
  };
  let receiver = 1_000;
  const spend = async (): Promise<void> => {
    const value = 10n ** 15n * BigInt((receiver += 1));
    await send({ to: account(receiver), value });
    await send({ to: forwarder, value, data: pad(account(receiver + 1)) });
    await evm.fund(account(receiver), BigInt(receiver));
  };
  await spend();
  await follow();
  for (let depth = 1; depth <= 20; depth += 1) {
    const snapshot = await client.snapshot();
    for (let n = 0; n < depth; n += 1) {
      if (n % 7 === 0) await send({ to: account(n + 1), value: 7n });
      else await client.mine({ blocks: 1 });
    }
    await follow();
    await client.revert({ id: snapshot });
    // Another time makes another hash of an empty block.
    await client.increaseTime({ seconds: depth });
    await spend();
    await client.mine({ blocks: depth });
    await follow();
    await follow();
  }
  expect(removed).toEqual(Array.from({ length: 20 }, (_, n) => n + 1));
  const head = Number(await client.getBlockNumber());
  expect(await readFollowedChain(followed.pool, 'base')).toMatchObject({ height: head, reorganisations: 20, lastError: null });

  const scope = { chain: 'base', source: 'node' } as const;
  const opened = await openNode(evm.url, {});
  const traces = await findTraceMethod(opened, head);
  expect(traces).toBeDefined();
  const range = await findRange(opened, scope, 1, head, true);
  await importChainRecords(imported.pool, {
    kind: 'transfers',
    key: 'the final blocks',
    name: 'anvil',
    clock: systemClock,
    onRejected: ({ reason }) => {
      throw new Error(reason);
    },
    read: readRange(opened, scope, range, traces),
  });
  const stored = await contents(followed.pool);
  expect(stored).toEqual(await contents(imported.pool));
  const { rows } = await followed.pool.query<{ coin: string; internal: number; count: number }>(
    `SELECT coin, (position >= 536870912)::int AS internal, count(*)::int AS count FROM chain.transfers GROUP BY 1, 2 ORDER BY 1, 2`,
  );
  process.stdout.write(`stored after 20 reorganisations: ${JSON.stringify(rows)}\n`);
  expect(rows.map(({ coin, internal }) => [coin, internal])).toEqual([
    ['ETH-BASE', 0],
    ['ETH-BASE', 1],
    ['USDC-BASE', 0],
  ]);
});
