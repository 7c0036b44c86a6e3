import { afterAll, describe, expect, it } from 'vitest';
import { checkTransfer } from '../checks.ts';
import { readTransferFile } from '../formats.ts';
import type { TransferRow } from '../rows.ts';
import { collect, makeFolder, rejections, rowsOf, tally } from '../testing/files.ts';
import { positionsFrom } from './position.ts';
import { readTransactionIds } from './transaction-ids.ts';

const folder = makeFolder();
afterAll(() => folder.remove());

const [user, router, pool, fresh] = ['1', '2', '3', '4'].map((digit) => `0x${digit.repeat(40)}`);
const hash = `0x${'5'.repeat(64)}`;
const common = { transaction_hash: hash, block_number: 7, transaction_index: 0, block_timestamp: 1_683_029_999, status: 1 };
type Trace = Readonly<Record<string, unknown>>;
const call = (trace_address: unknown, from: unknown, to: unknown, value: unknown, more: Trace = {}): Trace => ({
  ...common,
  trace_type: 'call',
  call_type: 'call',
  trace_address,
  from_address: from,
  to_address: to,
  value,
  ...more,
});
const read = (records: readonly Trace[], options = {}) =>
  readTransferFile(folder.write('traces.jsonl', records.map((each) => JSON.stringify(each)).join('\n')), 'ethereum-etl', {
    chain: 'ethereum',
    source: 'test',
    ...options,
  });
const flows = (rows: readonly TransferRow[]): string[] =>
  rows.map(({ from_address, to_address, amount }) => `${from_address.slice(0, 3)} ${to_address.slice(0, 3)} ${amount}`);
const eth = '1000000000000000000';

describe('traces of ethereum-etl', () => {
  it('are payments of contracts: what leaves a pool is seen', async () => {
    const rows = await rowsOf(read([call([], user, router, '0'), call([0], router, pool, '0'), call([0, 0], pool, fresh, eth)]));
    expect(rows).toEqual([
      expect.objectContaining({
        txid: hash,
        from_address: pool,
        to_address: fresh,
        coin: 'ETH',
        amount: '1',
        time: '2023-05-02T12:19:59.000Z',
      }),
    ]);
    expect(rows.map(checkTransfer).filter((row) => 'fault' in row)).toEqual([]);
    expect(rows[0]?.position).toBeGreaterThanOrEqual(positionsFrom.internal);
    expect(rows[0]?.position).toBeLessThan(positionsFrom.derived);
  });

  it('hold the transaction’s own payment too, which is the same transfer as in its table', async () => {
    const transaction = { hash, from_address: user, to_address: router, value: eth, block_timestamp: 1_683_029_999 };
    expect(await rowsOf(read([call([], user, router, eth)]))).toEqual(await rowsOf(read([transaction])));
  });

  it('that failed, pay nothing or run another’s code as their own are left out', async () => {
    const records = [
      call([0], router, pool, eth, { status: 0 }),
      call([1], router, pool, '0'),
      call([2], router, pool, eth, { call_type: 'delegatecall' }),
      call([3], router, pool, eth, { call_type: 'callcode' }),
      call([4], router, pool, null, { call_type: 'staticcall' }),
      { ...call('', null, pool, eth), trace_type: 'reward', call_type: null, transaction_hash: null },
      { ...call('', null, pool, eth), trace_type: 'genesis', call_type: null, transaction_hash: null },
      call([5], router, pool, eth),
    ];
    const counts = await tally(read(records, { failed: (txid: string) => txid !== hash }));
    expect(counts).toEqual({ records: 8, rows: 1, failed: 1, 'of no value': 1, 'no transfer': 5 });
    expect(await tally(read(records, { failed: () => true }))).toMatchObject({ rows: 0, failed: 2 });
  });

  it('of contracts that are created or end pay', async () => {
    const records = [
      { ...call([0], router, fresh, eth), trace_type: 'create', call_type: null },
      { ...call([1], pool, user, eth), trace_type: 'suicide', call_type: null },
    ];
    expect(flows(await rowsOf(read(records)))).toEqual(['0x2 0x4 1', '0x3 0x1 1']);
  });

  it('below a failed call moved nothing, also without a status', async () => {
    const bare = (trace: Trace): Trace => ({ ...trace, status: undefined });
    const records = [
      call([], user, router, '0'),
      call([0], router, pool, eth, { error: 'Reverted' }),
      call([0, 0], pool, fresh, eth),
      call([0, 0, 0], fresh, user, eth),
      call([1], router, fresh, eth),
    ].map(bare);
    expect(flows(await rowsOf(read(records)))).toEqual(['0x2 0x4 1']);
    const [, ...headless] = records;
    expect(await rejections(read(headless))).toContainEqual([1, 'status is missing, and the call above does not stand before']);
    expect((await collect(read(records)(4))).flatMap((record) => ('rows' in record ? record.rows : []))).toHaveLength(1);
  });

  it('of a failed transaction moved nothing', async () => {
    const records = [call([], user, router, eth, { error: 'out of gas' }), call([0], router, pool, eth)];
    expect(await tally(read(records.map((each) => ({ ...each, status: undefined }))))).toEqual({ records: 2, rows: 0, failed: 2 });
  });

  it('have the same positions as text in CSV and as a list, and equal payments have others', async () => {
    const addresses = [[0], [1], [1, 0], [2]];
    const rows = await rowsOf(read(addresses.map((address) => call(address, router, pool, eth))));
    const columns = Object.keys(call([], '', '', ''));
    const csv = addresses.map((address) =>
      Object.values({ ...call('', router, pool, eth), trace_address: `"${address.join(',')}"` }).join(','),
    );
    const file = folder.write('traces.csv', `${[columns.join(','), ...csv].join('\n')}\n`);
    expect(await rowsOf(readTransferFile(file, 'ethereum-etl', { chain: 'ethereum', source: 'test' }))).toEqual(rows);
    const positions = rows.map(({ position }) => position);
    expect(new Set(positions).size).toBe(4);
    const [first = 0, second = 0, below = 0, third = 0] = positions;
    expect(Math.max(second, below)).toBeLessThan(third);
    expect(first).toBeLessThan(Math.min(second, below));
    expect(await rejections(read([call('0,x', router, pool, eth)]))).toEqual([[1, 'trace_address is no list of whole numbers']]);
  });

  it('without a transaction take it from a table of transactions, or are refused', async () => {
    const records = [call([0], router, pool, eth, { transaction_hash: null }), call([1], router, pool, '0', { transaction_hash: null })];
    expect(await rejections(read(records))).toEqual([[1, 'transaction_hash is missing, and no file of transactions gives it']]);
    const ids = folder.write('transactions.csv', `hash,block_number,transaction_index\n${hash},7,0\n`);
    expect(await rowsOf(read(records, { txidAt: await readTransactionIds([ids]) }))).toMatchObject([{ txid: hash, to_address: pool }]);
  });
});

describe('internal transactions of TRON', () => {
  const tron = (records: readonly Trace[]) =>
    readTransferFile(folder.write('tron.jsonl', records.map((each) => JSON.stringify(each)).join('\n')), 'tron-etl', {
      chain: 'tron',
      source: 'test',
      blockTime: () => '2023-04-04T12:53:51.000Z',
    });
  const internal = {
    block_number: 50_000_011,
    transaction_hash: '2b24564fa78ed4a6e555c9cd26f4d3e791b1efc9f2654c31d4feb97d8853e03f',
    internal_index: 0,
    internal_hash: 'ab',
    caller_address: 'TQy9yHe4cWMVAyVEx3QJdtd1CsCSUP6Yip',
    transferTo_address: 'TMfLoEE32pew3B6evUyhaF4BhzLAT3K3KF',
    call_info_index: 0,
    call_token_id: '',
    call_value: 2_500_000,
    note: '63616c6c',
    rejected: false,
  };

  it('are payments of contracts; what was rejected or pays nothing is none', async () => {
    const records = [
      internal,
      { ...internal, internal_index: 1 },
      { ...internal, internal_index: 2, rejected: true },
      { ...internal, internal_index: 3, call_value: 0 },
      { ...internal, internal_index: 0, call_info_index: 1, call_token_id: '1002000' },
    ];
    expect(await tally(tron(records))).toEqual({ records: 5, rows: 3, failed: 1, 'of no value': 1 });
    const rows = await rowsOf(tron(records));
    expect(rows.map(({ coin, amount }) => [coin, amount])).toEqual([
      ['TRX', '2.5'],
      ['TRX', '2.5'],
      ['TRC10-1002000', null],
    ]);
    expect(new Set(rows.map(({ position, coin }) => `${position} ${coin}`)).size).toBe(3);
    expect(rows.every(({ position }) => position >= positionsFrom.internal && position < positionsFrom.derived)).toBe(true);
    expect(rows.map(checkTransfer).filter((row) => 'fault' in row)).toEqual([]);
  });
});
