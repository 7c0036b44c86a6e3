import { evmChains } from '@weir/chains';
import { afterAll, describe, expect, it } from 'vitest';
import { checkLabel } from '../../checks.ts';
import { type LabelFileOptions, type LabelFormat, readLabelFile } from '../../formats.ts';
import { collect, makeFolder, rejections, rowsOf, tally } from '../../testing/files.ts';
import { sampleList as sample } from '../../testing/lists.ts';
import { detectLabelFormat } from '../detect.ts';

const folder = makeFolder();
afterAll(() => folder.remove());

const ronin = '0x098B716B8Aaf21512996dC57EB0615e2383E2f96';
const onEthereum: LabelFileOptions = { evmChains: ['ethereum'] };

/** The labels as `chain address name from`. */
async function linesOf(name: string, format: LabelFormat, options: LabelFileOptions = onEthereum): Promise<string[]> {
  const records = await collect(readLabelFile(sample(name), format, options)(0));
  const rows = records.flatMap((record) => ('rows' in record ? record.rows : []));
  expect(rows.filter((row) => 'fault' in checkLabel(row))).toEqual([]);
  return rows.map((row) => [row.chain, row.address.slice(0, 10), row.name, row.valid_from?.slice(0, 10) ?? 'always'].join(' | '));
}

describe('OFAC’s files', () => {
  it('SDN_ADVANCED.XML: designations and programmes stand after the parties', async () => {
    expect(await linesOf('sdn_advanced.xml', 'ofac-advanced')).toEqual([
      'ethereum | 0x098B716B | LAZARUS GROUP (DPRK3) | 2019-09-13',
      'ethereum | 0x2f389ce8 | SUEX OTC, S.R.O. (CYBER2) | 2021-09-21',
      'bitcoin | 1KUUJPkyDh | SUEX OTC, S.R.O. (CYBER2) | 2021-09-21',
    ]);
    const read = readLabelFile(sample('sdn_advanced.xml'), 'ofac-advanced');
    expect((await collect(read(0)))[0]).toMatchObject({
      number: 1,
      rows: evmChains.map((chain) => ({
        chain,
        address: ronin,
        category: 'sanctioned',
        source: 'US OFAC SDN',
        authority: 'OFAC',
        confidence: 1,
      })),
    });
    expect(await collect(read(3))).toEqual((await collect(read(0))).slice(3));
  });

  it('SDN.XML: the same entities, without a date', async () => {
    expect(await linesOf('sdn.xml', 'ofac-xml')).toEqual([
      'ethereum | 0x098B716B | LAZARUS GROUP (DPRK3) | always',
      'bitcoin | 1KUUJPkyDh | SUEX OTC, S.R.O. (CYBER2) | always',
    ]);
  });

  it('SDN.CSV: remarks continue within an address in SDN_COMMENTS.CSV', async () => {
    const list = { comments: sample('sdn_comments.csv') };
    expect(await linesOf('sdn.csv', 'ofac-csv', { ...onEthereum, list })).toEqual([
      'bitcoin | 149w62rY42 | KHORASHADIZADEH, Ali (CYBER2) | always',
      'bitcoin | 1295rkVyNf | SUEX OTC, S.R.O. (CYBER2, IFSR) | always',
      'bitcoin | 12udabs2Tk | SUEX OTC, S.R.O. (CYBER2, IFSR) | always',
      'ethereum | 0x2f389ce8 | SUEX OTC, S.R.O. (CYBER2, IFSR) | always',
      'bitcoin | 1KUUJPkyDh | SUEX OTC, S.R.O. (CYBER2, IFSR) | always',
    ]);
  });

  it('SDN.CSV alone: a cut remark is rejected, and no piece of an address becomes a label', async () => {
    expect(await linesOf('sdn.csv', 'ofac-csv')).toHaveLength(2);
    expect(await rejections(readLabelFile(sample('sdn.csv'), 'ofac-csv'))).toEqual([
      [3, 'its remarks continue in the file of comments: name that with --comments'],
    ]);
  });

  it('addresses of chains that Weir does not know are counted by their coin; a wrong checksum is rejected', async () => {
    const read = readLabelFile(sample('sdn_advanced.xml'), 'ofac-advanced', onEthereum);
    expect(await tally(read)).toEqual({ records: 5, rows: 3, rejected: 1, 'unknown chain XMR': 1 });
    expect(await rejections(read)).toEqual([[4, 'address is no address of bitcoin, or its checksum is wrong']]);
  });

  it('another list of OFAC has another source, and does not end with the first', async () => {
    const read = readLabelFile(sample('sdn.xml'), 'ofac-xml', { list: { source: 'US OFAC Consolidated' } });
    const origins = (await rowsOf(read)).map(({ source, authority }) => `${source}, ${authority}`);
    expect(new Set(origins)).toEqual(new Set(['US OFAC Consolidated, US OFAC Consolidated']));
  });
});

describe('the lists of 0xB10C', () => {
  it('are read as lines and as an array; the file’s name says the coin', async () => {
    expect(await linesOf('sanctioned_addresses_XBT.txt', '0xb10c')).toEqual([
      'bitcoin | 123WBUDmSJ | Listed by OFAC | always',
      'bitcoin | 125W5ek3DT | Listed by OFAC | always',
    ]);
    const [row] = await rowsOf(readLabelFile(sample('sanctioned_addresses_ETH.json'), '0xb10c', onEthereum));
    expect(row).toMatchObject({ address: ronin, source: '0xB10C ETH, from OFAC SDN', source_kind: 'curated', authority: 'OFAC' });
  });

  it('a token on TON and on Solana is found by the form of its address', async () => {
    const usdt = folder.write(
      'sanctioned_addresses_USDT.txt',
      'EQCD39VS5jcptHL8vMjEXrzGaRcCVYto7HUn4bpAOg8xqB2N\nBxp8yhH9zNwxyE4UqxP7a7hgJ5xTZfxNNft7YJJ2VRjT\n',
    );
    expect((await rowsOf(readLabelFile(usdt, '0xb10c'))).map(({ chain }) => chain)).toEqual(['ton', 'solana']);
    const wrong = folder.write('sanctioned_addresses_USDC.txt', `${'z'.repeat(44)}\n`);
    expect(await rejections(readLabelFile(wrong, '0xb10c'))).toEqual([
      [1, 'address is no address of ethereum, tron, bitcoin, ton or solana, or its checksum is wrong'],
    ]);
  });

  it('without a coin in the name need one; a page of HTML has no addresses', async () => {
    const page = folder.write('list.txt', '<html>\n<body>Not found</body>\n');
    expect(() => readLabelFile(page, '0xb10c')).toThrow('list.txt does not say its coin: name it with --asset');
    expect(await rejections(readLabelFile(page, '0xb10c', { list: { asset: 'XBT' } }))).toEqual([
      [1, 'is no address'],
      [2, 'is no address'],
    ]);
    const cut = folder.write('cut.json', '[\n "123WBUDmSJv4GctdVEz6Qq6z8nXSKrJ4KX",\n');
    await expect(collect(readLabelFile(cut, '0xb10c', { list: { asset: 'XBT' } })(0))).rejects.toThrow(
      'cut.json is not JSON, or is cut off',
    );
  });
});

describe('lists that name addresses in their texts', () => {
  it('the EU’s', async () => {
    expect(await linesOf('eu.xml', 'eu')).toEqual([
      'ethereum | 0x098B716B | Example Exchange (RUS) | 2025-02-24',
      'bitcoin | 1KUUJPkyDh | Example Exchange (RUS) | 2025-02-24',
    ]);
    const ambiguous = 'address may be of Bitcoin, Bitcoin Cash or Litecoin: the list names no coin';
    expect(await rejections(readLabelFile(sample('eu.xml'), 'eu'))).toEqual([
      [2, ambiguous],
      [4, ambiguous],
    ]);
  });

  it.each(['uk.xml', 'uk.csv'])('the UK’s: %s', async (name) => {
    const regime = 'EXAMPLE EXCHANGE (The Cyber (Sanctions) (EU Exit) Regulations 2020)';
    expect(await linesOf(name, 'uk')).toEqual([
      `ethereum | 0x098B716B | ${regime} | 2024-01-25`,
      `bitcoin | 1295rkVyNf | ${regime} | 2024-01-25`,
    ]);
    expect(await rejections(readLabelFile(sample(name), 'uk'))).toEqual([]);
  });

  it('the UN’s', async () => {
    expect(await linesOf('un.xml', 'un')).toEqual(['ethereum | 0x2f389ce8 | EXAMPLE FUND (Al-Qaida) | 2024-03-01']);
  });
});

describe('OpenSanctions', () => {
  it('gives sanctioned wallets with their holders; a listing by two authorities ends with neither', async () => {
    const read = readLabelFile(sample('entities.ftm.jsonl'), 'opensanctions', onEthereum);
    expect(await linesOf('entities.ftm.jsonl', 'opensanctions')).toEqual([
      'ethereum | 0x098B716B | LAZARUS GROUP (US-DPRK3) | always',
      'ethereum | 0x2f389ce8 | Holder not given | always',
    ]);
    const rows = (await collect(read(0))).flatMap((record) => ('rows' in record ? record.rows : []));
    expect(rows.map(({ source_kind, authority }) => [source_kind, authority])).toEqual([
      ['curated', 'OFAC'],
      ['curated', undefined],
    ]);
    expect((await rejections(read)).map(([number]) => number)).toEqual([2]);
  });
});

describe('the format of a file', () => {
  it.each<[string, LabelFormat | undefined]>([
    ['sdn_advanced.xml', 'ofac-advanced'],
    ['sdn.xml', 'ofac-xml'],
    ['sdn.csv', 'ofac-csv'],
    ['eu.xml', 'eu'],
    ['uk.xml', 'uk'],
    ['uk.csv', 'uk'],
    ['un.xml', 'un'],
    ['entities.ftm.jsonl', 'opensanctions'],
    ['sanctioned_addresses_XBT.txt', undefined],
    ['README.md', undefined],
  ])('%s is %s', async (name, format) => {
    expect(await detectLabelFormat(sample(name))).toBe(format);
  });
});
