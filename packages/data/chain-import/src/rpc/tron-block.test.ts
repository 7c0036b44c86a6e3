import { readFileSync } from 'node:fs';
import { tronAddressFromHex } from '@weir/chains';
import { expect, test } from 'vitest';
import { readTransferFile } from '../formats.ts';
import { rowsOf } from '../testing/files.ts';
import { publicFile } from '../testing/public-files.ts';
import { readBlockTimes } from '../transfers/block-times.ts';
import { transferTopic } from '../transfers/rows.ts';
import { readTronBlock, tronHashAt, tronHeight } from './tron-block.ts';
import type { TronNode } from './tron-node.ts';

type Json = Record<string, any>;
const height = 50_000_011;
const [hash, parentHash] = ['0000000002faf08b851ed298e6c3ad03421bb625c8ea2bafc07d3a6809c1c572', `0000000002faf08a${'0'.repeat(48)}`];
const file = (name: string): string => publicFile('transfers', `tron_block_50000011_${name}.jsonl`);
const records = (name: string): Json[] =>
  readFileSync(file(name), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
const types: Readonly<Record<number, string>> = { 1: 'TransferContract', 31: 'TriggerSmartContract', 4: 'VoteWitnessContract' };

/** Block 50000011 of TRON's main network in the form of a full node's answers. */
function realBlock(): { block: Json; receipts: Json[] } {
  const transactions = records('transactions').filter(({ transaction_type: type }) => types[type] !== undefined);
  const logs = records('logs').filter(({ topics }) => topics[0] === transferTopic);
  const ids = new Set([...transactions.map(({ tx_hash: id }) => id), ...logs.map(({ tx_hash: id }) => id)]);
  const byId = new Map(transactions.map((transaction) => [transaction['tx_hash'], transaction]));
  const order = new Map(logs.toReversed().map(({ tx_hash: id, log_index: index }) => [id, index]));
  const txids = [...ids].toSorted((a, b) => (order.get(a) ?? -1) - (order.get(b) ?? -1));
  let count = 0;
  const receipts = txids.map((id) => {
    const own = logs.filter(({ tx_hash: of }) => of === id);
    const log: Json[] = own.flatMap(({ log_index: index, address, topics, data }) => {
      // Other logs.
      const before = Array.from({ length: Math.max(0, index - count) }, () => ({ address, topics: [], data: '' }));
      count = index + 1;
      return [...before, { address, topics, data }];
    });
    return { id, blockNumber: height, receipt: { net_usage: 268 }, ...(log.length > 0 && { log }) };
  });
  const content = (id: string): Json => {
    const { transaction_type: type = 31, from_address: from, to_address: to, value = 0 } = byId.get(id) ?? {};
    const owner_address = `41${from}`;
    const moved =
      type === 1
        ? { amount: value, owner_address, to_address: `41${to}` }
        : { call_value: value, owner_address, contract_address: `41${to}` };
    return { type: types[type], parameter: { value: moved, type_url: `type.googleapis.com/protocol.${types[type]}` } };
  };
  return {
    block: {
      blockID: hash,
      block_header: { raw_data: { number: height, parentHash, timestamp: 1_680_612_831_000 } },
      transactions: txids.map((txID) => ({ txID, ret: [{ contractRet: 'SUCCESS' }], raw_data: { contract: [content(txID)] } })),
    },
    receipts,
  };
}

const nodeOf = (answers: Readonly<Record<string, unknown>>): TronNode => ({ ask: async (method) => answers[method] });
const scope = { chain: 'tron', source: 'a test' } as const;
const sorted = (rows: readonly object[]): string[] => rows.map((row) => JSON.stringify(row)).toSorted();

test('a real block gives the transfers that its files of tron-etl give', async () => {
  const { block, receipts } = realBlock();
  const read = await readTronBlock(nodeOf({ getblockbynum: block, gettransactioninfobyblocknum: receipts }), scope, height);
  const blockTime = await readBlockTimes([file('transactions')]);
  const imported = await Promise.all(
    ['transactions', 'logs'].map((name) => rowsOf(readTransferFile(file(name), 'tron-etl', { ...scope, blockTime }))),
  );
  expect(read).toMatchObject({ height, hash, parentHash, rejected: [] });
  expect(read.rows.length).toBeGreaterThan(100);
  expect(sorted(read.rows)).toEqual(sorted(imported.flat()));
});

const [alice, bob, contract] = ['11', '22', '33'].map((digits) => `41${digits.repeat(20)}`) as [string, string, string];
const txid = (n: number): string => String(n).padStart(64, 'e');
const made = (type: string, value: Json, ret = 'SUCCESS', n = 1) => ({
  txID: txid(n),
  ret: [{ contractRet: ret }],
  raw_data: { contract: [{ type, parameter: { value } }] },
});
async function readMade(transactions: Json[], receipts: Json[]) {
  const block = { blockID: hash, block_header: { raw_data: { number: height, parentHash, timestamp: 1_680_612_831_000 } }, transactions };
  return readTronBlock(nodeOf({ getblockbynum: block, gettransactioninfobyblocknum: receipts }), scope, height);
}

test('payments of contracts count, rejected ones and failed transactions do not', async () => {
  const call = made('TriggerSmartContract', { owner_address: alice, contract_address: contract, call_value: 5_000_000 });
  const failed = made('TransferContract', { owner_address: alice, to_address: bob, amount: 7 }, 'OUT_OF_ENERGY', 2);
  const inner = (value: Json, more: Json = {}) => ({ caller_address: contract, transferTo_address: bob, callValueInfo: [value], ...more });
  const receipt = {
    id: txid(1),
    internal_transactions: [
      inner({ callValue: 2_000_000 }),
      inner({ callValue: 9 }, { rejected: true }),
      inner({}),
      inner({ callValue: 3, tokenId: '1002000' }),
    ],
  };
  const { rows, rejected } = await readMade([call, failed], [receipt, { id: txid(2), result: 'FAILED' }]);
  expect(rejected).toEqual([]);
  expect(rows.map(({ coin, amount }) => [coin, amount])).toEqual([
    ['TRX', '5'],
    ['TRX', '2'],
    ['TRC10-1002000', null],
  ]);
});

test('a TRC-10 token is named by its number, a creation pays its contract, a vote pays nobody', async () => {
  const token = made('TransferAssetContract', {
    owner_address: alice,
    to_address: bob,
    amount: 3,
    asset_name: Buffer.from('1002000').toString('hex'),
  });
  const creation = made('CreateSmartContract', { owner_address: alice, new_contract: { call_value: 1_000_000 } }, 'SUCCESS', 2);
  const vote = made('VoteWitnessContract', { owner_address: alice, votes: [] }, 'SUCCESS', 3);
  const { rows } = await readMade([token, creation, vote], [{ id: txid(1) }, { id: txid(2), contract_address: contract }, { id: txid(3) }]);
  expect(rows.map(({ coin, amount }) => [coin, amount])).toEqual([
    ['TRC10-1002000', null],
    ['TRX', '1'],
  ]);
});

test('a block that changes between its requests is an error, and so is another block than was asked for', async () => {
  const payment = made('TransferContract', { owner_address: alice, to_address: bob, amount: 7 });
  await expect(readMade([payment], [{ id: txid(9) }])).rejects.toThrow('changed');
  const other = { blockID: hash, block_header: { raw_data: { number: 5, parentHash, timestamp: 1 } } };
  await expect(tronHashAt(nodeOf({ getblock: other }), 6)).rejects.toThrow('another block');
  expect(await tronHashAt(nodeOf({ getblock: {} }), 6)).toBeUndefined();
  expect(await tronHeight(nodeOf({ getblock: other }))).toBe(5);
});

const recorded: Json = JSON.parse(readFileSync(new URL('recorded/tron.json', import.meta.url), 'utf8'));

test.each([
  ['block 165', 165, [recorded['receipt in block 165']], []],
  [
    'block 67674988',
    67_674_988,
    [{ id: recorded['block 67674988'].transactions[0].txID }],
    [
      [
        tronAddressFromHex('74d7980a2a3e48e3a863365542e92ab8d646e0aa'),
        tronAddressFromHex('c3d34597fb01e25d4d8e7ef34ccdd0f05bf85473'),
        'TRX',
        '0.000006',
      ],
    ],
  ],
])('the answers of a node for its %s', async (name, number, receipts, moved) => {
  const block = recorded[name];
  const read = await readTronBlock(nodeOf({ getblockbynum: block, gettransactioninfobyblocknum: receipts }), scope, number);
  expect(read).toMatchObject({ hash: block.blockID, parentHash: block.block_header.raw_data.parentHash, rejected: [] });
  expect(read.rows.map((row) => [row.from_address, row.to_address, row.coin, row.amount])).toEqual(moved);
});

test('the receipts of a node, with a log and with a payment of a contract', async () => {
  const receipts = [recorded['receipt with a log'], recorded['receipt with a payment of a contract']];
  const calls = receipts.map(({ id, contract_address }) => ({
    ...made('TriggerSmartContract', { owner_address: alice, contract_address }),
    txID: id,
  }));
  const { rows, rejected } = await readMade(calls, receipts);
  const receiver = tronAddressFromHex('dcf2957055e8fcde477a077ecfeddf5ab2357547');
  expect(rejected).toEqual([]);
  expect(rows.map((row) => [row.txid, row.from_address, row.to_address, row.coin, row.amount])).toEqual([
    [receipts[0].id, 'TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC', receiver, tronAddressFromHex('d53adb8bb7b45de60d0dc3d03ba0c187093b919d'), null],
    [receipts[1].id, tronAddressFromHex('a4de5410785ffffc7c210f126f7534d868c2ecc9'), receiver, 'TRX', '0.000001'],
  ]);
});
