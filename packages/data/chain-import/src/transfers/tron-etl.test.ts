import { afterAll, describe, expect, it } from 'vitest';
import { checkTransfer } from '../checks.ts';
import { readTransferFile } from '../formats.ts';
import { collect, makeFolder, rejections, rowsOf, tally } from '../testing/files.ts';
import { ofData, publicFile } from '../testing/public-files.ts';
import { readBlockTimes } from './block-times.ts';

const folder = makeFolder();
afterAll(() => folder.remove());

const block = (name: string): string => publicFile('transfers', `tron_block_50000011_${name}`);
const blockTime = await readBlockTimes([block('transactions.jsonl')]);
const scope = { chain: 'tron', source: 'a test', blockTime } as const;
const read = (name: string) => readTransferFile(block(name), 'tron-etl', scope);
const readText = (...records: readonly object[]) =>
  readTransferFile(folder.write('tron', records.map((each) => JSON.stringify(each)).join('\n')), 'tron-etl', scope);

describe('block 50000011 of TRON', () => {
  it('has transactions that move TRX, and others that do not', async () => {
    expect(await tally(read('transactions.jsonl'))).toEqual(
      ofData({
        whole: { records: 293, rows: 194, 'no transfer': 23, 'of no value': 76 },
        small: { records: 68, rows: 66, 'no transfer': 1, 'of no value': 1 },
      }),
    );
  });

  it('gives the same TRX from the table of transfers, and the same tokens as the logs', async () => {
    const transfers = await rowsOf(read('transfers.csv'));
    expect(await tally(read('transfers.csv'))).toEqual({
      ...ofData({ whole: { records: 270, rows: 268 }, small: { records: 140, rows: 138 } }),
      'no transfer': 1,
      'of no value': 1,
    });
    expect(transfers.filter(({ coin }) => coin === 'TRX')).toEqual(await rowsOf(read('transactions.jsonl')));
    expect(transfers.filter(({ coin }) => coin !== 'TRX')).toEqual(await rowsOf(read('logs.jsonl')));
    expect(await tally(read('logs.jsonl'))).toEqual({
      ...ofData({ whole: { records: 76, rows: 74 }, small: { records: 74, rows: 72 } }),
      'no transfer': 1,
      'of no value': 1,
    });
  });

  it('writes addresses in base58 and knows USDT', async () => {
    expect((await rowsOf(read('logs.jsonl')))[0]).toEqual({
      chain: 'tron',
      txid: '2b24564fa78ed4a6e555c9cd26f4d3e791b1efc9f2654c31d4feb97d8853e03f',
      position: 1,
      from_address: 'TQy9yHe4cWMVAyVEx3QJdtd1CsCSUP6Yip',
      to_address: 'TMfLoEE32pew3B6evUyhaF4BhzLAT3K3KF',
      coin: 'USDT-TRC20',
      amount: '100',
      usd_value: null,
      time: '2023-04-04T12:53:51.000Z',
      source: 'a test',
    });
    const rows = [...(await rowsOf(read('transactions.jsonl'))), ...(await rowsOf(read('transfers.csv')))];
    expect(rows.map(checkTransfer).filter((row) => 'fault' in row)).toEqual([]);
  });

  it('has logs without a time, which are rejected when no blocks are given', async () => {
    const counts = await tally(readTransferFile(block('logs.jsonl'), 'tron-etl', { chain: 'tron', source: 'x' }));
    expect(counts).toEqual({
      ...ofData({ whole: { records: 76, rejected: 75 }, small: { records: 74, rejected: 73 } }),
      rows: 0,
      'no transfer': 1,
    });
  });

  it('can be read from anywhere', async () => {
    expect(await collect(read('transfers.csv')(100))).toEqual(
      (await collect(read('transfers.csv')(0))).filter(({ number }) => number > 100),
    );
  });
});

describe('tables of tron-etl', () => {
  const base = {
    tx_hash: 'a'.repeat(64),
    from_address: 'ea8b7eb12e00cf8ee5716d9e777cb1f28e5c51bc',
    block_timestamp: 1680612831,
    receipt_status: 1,
  };

  it('move TRX by transfers and by payments to contracts, never by tokens of TRC-10 or rewards', async () => {
    const to_address = '41a614f803b6fd780986a42c78ec9c7f77e6ded13c';
    const of = (transaction_type: number, more = {}) => ({ ...base, to_address, value: 5_000_001, transaction_type, ...more });
    const rows = await rowsOf(readText(of(1), of(31), of(2), of(13), of(54), of(31, { receipt_status: 0 })));
    expect(rows.map(({ coin, amount }) => [coin, amount])).toEqual([
      ['TRX', '5.000001'],
      ['TRX', '5.000001'],
    ]);
    expect(rows[0]?.to_address).toBe('TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t');
    expect(await tally(readText(of(2), of(1, { receipt_status: 0 })))).toEqual({ records: 2, rows: 0, 'no transfer': 1, failed: 1 });
  });

  it('have tokens of TRC-10 under their number, of unknown amount', async () => {
    const { tx_hash: transaction_hash, ...rest } = base;
    const transfer = { ...rest, transaction_hash, to_address: base.from_address, value: 7, status: 1, log_index: null };
    expect(await rowsOf(readText({ ...transfer, token_address: '1002000' }))).toEqual([
      expect.objectContaining({ coin: 'TRC10-1002000', amount: null, position: 0 }),
    ]);
    expect(await tally(readText({ ...transfer, token_address: null, transaction_type: 2 }))).toEqual({
      records: 1,
      rows: 0,
      'no transfer': 1,
    });
    expect(await rejections(readText({ ...transfer, token_address: 'nonsense', log_index: 1 }))).toEqual([
      [1, 'the contract is no address of tron'],
    ]);
  });
});
