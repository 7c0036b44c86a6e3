import { readFollowedChain } from '@weir/chain-store';
import { createChainDatabase, unobserved } from '@weir/chain-store/testing';
import { systemClock } from '@weir/clock';
import type { TestDatabase } from '@weir/postgres/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ChainFollower } from './chain-follower.ts';
import { type HttpNode, startHttpNode } from './http-node.testing.ts';
import { NodeGroup } from './node-group.ts';
import { solanaNode } from './solana-node.ts';

const genesis = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d';
const [alice, bob] = ['DxCsN4jatqeTW2pj6fR55TrNqoCcoo8UNAy8xosheeVf', '13ztuDnY8HvZCkBK7XwRv5jT5fd9KS7bgdXp1mL1Gd3H'];
const base58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** Each produced slot has one payment of as many lamports. */
const produced = [0, 3, 4, 7, 8, 9, 12];
const head = 13;
const blockOf = (slot: number) => {
  const parentSlot = produced[produced.indexOf(slot) - 1] ?? slot - 1;
  const [before, after] = [1_000_000, 1_000_000 - 5_000 - slot];
  return {
    blockhash: `hash ${slot}`,
    previousBlockhash: `hash ${parentSlot}`,
    parentSlot,
    blockTime: 1_700_000_000 + slot,
    transactions: [
      {
        transaction: {
          // 64 bytes in base58.
          signatures: [base58[slot]?.repeat(87)],
          message: {
            accountKeys: [{ pubkey: alice }, { pubkey: bob }],
            instructions: [{ program: 'system', parsed: { type: 'transfer', info: { source: alice, destination: bob, lamports: slot } } }],
          },
        },
        meta: { err: null, fee: 5_000, preBalances: [before, 0], postBalances: [after, slot], innerInstructions: [] },
      },
    ],
  };
};
const answers: Readonly<Record<string, (first: any, second: any) => unknown>> = {
  getGenesisHash: () => genesis,
  getSlot: () => head,
  getBlocks: (from: number, to: number) => produced.filter((slot) => slot >= from && slot <= to),
  getBlock: (slot: number) => blockOf(slot),
};

let server: HttpNode;
let database: TestDatabase;
beforeAll(async () => {
  database = await createChainDatabase();
  server = await startHttpNode(({ id, method, params }) => ({
    body: { jsonrpc: '2.0', id, result: answers[method]?.(...(params as [any, any])) },
  }));
});
afterAll(async () => {
  server.close();
  await database.drop();
});

const node = (more: object = {}) =>
  solanaNode({
    chain: 'solana',
    name: 'solana 1',
    url: server.url,
    clock: systemClock,
    signal: new AbortController().signal,
    timeoutMs: 10_000,
    requestsPerSecond: 1_000,
    ...more,
  });

it('of another network is recognised by its first block', async () => {
  await expect(node({ knownBlock: { height: 0, hash: 'another' } }).head()).rejects.toThrow('the node is none of solana');
});

it('is followed over slots without a block, each payment once', async () => {
  const nodes = new NodeGroup({
    clock: systemClock,
    nodes: [node(), node({ name: 'solana 2' })],
    onLeft: (name, reason) => expect.fail(`${name}: ${reason}`),
  });
  const options = {
    pool: database.pool,
    clock: systemClock,
    chain: 'solana',
    nodes,
    firstBlock: 2,
    confirmations: 0,
    observer: unobserved,
  } as const;
  // Another process goes on after each step.
  while (await new ChainFollower(options).step());
  expect(await readFollowedChain(database.pool, 'solana')).toMatchObject({ height: head, hash: 'hash 12', reorganisations: 0 });
  const { rows } = await database.pool.query(
    'SELECT from_address AS payer, to_address AS payee, coin, (amount * 1e9)::int AS lamports FROM chain.transfers ORDER BY amount',
  );
  expect(rows).toEqual(produced.slice(1).map((slot) => ({ payer: alice, payee: bob, coin: 'SOL', lamports: slot })));
});
