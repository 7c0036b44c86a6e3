import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { checkTransfer } from '../checks.ts';
import { readTransferFile } from '../formats.ts';
import type { TransferRow } from '../rows.ts';
import { parseExact } from '../source/json.ts';
import { collect, makeFolder, rejections, rowsOf, tally } from '../testing/files.ts';
import { ofData, publicFile, sampleAddresses } from '../testing/public-files.ts';
import { divide } from './shares.ts';
import { readFileSync } from 'node:fs';

const folder = makeFolder();
afterAll(() => folder.remove());

const scope = { chain: 'bitcoin', source: 'a test' } as const;
const file = publicFile('transfers', 'btc_block_300025.jsonl');
const readText = (...transactions: readonly object[]) =>
  readTransferFile(folder.write('btc', transactions.map((each) => JSON.stringify(each)).join('\n')), 'bitcoin-etl', scope);

const [a, b, c] = [
  '1MEMAUm1RGLYPqJAJmkewxfDm9dtFg4axs',
  '17n7EJW4ZLChSRqZs5cAPa9an7FtcTh1C9',
  '1KFHE7w8BhaENAswwryaoccDb6qcT6DbYY',
] as const;
const coin = (value: number, ...addresses: readonly string[]) => ({ addresses, value });
const transaction = { hash: 'f'.repeat(64), block_timestamp: 1399713634, is_coinbase: false };
const amounts = (rows: readonly TransferRow[]) =>
  rows.map(({ from_address, to_address, amount, position }) => [from_address, to_address, amount, position]);

describe('an amount that is divided', () => {
  it('adds up, and each part is within one unit of its share', () => {
    const value = fc.bigInt({ min: 0n, max: 21_000_000n * 10n ** 8n });
    fc.assert(
      fc.property(value, fc.array(value, { minLength: 1, maxLength: 20 }), (amount, values) => {
        const total = values.reduce((sum, each) => sum + each, 0n);
        fc.pre(total > 0n);
        const parts = divide(
          amount,
          values.map((each, at) => ({ owner: String(at), value: each })),
        );
        expect(parts.reduce((sum, part) => sum + part, 0n)).toBe(amount);
        for (const [at, part] of parts.entries()) {
          const off = part * total - amount * (values[at] ?? 0n);
          expect(off < total && -off < total && part >= 0n).toBe(true);
        }
      }),
    );
  });
});

describe('a transaction of Bitcoin', () => {
  it('comes from its input addresses by what each put in; change is none', async () => {
    const rows = await rowsOf(
      readText({ ...transaction, inputs: [coin(1, a), coin(2, b), coin(5, a)], outputs: [coin(4, c), coin(3, a)] }),
    );
    expect(amounts(rows)).toEqual([
      [a, c, '0.00000003', 0],
      [b, c, '0.00000001', 0],
    ]);
    expect(rows[0]).toMatchObject({ coin: 'BTC', txid: transaction.hash, time: '2014-05-10T09:20:34.000Z', usd_value: null });
  });

  it('names who signed together, once each, also where it pays nobody else; in a CoinJoin they are strangers', async () => {
    const consolidation = { ...transaction, inputs: [coin(1, a), coin(2, b), coin(5, a), coin(1)], outputs: [coin(8, a)] };
    const coinJoin = {
      ...transaction,
      inputs: [coin(6, a), coin(7, b)],
      outputs: sampleAddresses('bitcoin')
        .slice(0, 2)
        .map((to) => coin(5, to)),
    };
    const alone = { ...transaction, inputs: [coin(6, a), coin(7, a)], outputs: [coin(12, b)] };
    const records = await collect(readText(consolidation, coinJoin, alone)(0));
    const signed = { chain: 'bitcoin', txid: transaction.hash, addresses: [a, b] };
    expect(records.map((record) => ('co_spend' in record ? record.co_spend : undefined))).toEqual([
      { ...signed, coin_join: null },
      { ...signed, coin_join: 'equal outputs' },
      undefined,
    ]);
    expect(records[0]).toMatchObject({ rows: [], left: 'no transfer' });
  });

  it('leaves out ends without exactly one address, whose value still counts in the shares', async () => {
    const outputs = [coin(8, c), coin(4, a, b), coin(0), { value: 5, type: 'nonstandard', addresses: ['nonstandard0123'], index: 9 }];
    expect(amounts(await rowsOf(readText({ ...transaction, inputs: [coin(1, a), coin(3, b, c)], outputs })))).toEqual([
      [a, c, '0.00000002', 0],
    ]);
  });

  it('moves nothing when it is a reward, or pays its own senders alone', async () => {
    const counts = await tally(
      readText(
        { ...transaction, inputs: [], outputs: [coin(5, a)] },
        { ...transaction, is_coinbase: true, inputs: [{ addresses: [], value: null }], outputs: [coin(5, a)] },
        { ...transaction, inputs: [coin(6, a)], outputs: [coin(5, a)] },
        { ...transaction, inputs: [coin(6)], outputs: [coin(5, a)] },
        { type: 'block', hash: transaction.hash, number: 1 },
      ),
    );
    expect(counts).toEqual({ records: 5, rows: 0, 'no transfer': 5 });
  });

  it('has at most some ten thousand transfers; those who put in most bear the part of the rest', async () => {
    const senders = JSON.parse(readFileSync(file, 'utf8').split('\n')[1] ?? '') as object;
    const many = sampleAddresses('bitcoin');
    const [from, to] = [many.slice(0, 100), many.slice(100, 300)];
    const inputs = from.map((address, at) => coin(1_000 + at, address));
    const rows = await rowsOf(readText({ ...senders, inputs, outputs: to.map((address) => coin(500_000, address)) }));
    expect(rows).toHaveLength(50 * 200);
    expect(new Set(rows.map(({ from_address }) => from_address))).toEqual(new Set(from.slice(50)));
    const received = rows.filter(({ to_address }) => to_address === to[0]).reduce((sum, { amount }) => sum + units(amount), 0n);
    expect(received).toBe(500_000n);
  });

  it('without what its inputs were worth, or with lists that are none, is rejected', async () => {
    const reasons = await rejections(
      readText(
        { ...transaction, inputs: [{ spent_transaction_hash: 'x', spent_output_index: 0 }], outputs: [coin(1, a)] },
        { ...transaction, inputs: 5, outputs: [] },
        { ...transaction, inputs: [null], outputs: [] },
        { ...transaction, inputs: [coin(0, a)], outputs: [coin(1, b)] },
        { ...transaction, inputs: [coin(-1, a)], outputs: [coin(1, b)] },
        { ...transaction, inputs: [coin(1, a.toLowerCase())], outputs: [coin(1, b)] },
        { ...transaction, inputs: [coin(1, a)], outputs: [coin(1, b.toLowerCase())] },
      ),
    );
    expect(reasons.map(([, reason]) => reason)).toEqual([
      "inputs have no value; bitcoin-etl's enrich_transactions adds them",
      'inputs is no list',
      'inputs holds what is no object',
      'the inputs have no value, and yet there are outputs',
      'value is not a whole number',
      'inputs have an address that is none of bitcoin',
      'outputs have an address that is none of bitcoin',
    ]);
  });
});

describe('block 300025', () => {
  interface Coin {
    readonly addresses: readonly string[];
    readonly value: number;
  }
  const transactions = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => parseExact(line) as { hash: string; inputs: readonly Coin[]; outputs: readonly Coin[] });
  const sumOf = (coins: readonly Coin[]): number => coins.reduce((sum, { value }) => sum + value, 0);

  it('adds up: what is received is what outputs to others are worth, and inputs are outputs and fees', async () => {
    const received = new Map<string, bigint>();
    for (const { txid, amount } of await rowsOf(readTransferFile(file, 'bitcoin-etl', scope)))
      received.set(txid ?? '', (received.get(txid ?? '') ?? 0n) + units(amount));
    let fees = 0;
    for (const { hash, inputs, outputs } of transactions.filter((each) => each.inputs.length > 0)) {
      const senders = new Set(inputs.flatMap(({ addresses }) => addresses));
      const paid = outputs.filter(({ addresses }) => addresses.length === 1 && !senders.has(addresses[0] ?? ''));
      const left = outputs.filter((output) => !paid.includes(output));
      expect(received.get(hash) ?? 0n).toBe(BigInt(sumOf(paid)));
      fees += sumOf(inputs) - sumOf(paid) - sumOf(left);
      expect(sumOf(inputs)).toBeGreaterThanOrEqual(sumOf(outputs));
    }
    // The block's reward was 25 bitcoins and its fees.
    expect(fees).toBe(ofData({ whole: 2_507_773_345 - 2_500_000_000, small: 540_000 }));
  });

  it('gives rows that are right, and can be read from anywhere', async () => {
    const read = readTransferFile(file, 'bitcoin-etl', scope);
    expect(await tally(read)).toEqual(
      ofData({ whole: { records: 461, rows: 6573, 'no transfer': 4 }, small: { records: 55, rows: 78, 'no transfer': 1 } }),
    );
    expect((await rowsOf(read)).map(checkTransfer).filter((row) => 'fault' in row)).toEqual([]);
    expect(await collect(read(40))).toEqual((await collect(read(0))).slice(40));
  });
});

function units(amount: string | null): bigint {
  const [whole = '0', fraction = ''] = (amount ?? '0').split('.');
  return BigInt(whole + fraction.padEnd(8, '0'));
}
