import { randomBytes } from 'node:crypto';
import { Address, NETWORK, OutScript, p2pkh, Transaction } from '@scure/btc-signer';
import { pubECDSA } from '@scure/btc-signer/utils.js';
import { type ImportObserver, readFollowedChain } from '@weir/chain-store';
import { contents, createChainDatabase } from '@weir/chain-store/testing';
import type { KnownBlock } from '@weir/chains';
import { systemClock } from '@weir/clock';
import type { TestDatabase } from '@weir/postgres/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type BitcoinChain, startBitcoinChain } from '../../../test/support/local-chains/btcd.ts';
import { ChainFollower } from './chain-follower.ts';
import { NodeGroup } from './node-group.ts';
import { utxoNode } from './utxo-node.ts';

const unobserved: ImportObserver = { labelsStored: async () => undefined, transfersStored: async () => undefined };
const coin = 100_000_000n;
const fee = 10_000n;
/** Rewards may be spent this many blocks later. */
const maturity = 100;

function newWallet() {
  const key = randomBytes(32);
  const { script } = p2pkh(pubECDSA(key));
  return { key, script, address: Address(NETWORK).encode(OutScript.decode(script)) };
}

const [miner, other, shop, friend] = [newWallet(), newWallet(), newWallet(), newWallet()];
let chain: BitcoinChain;
let fork: BitcoinChain;
let database: TestDatabase;
beforeAll(async () => {
  chain = await startBitcoinChain({ miner: miner.script });
  fork = await startBitcoinChain({ miner: other.script });
  database = await createChainDatabase();
});
afterAll(() => Promise.all([chain.close(), fork.close(), database.drop()]));

interface Spent {
  readonly txid: string;
  readonly index: number;
  readonly wallet: ReturnType<typeof newWallet>;
}

/** The reward of a block, of which there is one output. */
async function rewardOf(height: number): Promise<Spent & { raw: Uint8Array }> {
  const { tx } = await chain.rpc('getblock', [await chain.rpc('getblockhash', [height]), 1]);
  const raw = Buffer.from(await chain.rpc('getrawtransaction', [tx[0], 0]), 'hex');
  return { txid: tx[0], index: 0, wallet: miner, raw };
}

async function pay(
  inputs: readonly (Spent & { raw: Uint8Array })[],
  outputs: readonly [Uint8Array, bigint][],
): Promise<Spent & { raw: Uint8Array }> {
  const transaction = new Transaction({ allowLegacyWitnessUtxo: true });
  for (const { txid, index, raw } of inputs) transaction.addInput({ txid, index, nonWitnessUtxo: raw });
  for (const [script, amount] of outputs) transaction.addOutput({ script, amount });
  inputs.forEach(({ wallet }, n) => transaction.signIdx(wallet.key, n));
  transaction.finalize();
  const txid = await chain.rpc('sendrawtransaction', [transaction.hex]);
  return { txid, index: 0, wallet: shop, raw: Buffer.from(transaction.hex, 'hex') };
}

/** Gives the blocks above `from` to the other node. */
async function copyBlocks(source: BitcoinChain, target: BitcoinChain, from: number): Promise<void> {
  const head = await source.rpc('getblockcount', []);
  for (let height = from + 1; height <= head; height += 1) {
    const block = await source.rpc('getblock', [await source.rpc('getblockhash', [height]), 0]);
    await target.rpc('submitblock', [block]);
  }
}

it('payments, change and co-spends of a real node are followed through a reorganisation', async () => {
  const knownBlock = { height: 0, hash: await chain.rpc('getblockhash', [0]) };
  const nodes = [chain.url].map((url) =>
    utxoNode({
      chain: 'bitcoin',
      name: 'bitcoin 1',
      url,
      clock: systemClock,
      signal: new AbortController().signal,
      timeoutMs: 60_000,
      requestsPerSecond: 5_000,
      knownBlock,
    }),
  );
  const follower = new ChainFollower({
    pool: database.pool,
    clock: systemClock,
    chain: 'bitcoin',
    nodes: new NodeGroup({ clock: systemClock, nodes, onLeft: (_node, reason) => process.stdout.write(`${reason}\n`) }),
    firstBlock: 1,
    confirmations: 0,
    observer: unobserved,
  });
  const follow = async (): Promise<void> => {
    while (await follower.step());
  };
  const transfers = async (): Promise<unknown[]> =>
    (
      await database.pool.query(
        `SELECT from_address AS from, to_address AS to, trim_scale(amount)::text AS amount, position::float8 AS position
         FROM chain.transfers ORDER BY at, txid, position, from_address`,
      )
    ).rows;

  await chain.mine(maturity + 2);
  const first = await rewardOf(1);
  const paid = await pay(
    [first],
    [
      [shop.script, 10n * coin],
      [friend.script, 5n * coin],
      [miner.script, 35n * coin - fee],
    ],
  );
  await chain.mine(1);
  await follow();
  // The third output is change.
  const one = [
    { from: miner.address, to: shop.address, amount: '10', position: 0 },
    { from: miner.address, to: friend.address, amount: '5', position: 1 },
  ];
  expect(await transfers()).toEqual(one);
  await copyBlocks(chain, fork, 0);
  const before = await contents(database.pool);

  const second = await rewardOf(2);
  // 50 of the miner and 10 of the shop, less the fee.
  await pay([second, { ...paid, index: 0 }], [[friend.script, 60n * coin - fee]]);
  await chain.mine(1);
  await follow();
  const added = (await transfers()).slice(2) as { from: string; to: string; amount: string }[];
  expect(added.map(({ from, to }) => `${from} ${to}`).toSorted()).toEqual(
    [miner, shop].map(({ address }) => `${address} ${friend.address}`).toSorted(),
  );
  expect(added.reduce((sum, { amount }) => sum + Number(amount), 0)).toBeCloseTo(59.9999, 8);
  const members = await database.pool.query<{ address: string }>('SELECT address FROM chain.cluster_members ORDER BY address');
  expect(members.rows.map(({ address }) => address)).toEqual([miner.address, shop.address].toSorted());

  // A longer chain without that payment.
  const height = await fork.rpc('getblockcount', []);
  await fork.mine(3);
  await copyBlocks(fork, chain, height);
  await follow();
  await follow();
  expect(await readFollowedChain(database.pool, 'bitcoin')).toMatchObject({ height: height + 3, reorganisations: 1, lastError: null });
  expect(await transfers()).toEqual(one);
  expect(await contents(database.pool)).toEqual(before);

  // The payment is in a block again.
  await chain.mine(1);
  await follow();
  expect(await transfers()).toHaveLength(4);
});

const nodeOf = (name: 'bitcoin' | 'bitcoin-cash', knownBlock?: KnownBlock) =>
  utxoNode({
    chain: name,
    name: `${name} 1`,
    url: chain.url,
    clock: systemClock,
    signal: new AbortController().signal,
    timeoutMs: 60_000,
    requestsPerSecond: 5_000,
    ...(knownBlock !== undefined && { knownBlock }),
  });

it('a node of another chain is recognised by its known block', async () => {
  await expect(nodeOf('bitcoin', { height: 0, hash: 'another' }).head()).rejects.toThrow('the node is none of bitcoin');
});

it.each([
  ['bitcoin', 478_559],
  ['bitcoin-cash', 661_648],
] as const)('a node that does not have the first own block of %s is not followed', async (name, height) => {
  await expect(nodeOf(name).head()).rejects.toThrow(`does not have block ${height} of ${name} yet`);
});
