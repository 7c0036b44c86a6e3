import { afterAll, describe, expect, it } from 'vitest';
import { checkTransfer } from '../checks.ts';
import { readTransferFile } from '../formats.ts';
import type { TransferRow } from '../rows.ts';
import { collect, makeFolder, rejections, rowsOf, tally } from '../testing/files.ts';
import { ofData, publicFile } from '../testing/public-files.ts';
import { readBlockTimes } from './block-times.ts';
import { readFailures } from './failures.ts';

const folder = makeFolder();
afterAll(() => folder.remove());

const scope = { chain: 'ethereum', source: 'a test' } as const;
const blocks = (name: string): string => publicFile('transfers', 'eth_blocks_17173049_17173050', name);
const readBlocks = (name: string) => readTransferFile(blocks(name), 'ethereum-etl', scope);
const readText = (content: string, options = {}) =>
  readTransferFile(folder.write('file', content), 'ethereum-etl', { ...scope, ...options });
const keyOf = ({ txid, position, coin, from_address, to_address }: TransferRow): string =>
  [txid, position, coin, from_address, to_address].join(' ');

const a = `0x${'a'.repeat(40)}`;
const b = `0x${'b'.repeat(40)}`;
const usdt = '0xdac17f958d2ee523a2206206994597c13d831ec7';
const hash = `0x${'1'.repeat(64)}`;
const word = (address: string): string => `0x${address.slice(2).padStart(64, '0')}`;
const topic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

describe('two blocks of Ethereum', () => {
  it('have 127 transactions that pay something; others pay nothing or failed', async () => {
    expect(await tally(readBlocks('transactions.json'))).toEqual({
      rows: 127,
      ...ofData({ whole: { records: 298, 'of no value': 162, failed: 9 }, small: { records: 206, 'of no value': 77, failed: 2 } }),
    });
    expect(await rowsOf(readBlocks('transactions.json'))).toContainEqual({
      chain: 'ethereum',
      txid: '0xeb107a40ba73a50c79a9f2026e902d758d1c5e5e211f7a7db1b294f88f118dd0',
      position: 0,
      from_address: '0xae2fc483527b8ef99eb5d9b44875f005ba1fae13',
      to_address: '0x6b75d8af000000e20b7a7ddf000ba900b4009a80',
      coin: 'ETH',
      amount: '0.000000001642894143',
      usd_value: null,
      time: '2023-05-02T12:19:59.000Z',
      source: 'a test',
    });
  });

  it('give the same from CSV, which lacks who failed unless receipts say it', async () => {
    const rows = await rowsOf(readBlocks('transactions.json'));
    const failed = await readFailures([blocks('transactions.json')]);
    const told = await rowsOf(readTransferFile(blocks('transactions.csv'), 'ethereum-etl', { ...scope, failed }));
    expect(told).toEqual(rows);
    expect(await rowsOf(readBlocks('transactions.csv'))).toHaveLength(rows.length + ofData({ whole: 8, small: 1 }));
  });

  it('have the same transfers of tokens in their table and in the logs', async () => {
    expect(await tally(readBlocks('token_transfers.json'))).toEqual(
      ofData({ whole: { records: 291, rows: 288, 'of no value': 3 }, small: { records: 153, rows: 152, 'of no value': 1 } }),
    );
    expect(await tally(readBlocks('logs.json'))).toEqual(
      ofData({
        whole: { records: 681, rows: 288, 'no transfer': 390, 'of no value': 3 },
        small: { records: 154, rows: 152, 'no transfer': 1, 'of no value': 1 },
      }),
    );
    const rows = await rowsOf(readBlocks('token_transfers.json'));
    expect(await rowsOf(readBlocks('logs.json'))).toEqual(rows);
    expect(rows[0]).toMatchObject({ coin: 'WETH-ERC20', amount: '7.056176614974947328', position: 1 });
    expect(rows[1]).toMatchObject({ coin: '0x1ce270557c1f68cfb577b856766310bf8b47fd9c', amount: null, usd_value: null, position: 2 });
  });

  it('give rows that are right, and none twice', async () => {
    const rows = [...(await rowsOf(readBlocks('transactions.json'))), ...(await rowsOf(readBlocks('logs.json')))];
    expect(rows.map(checkTransfer).filter((row) => 'fault' in row)).toEqual([]);
    expect(new Set(rows.map(keyOf)).size).toBe(rows.length);
  });

  it('can be read from anywhere', async () => {
    for (const name of ['transactions.csv', 'logs.json']) {
      const all = await collect(readBlocks(name)(0));
      expect(await collect(readBlocks(name)(100))).toEqual(all.filter(({ number }) => number > 100));
    }
  });
});

describe('tables of ethereum-etl', () => {
  it('without times take those of their blocks, and say when there is none', async () => {
    const content = `token_address,from_address,to_address,value,transaction_hash,log_index,block_number\n${[17173049, 1]
      .map((block) => `${usdt},${a},${b},2500000,${hash},7,${block}`)
      .join('\n')}\n`;
    const blockTime = await readBlockTimes([blocks('blocks.json')]);
    const [row] = await collect(readText(content, { blockTime })(0));
    expect(row).toMatchObject({ rows: [{ time: '2023-05-02T12:19:59.000Z', coin: 'USDT-ERC20', amount: '2.5', position: 8 }] });
    expect(await rejections(readText(content, { blockTime }))).toEqual([
      [3, 'block_timestamp is missing, and no file of blocks gives the time of block 1'],
    ]);
  });

  it('may be mixed in one stream; what is none of them is no transfer', async () => {
    const records = [
      { type: 'block', number: 1, hash },
      { type: 'transaction', hash, from_address: a, to_address: b, value: '1', block_timestamp: '2023-05-02 12:19:59 UTC' },
      { type: 'log', transaction_hash: hash, log_index: 0, address: usdt, data: '0x', topics: [topic], block_timestamp: 1683029999 },
      { type: 'contract', address: a },
    ];
    const counts = await tally(readText(records.map((record) => JSON.stringify(record)).join('\n')));
    expect(counts).toEqual({ records: 4, rows: 1, 'no transfer': 3 });
  });

  it('know a log by what stands in its topics and its data, whichever holds it', async () => {
    const log = { transaction_hash: hash, log_index: 3, address: usdt, block_timestamp: 1683029999 };
    const value = `0x${'5f5e100'.padStart(64, '0')}`;
    const forms = [
      { topics: [topic, word(a), word(b)], data: value },
      { topics: [topic], data: `${word(a)}${word(b).slice(2)}${value.slice(2)}` },
      { topics: `${topic},${word(a)},${word(b)}`, data: value },
      { topic0: topic, topic1: word(a), topic2: word(b), data: value },
    ];
    const rows = await rowsOf(readText(forms.map((form) => JSON.stringify({ ...log, ...form })).join('\n')));
    expect(rows).toHaveLength(4);
    for (const row of rows) expect(row).toMatchObject({ from_address: a, to_address: b, amount: '100', position: 4 });
    const others = [
      { topics: [topic, word(a), `0x${'f'.repeat(64)}`], data: value },
      { topics: [topic, word(a), word(b)], data: '0x' },
      { topics: [topic.replace('d', 'e'), word(a), word(b)], data: value },
      { topics: [], data: '0x' },
    ];
    expect(await tally(readText(others.map((form) => JSON.stringify({ ...log, ...form })).join('\n')))).toEqual({
      records: 4,
      rows: 0,
      'no transfer': 4,
    });
  });

  it('leave out what moved nothing: anybody can forge it', async () => {
    const forged = {
      token_address: usdt,
      from_address: a,
      to_address: b,
      value: 0,
      transaction_hash: hash,
      log_index: 0,
      block_timestamp: 1683029999,
    };
    expect(await tally(readText(JSON.stringify(forged)))).toEqual({ records: 1, rows: 0, 'of no value': 1 });
  });

  it('pay a contract that is made', async () => {
    const made = { hash, from_address: a, to_address: null, receipt_contract_address: b, value: '7', block_timestamp: 1683029999 };
    expect(await rowsOf(readText(JSON.stringify(made)))).toEqual([
      expect.objectContaining({ to_address: b, amount: '0.000000000000000007' }),
    ]);
    expect(await rejections(readText(JSON.stringify({ ...made, receipt_contract_address: null })))).toEqual([
      [1, 'to_address or receipt_contract_address is missing'],
    ]);
  });

  it('reject values that lost digits or are none', async () => {
    const row = { hash, from_address: a, to_address: b, block_timestamp: 1683029999 };
    const values = [1e22, 1.5, '1.5', '-1', 'many', '', [1], true];
    const reasons = (await rejections(readText(values.map((value) => JSON.stringify({ ...row, value })).join('\n')))).map(
      ([, reason]) => reason,
    );
    expect(reasons).toEqual([
      'value was kept as a float and has lost digits',
      'value is not a whole number',
      'value is not a whole number',
      'value is not a whole number',
      'value is not a whole number',
      'value is missing',
      'value is no text and no number',
      'value is not a whole number',
    ]);
  });

  it('are told apart; another table, file or chain is refused', async () => {
    await expect(collect(readText('a,b\n1,2\n')(0))).rejects.toThrow(
      'the columns a, b are not those of transactions, nor of token_transfers, nor of logs, nor of traces',
    );
    await expect(collect(readTransferFile(blocks('transactions.csv'), 'ethereum-etl', { ...scope, table: 'logs' })(0))).rejects.toThrow(
      'not those of logs',
    );
    expect(() => readText('', { table: 'uncles' })).toThrow(
      'there is no table uncles; there are transactions, token_transfers, logs, traces',
    );
    expect(() => readText('', { chain: 'tron' })).toThrow('ethereum-etl is no format of tron');
    expect(() => readTransferFile('', 'etherscan', { chain: 'bitcoin', source: 'x' })).toThrow('etherscan is no format of bitcoin');
  });
});

describe('what a source says of failure', () => {
  const header = 'hash,from_address,to_address,value,block_timestamp,receipt_status';
  const withStatus = (status: string) => readText(`${header}\n${hash},${a},${b},5,1683029999,${status}\n`);

  it.each(['0', '0.0', '0x0', '0x00', 'false', 'False', 'failed', 'reverted'])('%s: it failed', async (status) => {
    expect(await tally(withStatus(status))).toEqual({ records: 1, rows: 0, failed: 1 });
  });

  it.each(['', '1', '1.0', '0x1', 'true', 'SUCCESS'])('%j: it did not', async (status) => {
    expect(await tally(withStatus(status))).toEqual({ records: 1, rows: 1 });
  });

  it.each(['nan', '2', 'pending'])('%s is not taken for success', async (status) => {
    expect(await rejections(withStatus(status))).toEqual([[2, 'receipt_status says neither that it succeeded nor that it failed']]);
  });
});

it.each([true, 'true', 'True'])('a log that the chain has taken back (removed: %j) is no transfer', async (removed) => {
  const log = {
    log_index: 0,
    transaction_hash: hash,
    address: usdt,
    topics: [topic, word(a), word(b)],
    data: word('0x5'),
    block_timestamp: 1_683_029_999,
  };
  const lines = [
    { ...log, removed },
    { ...log, removed: false },
  ]
    .map((line) => JSON.stringify(line))
    .join('\n');
  expect(await tally(readText(lines))).toEqual({ records: 2, rows: 1, 'no transfer': 1 });
});
