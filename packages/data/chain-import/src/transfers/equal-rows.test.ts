import { afterAll, describe, expect, it } from 'vitest';
import { checkTransfer } from '../checks.ts';
import { readTransferFile } from '../formats.ts';
import type { TransferRow } from '../rows.ts';
import { collect, makeFolder, rowsOf } from '../testing/files.ts';
import { EqualRows } from './equal-rows.ts';

const folder = makeFolder();
afterAll(() => folder.remove());

const a = `0x${'aB'.repeat(20)}`.toLowerCase();
const b = `0x${'c'.repeat(40)}`;
const tx = `0x${'1'.repeat(64)}`;
const header = 'txid,from_address,to_address,amount,usd_value,time';
const row = `${tx},${a},${b},5,10,2024-01-01`;
const csv = (name: string, ...rows: readonly string[]) =>
  readTransferFile(folder.write(name, `${[header, ...rows].join('\n')}\n`), 'csv', { chain: 'ethereum', coin: 'ETH', source: 'test' });
const identities = (rows: readonly TransferRow[]): unknown[] =>
  rows.map((each) => {
    const transfer = checkTransfer(each);
    if ('fault' in transfer) throw new Error(transfer.fault);
    return `${transfer.txid} ${transfer.position} ${transfer.to_address}`;
  });

describe('equal rows of a file without positions', () => {
  it('are transfers of their own', async () => {
    const other = row.replace(',5,', ',6,');
    expect(new Set(identities(await rowsOf(csv('three.csv', row, other, row, row)))).size).toBe(4);
  });

  it('are equal in any spelling', async () => {
    const rows = await rowsOf(csv('spelt.csv', row, row.replace(a, a.toUpperCase().replace('0X', '0x')), row.replace(',5,', ',5.0,')));
    expect(new Set(identities(rows)).size).toBe(3);
  });

  it('are the same transfers in another file, in any order', async () => {
    const other = row.replace(b, a);
    const first = identities(await rowsOf(csv('first.csv', row, other, row)));
    const second = identities(await rowsOf(csv('second.csv', other, row, row)));
    expect(new Set(second)).toEqual(new Set(first));
    expect(new Set(first).size).toBe(3);
  });

  it('without a transaction differ by time', async () => {
    const loose = row.replace(tx, '');
    const rows = identities(await rowsOf(csv('loose.csv', loose, loose, loose.replace('01-01', '01-02'))));
    expect(new Set(rows).size).toBe(3);
    expect(rows[2]).toEqual(identities(await rowsOf(csv('later.csv', loose.replace('01-01', '01-02'))))[0]);
  });

  it.each(['csv', 'jsonl'])('are the same wherever the reading of %s goes on', async (kind) => {
    const object = { txid: tx, from_address: a, to_address: b, amount: '5', time: '2024-01-01' };
    const lines = Array.from({ length: 4 }, () => JSON.stringify(object)).join('\n');
    const options = { chain: 'ethereum', coin: 'ETH', source: 'test' } as const;
    const read = kind === 'csv' ? csv('four.csv', row, row, row, row) : readTransferFile(folder.write('four.jsonl', lines), 'csv', options);
    expect(await collect(read(3))).toEqual((await collect(read(0))).filter(({ number }) => number > 3));
  });

  it('of an explorer’s list are transfers of their own', async () => {
    const token = { hash: tx, from: a, to: b, contractAddress: b, value: '7', tokenDecimal: '0', timeStamp: '1705173443' };
    const inner = { hash: tx, from: a, to: b, value: '7', type: 'call', timeStamp: '1705173443' };
    const path = folder.write('list.json', JSON.stringify({ result: [token, inner, token, inner] }));
    const rows = await rowsOf(readTransferFile(path, 'etherscan', { chain: 'ethereum', source: 'test' }));
    expect(new Set(identities(rows)).size).toBe(4);
  });

  it('are counted beyond the first size of the table', () => {
    const equal = new EqualRows();
    const numbers = Array.from({ length: 5_000 }, (_, n) => String(n));
    expect(numbers.every((n) => equal.before([n]) === 0)).toBe(true);
    expect(numbers.every((n) => equal.before([n]) === 1)).toBe(true);
    expect(equal.before(['17'])).toBe(2);
  });
});
