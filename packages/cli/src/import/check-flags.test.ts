import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chains } from '@weir/chains';
import { labelFormats, sourceKinds, transferFormats } from '@weir/chain-import';
import { afterAll, describe, expect, test } from 'vitest';
import { UsageError } from '../failure.ts';
import { makeFolder } from '../testing/weir.ts';
import { chainNames, evmChains, fraction, labelFormatNames, pairs, sourceKindNames, transferFormatNames } from './flags.ts';
import { importKey } from './import-key.ts';
import { importLabels } from '../labels/import.ts';
import { listLabels } from '../labels/list.ts';
import { importTransfers } from '../transfers/import.ts';

const folder = makeFolder();
afterAll(() => folder.remove());
const file = join(folder.path, 'x.csv');
writeFileSync(file, 'a\n1\n');

async function refused(asking: Promise<void>, said: string): Promise<void> {
  await expect(asking).rejects.toThrow(UsageError);
  await expect(asking).rejects.toThrow(said);
}

describe('labels that are asked for wrongly: nothing is opened for', () => {
  test.each<[Parameters<typeof importLabels>[1], string]>([
    [{ format: 'ofac', category: 'theft' }, 'are for --format csv'],
    [{ format: 'ofac', sourceKind: 'owner' }, '--source-kind is not for --format ofac'],
    [{ format: 'csv', evmChains: ['bsc'] }, '--evm-chains is for --format ofac and published lists'],
    [{ format: 'eu', sourceKind: 'owner' }, '--source-kind is not for --format eu'],
    [{ format: 'un', mapCategory: new Map() }, '--map-category is not for --format un'],
    [{ format: 'uk', category: 'theft' }, 'are for --format csv'],
    [{ format: 'ofac', source: 'me' }, 'are for --format csv'],
    [{ format: 'uk', asset: 'XBT' }, '--asset is for --format 0xb10c'],
    [{ format: '0xb10c' }, 'x.csv does not say its coin: name it with --asset, as XBT'],
    [{ format: 'ofac-xml', comments: file }, '--comments is for --format ofac-csv'],
    [{ format: 'ofac-csv', comments: 'no.csv' }, 'there is no file no.csv'],
    [{}, 'x.csv does not tell its format: name it with --format'],
    [{ format: 'csv', asOf: '2024-01-01' }, '--as-of and --allow-removals go with --snapshot'],
    [{ format: 'csv', snapshot: true, asOf: 'soon' }, '--as-of must be a date'],
    [{ format: 'csv', columns: new Map([['who', 'a']]) }, 'there is no who; our columns are chain, address'],
    [{ format: 'csv', rejected: file }, '--rejected names a file that is to be imported'],
  ])('%j', (flags, said) => refused(importLabels([file], flags), said));

  test('a file that is not there, and an address that is none', async () => {
    await refused(importLabels([file, 'no.csv'], { format: 'csv' }), 'there is no file no.csv');
    await refused(listLabels({ address: '0x12', limit: 1, format: 'table' }), '"0x12" is no address of ethereum');
  });
});

describe('transfers that are asked for wrongly: nothing is opened for', () => {
  const node = { format: 'rpc', chain: 'bsc', url: 'http://localhost:8545', fromBlock: 1 } as const;

  test.each<[readonly string[], Parameters<typeof importTransfers>[1], string]>([
    [[], { format: 'csv' }, 'give the files'],
    [[file], { format: 'ethereum-etl' }, '--format ethereum-etl needs --chain'],
    [[file], { format: 'ethereum-etl', chain: 'tron' }, 'ethereum-etl is no format of tron'],
    [[file], { format: 'ethereum-etl', chain: 'bsc', table: 'uncles' }, 'there is no table uncles'],
    [[file], { format: 'etherscan', chain: 'bsc', table: 'logs' }, 'etherscan of bsc has no table logs'],
    [[file], { format: 'bitcoin-etl', table: 'logs' }, 'bitcoin-etl of bitcoin has no table logs'],
    [[file], { format: 'parquet', chain: 'bsc', coin: 'BNB' }, '--columns and --coin are for --format csv'],
    [[file], { format: 'csv', columns: new Map([['hash', 'a']]) }, 'there is no hash; our columns are chain, txid'],
    [[file], { format: 'csv', unfinal: true }, 'are for --format rpc'],
    [[file], { format: 'csv', prices: ['ETH=no.csv'] }, 'there is no file no.csv'],
    [[file], node, 'reads a node, not files'],
    [[], { format: 'rpc', chain: 'bsc', fromBlock: 1 }, 'needs --url and --from-block'],
    [[], { ...node, url: 'localhost:8545' }, 'must begin with http'],
    [[], { ...node, chain: 'tron' }, 'which tron has not'],
    [[], { format: 'rpc', url: node.url, fromBlock: 1 }, '--format rpc needs --chain'],
    [[], { ...node, blocks: ['b.csv'] }, 'are for files'],
  ])('%j %j', (files, flags, said) => refused(importTransfers(files, flags), said));
});

describe('values of flags', () => {
  test('that are written out are those that there are', () => {
    expect([...chainNames]).toEqual([...chains]);
    expect([...labelFormatNames]).toEqual([...labelFormats]);
    expect([...sourceKindNames]).toEqual([...sourceKinds]);
    expect([...transferFormatNames]).toEqual([...transferFormats]);
  });

  test('are gathered over repeats', () => {
    expect(pairs('name=b', pairs('address=the=addr, chain = c '))).toEqual(
      new Map([
        ['address', 'the=addr'],
        ['chain', 'c'],
        ['name', 'b'],
      ]),
    );
    expect(evmChains('bsc, base')).toEqual(['bsc', 'base']);
    expect(evmChains('all')).toHaveLength(17);
    expect(fraction('0.85')).toBe(0.85);
  });

  test.each<[() => unknown, string]>([
    [() => pairs('address'), 'like address=addr'],
    [() => pairs('=x'), 'like address=addr'],
    [() => fraction('2'), 'from 0 to 1'],
    [() => fraction('1e-1'), 'from 0 to 1'],
    [() => evmChains('tron'), 'some of ethereum,'],
  ])('are refused: %s', (parse, said) => expect(parse).toThrow(said));
});

describe('the key of an import', () => {
  test('is that of what decides its rows, in whatever order', () => {
    const columns = new Map([
      ['a', '1'],
      ['b', '2'],
    ]);
    const key = importKey({ content: 'x', columns });
    expect(key).toMatch(/^[0-9a-f]{64}$/);
    expect(importKey({ columns: new Map([...columns].toReversed()), content: 'x' })).toBe(key);
    for (const other of [
      { content: 'y', columns },
      { content: 'x' },
      { content: 'x', columns: new Map([['a', '1']]) },
      { content: 'x', columns, source: 's' },
    ])
      expect(importKey(other)).not.toBe(key);
  });
});
