import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Node } from './node.ts';
import { readSolanaBlocks, solanaHashAt } from './solana-block.ts';
import { solanaRows } from './solana-transaction.ts';

type Json = Record<string, any>;
const recorded: Json = JSON.parse(readFileSync(new URL('recorded/solana.json', import.meta.url), 'utf8'));
const scope = { chain: 'solana', source: 'a test' } as const;

/** A node with these blocks by slot; the other slots have none. */
const nodeOf = (blocks: Json, head = 1_000_000_000): Node => ({
  ask: async (method, [first, second]) => {
    if (method === 'getSlot') return head;
    if (method === 'getBlock') return blocks[String(first)];
    return Object.keys(blocks)
      .map(Number)
      .filter((slot) => slot >= Number(first) && slot <= Number(second));
  },
});

test('a real swap is SOL one way and a token the other, and the account of wrapped SOL that lives within it is its owner', async () => {
  const [block] = await readSolanaBlocks(nodeOf(recorded), scope, { from: 195_545_750, to: 195_545_750 });
  expect(block).toMatchObject({
    height: 195_545_750,
    hash: 'E7ksVVZ9kFjjxrKVtuMXXhM4fVczSDiiFtMkcgFh9jcd',
    parentHash: 'DXFTuumL1TAV85kE8WxvzqsSmbWrPK3ZDMSdqysEGeiS',
    time: '2023-05-23T16:06:58.000Z',
    rejected: [],
  });
  const txid = '4H6uGfHviqEzPpyMuMcPaGAxTaBJhXFpR3Aa1vdVsBXj';
  const [trader, pool] = ['DxCsN4jatqeTW2pj6fR55TrNqoCcoo8UNAy8xosheeVf', '13ztuDnY8HvZCkBK7XwRv5jT5fd9KS7bgdXp1mL1Gd3H'];
  const fish = 'Fishy64jCaa3ooqXw7BHtKvYD8BTkSyAPh6RNE3xZpcN';
  const moved = block?.rows.map(({ txid: id, from_address: from, to_address: to, coin, amount }) => [
    id?.slice(0, 10),
    from,
    to,
    coin,
    amount,
  ]);
  expect(moved).toEqual([
    [txid.slice(0, 10), trader, pool, fish, expect.stringMatching(/^50/)],
    [txid.slice(0, 10), pool, trader, 'SOL', '0.129112223'],
  ]);
});

test('votes, failed transactions, fees and payments to oneself are no transfers; tokens of a node that names no owners are rejected', async () => {
  const [block] = await readSolanaBlocks(nodeOf(recorded), scope, { from: 100_000_000, to: 100_000_000 });
  expect(recorded['100000000'].transactions).toHaveLength(4);
  expect(block).toMatchObject({ hash: 'GdY1gj7F8vq1nCy4dgCZK42WV19bkfQ4cp2e9evK18ry', rows: [] });
  expect(block?.rejected).toEqual([expect.stringMatching(/^transaction s28hELYc.*AMD3D21NmYeeohviSpyc1TmfHU1Zz4KoHbEsMYBSasu2$/)]);
});

const [alice, bob, carol, program] = ['Alice', 'Bob', 'Carol', 'Program'].map((name) => name.padEnd(43, '1')) as [
  string,
  string,
  string,
  string,
];
const [usdc, wrapped, nobody] = [
  'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
  'So11111111111111111111111111111111111111112',
  '11111111111111111111111111111111',
];
const rent = 2_039_280;
const token = (accountIndex: number, owner: string, amount: string, mint = usdc) => ({
  accountIndex,
  owner,
  mint,
  uiTokenAmount: { amount, decimals: mint === usdc ? 6 : 9 },
});
const said = (of: string, type: string, info: Json) => ({ program: of, programId: of, parsed: { type, info } });

/** Balances by account as [before, after]; the first account pays the fee of 5,000. */
function made(
  balances: Record<string, [number, number]>,
  { instructions = [], inner = [], pre = [], post = [] }: Record<string, Json[]>,
): Json {
  const keys = Object.keys(balances);
  return {
    transaction: {
      signatures: ['4H6uGfHviqEzPpyMuMcPaGAxTaBJhXFpR3Aa1vdVsBXj'],
      message: { accountKeys: keys.map((pubkey) => ({ pubkey })), instructions },
    },
    meta: {
      err: null,
      fee: 5_000,
      preBalances: keys.map((key) => balances[key]?.[0]),
      postBalances: keys.map((key) => balances[key]?.[1]),
      preTokenBalances: pre,
      postTokenBalances: post,
      innerInstructions: inner,
    },
  };
}
const moves = (transaction: Json): unknown[] =>
  solanaRows(scope, transaction, '2026-01-01T00:00:00Z').map((row) => [row.from_address, row.to_address, row.coin, row.amount]);

test('a token payment that opens the account of the receiver is that payment alone', () => {
  const transaction = made(
    { [alice]: [1e9, 1e9 - 5_000 - rent], bobs: [0, rent], alices: [rent, rent] },
    {
      instructions: [
        said('spl-associated-token-account', 'create', { account: 'bobs', mint: usdc, source: alice, wallet: bob }),
        said('spl-token', 'transferChecked', { source: 'alices', destination: 'bobs', mint: usdc, tokenAmount: { amount: '7000000' } }),
      ],
      inner: [
        { index: 0, instructions: [said('system', 'createAccount', { source: alice, newAccount: 'bobs', lamports: rent, space: 165 })] },
      ],
      pre: [token(2, alice, '9000000')],
      post: [token(1, bob, '7000000'), token(2, alice, '2000000')],
    },
  );
  expect(moves(transaction)).toEqual([[alice, bob, 'USDC-SOLANA', '7']]);
});

test('who pays whom is what the instructions say, also of several at once', () => {
  const transaction = made(
    { [alice]: [1e9, 1e9 - 5_000 - 10], [bob]: [5e8, 5e8 - 20], [carol]: [0, 20], dave: [0, 10] },
    {
      instructions: [
        said('system', 'transfer', { source: alice, destination: 'dave', lamports: 10 }),
        said('system', 'transferWithSeed', { source: bob, destination: carol, lamports: 20 }),
      ],
    },
  );
  expect(moves(transaction)).toEqual([
    [alice, 'dave', 'SOL', '0.00000001'],
    [bob, carol, 'SOL', '0.00000002'],
  ]);
});

test('the balances show what a program moves without an instruction', () => {
  const transaction = made(
    { [alice]: [1e9, 2e9 - 5_000], [program]: [6e9, 3e9], [bob]: [0, 2e9] },
    { instructions: [{ programId: program, data: '' }] },
  );
  expect(moves(transaction)).toEqual([
    [program, alice, 'SOL', '1'],
    [program, bob, 'SOL', '2'],
  ]);
});

test('closing an account of wrapped SOL for somebody else pays them', () => {
  const transaction = made(
    { [alice]: [1e9, 1e9 - 5_000], wsol: [3e9 + rent, 0], [bob]: [0, 3e9 + rent] },
    {
      instructions: [said('spl-token', 'closeAccount', { account: 'wsol', destination: bob, owner: alice })],
      pre: [token(1, alice, String(3e9), wrapped)],
    },
  );
  expect(moves(transaction)).toEqual([[alice, bob, 'SOL', '3.00203928']]);
});

test('made and burnt tokens come from and go to nobody, with and without an instruction', () => {
  const mint = made(
    { [alice]: [1e9, 1e9 - 5_000], bobs: [rent, rent] },
    {
      instructions: [said('spl-token', 'mintTo', { mint: usdc, account: 'bobs', amount: '5000000' })],
      pre: [token(1, bob, '0')],
      post: [token(1, bob, '5000000')],
    },
  );
  expect(moves(mint)).toEqual([[nobody, bob, 'USDC-SOLANA', '5']]);
  const burnt = made(
    { [alice]: [1e9, 1e9 - 5_000], bobs: [rent, rent] },
    { instructions: [{ programId: program, data: '' }], pre: [token(1, bob, '5000000')], post: [token(1, bob, '1000000')] },
  );
  expect(moves(burnt)).toEqual([[bob, nobody, 'USDC-SOLANA', '4']]);
});

test('the fee of a transfer of a newer token is not received', () => {
  const transaction = made(
    { [alice]: [1e9, 1e9 - 5_000], alices: [rent, rent], bobs: [rent, rent] },
    {
      instructions: [
        said('spl-token-2022', 'transferCheckedWithFee', {
          source: 'alices',
          destination: 'bobs',
          mint: usdc,
          tokenAmount: { amount: '1000000' },
          feeAmount: { amount: '10000' },
        }),
      ],
      pre: [token(1, alice, '1000000'), token(2, bob, '0')],
      post: [token(1, alice, '0'), token(2, bob, '990000')],
    },
  );
  expect(moves(transaction)).toEqual([[alice, bob, 'USDC-SOLANA', '0.99']]);
});

test('balances that a double does not hold exactly move nothing', () => {
  const transaction = made(
    { [alice]: [1e9, 1e9 - 5_000 - 7], rich: [2e17, 2e17 + 32] },
    { instructions: [said('system', 'transfer', { source: alice, destination: 'rich', lamports: 7 })] },
  );
  expect(moves(transaction)).toEqual([[alice, 'rich', 'SOL', '0.000000007']]);
});

const empty = (slot: number, parentSlot: number) => ({
  blockhash: `hash ${slot}`,
  previousBlockhash: `hash ${parentSlot}`,
  parentSlot,
  blockTime: slot,
  transactions: [],
});

test('a slot without a block has the hash of the one before, so that blocks are linked', async () => {
  const node = nodeOf({ 1: empty(1, 0), 2: empty(2, 1), 5: empty(5, 2), 6: empty(6, 5) }, 8);
  const blocks = await readSolanaBlocks(node, scope, { from: 3, to: 8 });
  expect(blocks.map(({ height, hash, parentHash }) => [height, hash, parentHash])).toEqual([
    [3, 'hash 2', 'hash 2'],
    [4, 'hash 2', 'hash 2'],
    [5, 'hash 5', 'hash 2'],
    [6, 'hash 6', 'hash 5'],
    [7, 'hash 6', 'hash 6'],
    [8, 'hash 6', 'hash 6'],
  ]);
  expect(await Promise.all([4, 5, 8, 9].map((slot) => solanaHashAt(node, slot)))).toEqual(['hash 2', 'hash 5', 'hash 6', undefined]);
});

test.each<[string, Json, string]>([
  ['leaves out a slot that has a block', { 1: empty(1, 0), 3: empty(3, 2) }, 'leaves out slot 2'],
  ['does not give a block that it named', { 1: empty(1, 0), 2: undefined }, 'does not have the block of slot 2'],
  ['gives no time', { 1: { ...empty(1, 0), blockTime: null } }, 'no time of slot 1'],
])('a node that %s is an error', async (_what, blocks, reason) => {
  await expect(readSolanaBlocks(nodeOf(blocks, 3), scope, { from: 1, to: 3 })).rejects.toMatchObject({
    code: 'NODE',
    message: expect.stringContaining(reason),
  });
});
