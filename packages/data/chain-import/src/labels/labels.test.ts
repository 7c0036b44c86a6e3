import { evmChains } from '@weir/chains';
import { afterAll, describe, expect, it } from 'vitest';
import { checkLabel } from '../checks.ts';
import { readLabelFile } from '../formats.ts';
import type { LabelRow, Reader } from '../rows.ts';
import { collect, makeFolder, rejections, rowsOf, tally } from '../testing/files.ts';
import { ofData, publicFile } from '../testing/public-files.ts';

const folder = makeFolder();
afterAll(() => folder.remove());

/** Counts the valid rows, and the faults of the others. */
async function checked(read: Reader<LabelRow>): Promise<{ good: number; faults: Record<string, number> }> {
  const results = (await rowsOf(read)).map(checkLabel);
  const faults: Record<string, number> = {};
  for (const result of results) if ('fault' in result) faults[result.fault.slice(0, 20)] = (faults[result.fault.slice(0, 20)] ?? 0) + 1;
  return { good: results.filter((result) => !('fault' in result)).length, faults };
}

const pack = `
title: Some thefts
creator: Somebody
currency: BTC
network: BTC
abuse: service_hack
confidence: forensic
lastmod: 2022-01-24
source: https://example.org/report
tags:
  - address: 1MEMAUm1RGLYPqJAJmkewxfDm9dtFg4axs
    label: The thief
  - address: 0x098B716B8Aaf21512996dC57EB0615e2383E2f96
    network: ETH
    currency: USDT
    label: "Another: thief"
    confidence: heuristic
    source: [https://example.org/a, https://example.org/b]
  - label: Nobody
  - just words
  - address: TU4tDFRvcKhAZ1jdihojmBWZqvJhQCnJ4F
    network: TRX
    abuse:
    category: mixing_service
    label: A mixer
    confidence: hearsay
  - address: 1MEMAUm1RGLYPqJAJmkewxfDm9dtFg4axs
    label: By concept
    abuse:
    concepts: [unheard_of, gambling]
`;

describe('a TagPack', () => {
  const read = readLabelFile(folder.write('pack.yaml', pack), 'tagpack');

  it('hands its header on to its tags; addresses are no numbers, and the day of writing starts no label', async () => {
    const rows = (await collect(read(0))).flatMap((record) => ('rows' in record ? record.rows : []));
    expect(rows[0]).toEqual({
      chain: 'bitcoin',
      address: '1MEMAUm1RGLYPqJAJmkewxfDm9dtFg4axs',
      name: 'The thief',
      category: 'theft',
      valid_from: null,
      valid_to: null,
      confidence: 0.8,
      source: 'GraphSense: Somebody',
      source_kind: 'curated',
    });
    expect(rows[1]).toMatchObject({
      chain: 'ethereum',
      address: '0x098B716B8Aaf21512996dC57EB0615e2383E2f96',
      category: 'theft',
      confidence: 0.3,
      source: 'GraphSense: Somebody',
    });
    expect(rows.slice(2).map(({ category, confidence }) => [category, confidence])).toEqual([
      ['mixer', 0.5],
      ['gambling', 0.8],
    ]);
  });

  it('rejects tags that are none, and can be read from anywhere', async () => {
    expect(await rejections(read)).toEqual([
      [3, 'address is missing'],
      [4, 'is no tag'],
    ]);
    expect(await collect(read(4))).toEqual((await collect(read(0))).slice(4));
  });

  it.each([
    ['a: [', 'is not YAML'],
    ['title: x', 'is no TagPack'],
    ['just words', 'is no TagPack'],
    ['tags: 5', 'is no TagPack'],
  ])('%j is none', async (content, said) => {
    await expect(collect(readLabelFile(folder.write('bad.yaml', content), 'tagpack')(0))).rejects.toThrow(`bad.yaml ${said}`);
  });

  it('that repeats itself without end is refused', async () => {
    const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\n${'bcdefghi'
      .split('')
      .map((name, at) => `${name}: &${name} [${Array(9).fill(`*${'abcdefgh'[at]}`).join(',')}]`)
      .join('\n')}\ntags: *i\n`;
    await expect(collect(readLabelFile(folder.write('bomb.yaml', bomb), 'tagpack')(0))).rejects.toThrow('bomb.yaml repeats itself');
  });
});

describe('the sanctions list', () => {
  const file = publicFile('labels', 'ofac.csv');
  const { records, onEthereum, removed } = ofData({
    whole: { records: 1052, onEthereum: 194, removed: 91 },
    small: { records: 182, onEthereum: 75, removed: 19 },
  });

  it('is read whole; coins of chains that Weir does not know are told', async () => {
    expect(await tally(readLabelFile(file, 'ofac'))).toEqual({ records, rows: records + 16 * onEthereum });
    const unknownChain = ofData({ whole: 22, small: 1 });
    // In the whole file also an address of the retired Beacon Chain.
    const noAddress = ofData({ whole: 2, small: 1 });
    expect(await checked(readLabelFile(file, 'ofac'))).toEqual({
      good: records - unknownChain - noAddress + 16 * onEthereum,
      faults: { 'chain is none of eth': unknownChain, 'address is no addres': noAddress },
    });
  });

  it('begins with the designation and ends with the removal', async () => {
    const rows = await rowsOf(readLabelFile(file, 'ofac', { evmChains: ['ethereum'] }));
    const of = (address: string): LabelRow[] => rows.filter((row) => row.address.toLowerCase() === address);
    expect(of('0x098b716b8aaf21512996dc57eb0615e2383e2f96')).toEqual([
      expect.objectContaining({
        name: 'LAZARUS GROUP',
        chain: 'ethereum',
        valid_from: '2019-09-13T00:00:00.000Z',
        valid_to: null,
        source: 'OFAC SDN 27307',
      }),
    ]);
    expect(of('0xd90e2f925da726b50c4ed8d0fb90ad053324f31b')).toEqual([
      expect.objectContaining({ valid_from: null, valid_to: '2025-03-22T00:00:00.000Z', category: 'sanctioned', confidence: 1 }),
    ]);
    expect(rows.filter(({ valid_to }) => valid_to !== null)).toHaveLength(removed);
  });

  it('says of an address on Ethereum what holds on every EVM chain, unless told otherwise', async () => {
    const all = await rowsOf(readLabelFile(file, 'ofac'));
    const lazarus = all.filter(({ address }) => address === '0x098B716B8Aaf21512996dC57EB0615e2383E2f96');
    expect(lazarus.map(({ chain }) => chain)).toEqual([...evmChains]);
    const rows = await rowsOf(readLabelFile(file, 'ofac', { evmChains: ['ethereum', 'bsc'] }));
    expect(rows.filter(({ chain }) => chain === 'bsc').map(({ address }) => address)).toEqual(
      rows.filter(({ chain }) => chain === 'ethereum').map(({ address }) => address),
    );
    expect(rows).toHaveLength(records + onEthereum);
  });

  it('without a column that it has is another file', async () => {
    await expect(collect(readLabelFile(publicFile('labels', 'defillama_cex.csv'), 'ofac')(0))).rejects.toThrow(
      'defillama_cex.csv: there is no column listed_asset',
    );
  });
});

describe('GraphSense’s tags as a table', () => {
  it('are read whole, the abuse before the category', async () => {
    const read = readLabelFile(publicFile('labels', 'graphsense_core.csv'), 'graphsense-csv');
    expect(await tally(read)).toEqual(ofData({ whole: { records: 15_990, rows: 16_076 }, small: { records: 234, rows: 236 } }));
    const { good } = await checked(read);
    expect(good).toBe(ofData({ whole: 15_863, small: 236 }));
    const rows = await rowsOf(read);
    const count = (category: string): number => rows.filter((row) => row.category === category).length;
    expect(['ransom', 'theft', 'terrorism', 'gambling'].map(count)).toEqual(
      ofData({ whole: [7585, 229, 155, 2574], small: [20, 26, 0, 26] }),
    );
    expect(rows.every(({ valid_from, valid_to }) => valid_from === null && valid_to === null)).toBe(true);
  });
});

describe('labels in any table', () => {
  it('are read in our own form', async () => {
    const path = folder.write(
      'own.csv',
      'chain,address,name,category,valid_from,valid_to,confidence,source\nETH,0x098B716B8Aaf21512996dC57EB0615e2383E2f96,X,theft,2022-03-23,,0.85,me\n',
    );
    expect(await rowsOf(readLabelFile(path, 'csv'))).toEqual([
      {
        chain: 'ethereum',
        address: '0x098B716B8Aaf21512996dC57EB0615e2383E2f96',
        name: 'X',
        category: 'theft',
        valid_from: '2022-03-23T00:00:00.000Z',
        valid_to: null,
        confidence: 0.85,
        source: 'me',
        source_kind: 'curated',
      },
    ]);
  });

  it('say how their source knows: in the row, else as given, else curated', async () => {
    const fileOf = (name: string, ends: readonly string[]): string =>
      folder.write(
        name,
        `chain,address,name,category,source,source_kind,authority\n${ends.map((end) => `ETH,0x098B716B8Aaf21512996dC57EB0615e2383E2f96,X,theft,me,${end}\n`).join('')}`,
      );
    const path = fileOf('kinds.csv', ['crawl,', ',', 'Authority,OFAC']);
    const kinds = async (defaults: { source_kind?: 'owner' }) =>
      (await rowsOf(readLabelFile(path, 'csv', { defaults }))).map(({ source_kind, authority }) => [source_kind, authority]);
    for (const [defaults, kind] of [
      [{}, 'curated'],
      [{ source_kind: 'owner' }, 'owner'],
    ] as const)
      expect(await kinds(defaults)).toEqual([
        ['crawl', undefined],
        [kind, undefined],
        ['authority', 'OFAC'],
      ]);
    expect(await rejections(readLabelFile(fileOf('wrong-kind.csv', ['hearsay,']), 'csv'))).toEqual([
      [2, 'source_kind is none of authority, owner, curated, crawl'],
    ]);
  });

  it('are read by other names, with what holds for all', async () => {
    const columns = new Map([['name', 'entity']]);
    const exchanges = readLabelFile(publicFile('labels', 'defillama_cex.csv'), 'csv', {
      columns,
      defaults: { category: 'exchange', source: 'DefiLlama' },
    });
    expect((await checked(exchanges)).good).toBe(ofData({ whole: 5648 - 1389, small: 87 }));
    expect((await rowsOf(exchanges)).find(({ chain }) => chain === 'tron')).toMatchObject({ category: 'exchange', confidence: 0.9 });
    const bridges = readLabelFile(publicFile('labels', 'bridges_defi_npm.csv'), 'csv', {
      columns: new Map([
        ['name', 'label'],
        ['category', 'class'],
      ]),
    });
    expect((await checked(bridges)).good).toBe(ofData({ whole: 190 - 78, small: 43 }));
  });

  it('say which column is missing', async () => {
    const path = folder.write('other.csv', 'addr,chain\n1,2\n');
    const read = (columns: [string, string][]) => collect(readLabelFile(path, 'csv', { columns: new Map(columns) })(0));
    await expect(read([])).rejects.toThrow('other.csv: there is no column "address"; say which one it is');
    await expect(read([['address', 'Addr']])).rejects.toThrow('other.csv: there is no column "Addr" for address; it has "addr", "chain"');
  });

  it('reject what is wrong, row by row', async () => {
    const header = 'chain,address,name,category,valid_from,confidence,source';
    const path = folder.write('wrong.csv', `${header}\nETH,0x1,,theft,,,me\nETH,0x1,a,theft,last year,,me\nETH,0x1,a,theft,,sure,me\n`);
    expect(await rejections(readLabelFile(path, 'csv'))).toEqual([
      [2, 'name is missing'],
      [3, 'valid_from is no time'],
      [4, 'confidence is not a number from 0 to 1'],
    ]);
  });
});
