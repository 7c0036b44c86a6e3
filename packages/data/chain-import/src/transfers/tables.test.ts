import { afterAll, describe, expect, it } from 'vitest';
import { checkTransfer } from '../checks.ts';
import { readTransferFile, type TransferFileOptions } from '../formats.ts';
import { collect, makeFolder, rejections, rowsOf, tally } from '../testing/files.ts';
import { ofData, publicFile } from '../testing/public-files.ts';

const folder = makeFolder();
afterAll(() => folder.remove());

const a = `0x${'a'.repeat(40)}`;
const b = `0x${'b'.repeat(40)}`;
const hash = `0x${'1'.repeat(64)}`;

describe('transfers in any table', () => {
  const read = (path: string, options: Partial<TransferFileOptions> = {}) =>
    readTransferFile(path, 'csv', { source: 'a test', ...options });
  const traced = new Map(
    Object.entries({ time: 'Timestamp', txid: 'Tx_hash', from_address: 'From', to_address: 'To', usd_value: 'Value_in_USD' }),
  );

  it.each([
    ['LIFI', 135],
    ['TxPhish', 292],
  ])('of MFTracer %s have USD and no amounts, and each is one', async (name, count) => {
    const rows = await rowsOf(
      read(publicFile('transfers', `mftracer_${name}`, `${name}.csv`), { chain: 'ethereum', coin: 'ETH', columns: traced }),
    );
    expect(rows).toHaveLength(count);
    expect(rows.map(checkTransfer).filter((row) => 'fault' in row)).toEqual([]);
    expect(new Set(rows.map((row) => JSON.stringify([row.txid, row.position, row.from_address, row.to_address]))).size).toBe(count);
    expect(rows.every(({ amount, usd_value }) => amount === null && usd_value !== null)).toBe(true);
  });

  it('of Dune have addresses with a backslash and no hashes', async () => {
    const columns = new Map(Object.entries({ time: 'block_time', from_address: 'from', to_address: 'to', amount: 'total_eth' }));
    const path = publicFile('transfers', 'ronin_lazarus_dune.csv');
    const options = { chain: 'ethereum', coin: 'ETH', columns } as const;
    expect(await tally(read(path, options))).toEqual(
      ofData({ whole: { records: 436, rows: 311, 'of no value': 125 }, small: { records: 312, rows: 311, 'of no value': 1 } }),
    );
    const rows = await rowsOf(read(path, options));
    expect(rows).toContainEqual(
      expect.objectContaining({
        txid: null,
        from_address: '0x6ae41009c2bfec2601c37a887672959bb77e4aa6',
        amount: '0.00001',
        time: '2022-03-31T17:43:49.000Z',
      }),
    );
    const ids = rows.map(checkTransfer).map((row) => ('fault' in row ? row.fault : row.txid));
    expect(new Set(ids).size).toBe(311);
  });

  it('in our own form are those of the sample', async () => {
    const sample = `${import.meta.dirname}/../../../sample/data/transfers.csv`;
    const counts = await tally(read(sample));
    expect([counts['records'], counts['rejected']]).toEqual([1231, undefined]);
  });

  it('without a position have the same one in every file, and in another place', async () => {
    const row = (value: string): string => `${hash},${a},${b},${value},2024-01-01`;
    const positions = async (...rows: readonly string[]): Promise<number[]> => {
      const path = folder.write('p.csv', `txid,from_address,to_address,amount,time\n${rows.join('\n')}\n`);
      return (await rowsOf(read(path, { chain: 'ethereum', coin: 'ETH' }))).map(({ position }) => position);
    };
    const [first, second] = await positions(row('1'), row('2'));
    expect(first).not.toBe(second);
    expect(await positions(row('2'), row('1.0'))).toEqual([second, first]);
    expect(first).toBeGreaterThanOrEqual(2 ** 30);
    expect(first).toBeLessThan(2 ** 31);
  });

  it('reject what is wrong, row by row', async () => {
    const path = folder.write(
      'w.csv',
      `from_address,to_address,amount,usd_value,time\n${a},${b},-1,,2024-01-01\n${a},${b},1,x,2024-01-01\n${a},${b},1,,now\n${a},,1,,2024-01-01\n`,
    );
    expect(await rejections(read(path, { chain: 'ethereum', coin: 'ETH' }))).toEqual([
      [2, 'amount is not a decimal number'],
      [3, 'usd_value is not a decimal number'],
      [4, 'time is no time'],
      [5, 'to_address is missing'],
    ]);
    await expect(collect(read(path, { chain: 'ethereum' })(0))).rejects.toThrow('w.csv: there is no column "coin"');
  });
});

describe('lists of a block explorer', () => {
  const read = (document: unknown) =>
    readTransferFile(folder.write('e.json', JSON.stringify(document)), 'etherscan', { chain: 'ethereum', source: 'a test' });
  const answer = (...result: readonly object[]) => ({ status: '1', message: 'OK', result });
  const base = { blockNumber: '19000000', timeStamp: '1705173443', hash, from: a, to: b, value: '1500000000000000000', isError: '0' };
  const token = {
    ...base,
    nonce: '1',
    contractAddress: '0xdac17f958d2ee523a2206206994597c13d831ec7',
    tokenSymbol: 'USDT',
    tokenDecimal: '6',
    value: '2500000',
  };

  it('have transactions at 0, payments of contracts elsewhere, tokens by their contract', async () => {
    const normal = { ...base, nonce: '5', txreceipt_status: '1', contractAddress: '', input: '0x' };
    const internal = { ...base, type: 'call', traceId: '0_1', contractAddress: '', errCode: '' };
    const rows = await rowsOf(read(answer(normal, internal, { ...internal, traceId: '0_2' }, token, { ...token, logIndex: '0x7' })));
    expect(rows.map(({ coin, amount }) => [coin, amount])).toEqual([
      ['ETH', '1.5'],
      ['ETH', '1.5'],
      ['ETH', '1.5'],
      ['USDT-ERC20', '2.5'],
      ['USDT-ERC20', '2.5'],
    ]);
    expect(rows[0]).toMatchObject({ position: 0, time: '2024-01-13T19:17:23.000Z' });
    expect(rows[4]?.position).toBe(8);
    expect(new Set(rows.map(({ position }) => position)).size).toBe(5);
  });

  it('leave out what failed, what moved nothing, code that is run as one’s own, and what is not fungible', async () => {
    const counts = await tally(
      read(
        answer(
          { ...base, nonce: '1', isError: '1' },
          { ...base, nonce: '1', txreceipt_status: '0' },
          { ...base, nonce: '1', value: '0' },
          { ...base, type: 'delegatecall', traceId: '1' },
          { ...token, tokenID: '5' },
        ),
      ),
    );
    expect(counts).toEqual({ records: 5, rows: 0, failed: 2, 'of no value': 1, 'no transfer': 2 });
  });

  it('take the decimals of a contract that nobody knows from the list', async () => {
    const rows = await rowsOf(
      read(answer({ ...token, contractAddress: b, tokenDecimal: '2' }, { ...token, contractAddress: b, tokenDecimal: '' })),
    );
    expect(rows.map(({ coin, amount }) => [coin, amount])).toEqual([
      [b, '25000'],
      [b, null],
    ]);
    expect(await rejections(read(answer({ ...token, tokenDecimal: '200' })))).toEqual([[1, 'tokenDecimal is larger than any can be']]);
  });

  it('may be empty, and an answer that is an error is none', async () => {
    expect(await tally(read({ status: '0', message: 'No transactions found', result: [] }))).toEqual({ records: 0, rows: 0 });
    const refused = read({ status: '0', message: 'NOTOK', result: 'Max rate limit reached' });
    await expect(collect(refused(0))).rejects.toThrow('e.json holds no list of results; it says "NOTOK: Max rate limit reached"');
  });
});
