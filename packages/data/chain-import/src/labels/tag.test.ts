import { afterAll, describe, expect, it } from 'vitest';
import { readLabelFile } from '../formats.ts';
import type { LabelRow } from '../rows.ts';
import { collect, makeFolder, rejections, rowsOf } from '../testing/files.ts';
import type { MappedWord } from './tag.ts';

const folder = makeFolder();
afterAll(() => folder.remove());

const ofac = 'https://www.treasury.gov/ofac/downloads/sdnlist.txt';
const packOf = (fields: Readonly<Record<string, string>>): string =>
  `${Object.entries({ title: 'T', currency: 'ETH', label: 'X', ...fields })
    .map(([name, value]) => `${name}: ${JSON.stringify(value)}\n`)
    .join('')}tags:\n  - address: "0x${'1'.repeat(40)}"\n`;
const reading = (fields: Readonly<Record<string, string>>, options = {}) =>
  readLabelFile(folder.write('pack.yaml', packOf(fields)), 'tagpack', options);
const labels = (fields: Readonly<Record<string, string>>, options = {}): Promise<LabelRow[]> => rowsOf(reading(fields, options));
const categories = async (fields: Readonly<Record<string, string>>): Promise<string[]> =>
  (await labels(fields)).map(({ category }) => category);

describe('a tag of a market', () => {
  it('without an abuse accuses nobody', async () => {
    expect(await categories({ category: 'market', label: 'OpenSea', source: 'https://etherscan.io/accounts/label/market' })).toEqual([
      'service',
    ]);
  });

  it('of the dark web does', async () => {
    expect(await categories({ category: 'market', abuse: 'dark_web' })).toEqual(['darknet']);
    expect(await categories({ category: 'dark_market' })).toEqual(['darknet']);
  });
});

describe('a tag that says sanctions', () => {
  it.each([
    ['title', { title: 'US Treasury OFAC Sanctions List', category: 'user' }],
    ['label', { label: 'On the SDN list', category: 'user' }],
    ['source', { category: 'market', source: 'https://home.treasury.gov/policy-issues/financial-sanctions/recent-actions/20220405' }],
    ['file', { tagpack: 'ofac.yaml', category: 'user' }],
    ['category', { category: 'sanctioned_entity' }],
    ['abuse', { category: 'user', abuse: 'us_sanctions' }],
  ])('in its %s is a sanction', async (_place, fields) => {
    expect(await categories(fields)).toContain('sanctioned');
  });

  it('of OFAC is a copy of its listing; of nobody it is a statement of its own', async () => {
    const [copy] = await labels({ category: 'user', source: ofac });
    expect(copy).toMatchObject({ category: 'sanctioned', authority: 'OFAC', source_kind: 'curated', valid_to: null });
    const [own] = await labels({ category: 'user', title: 'Sanctions of some country' });
    expect(own).toMatchObject({ category: 'sanctioned' });
    expect(own).not.toHaveProperty('authority');
  });

  it('keeps the accusation beside it, which outlives the listing, and drops a recommendation', async () => {
    const mixer = await labels({ category: 'mixing_service', source: ofac });
    expect(mixer.map(({ category, authority }) => [category, authority])).toEqual([
      ['sanctioned', 'OFAC'],
      ['mixer', undefined],
    ]);
    expect(await categories({ category: 'exchange', source: ofac })).toEqual(['sanctioned']);
    expect(await categories({ abuse: 'terrorism', source: ofac })).toEqual(['sanctioned', 'terrorism']);
  });

  it('of an ended listing is refused with the reason', async () => {
    expect(await rejections(reading({ label: 'OFAC delisted', category: 'user' }))).toEqual([
      [1, 'the tag says that a sanctions listing has ended, but not when'],
    ]);
  });

  it('only in the name of an abuse does not', async () => {
    expect(await categories({ label: 'Rush/Sanction', abuse: 'ransomware' })).toEqual(['ransom']);
    expect(await categories({ label: 'Unsanctioned races', category: 'gambling' })).toEqual(['gambling']);
  });

  it('is mapped as the abuse sanction is', async () => {
    const found = await labels({ category: 'user', source: ofac }, { categories: new Map([['sanction', 'illicit']]) });
    expect(found.map(({ category }) => category)).toEqual(['illicit']);
  });
});

it('the words of tags that became another category are told', async () => {
  const told: MappedWord[] = [];
  const onMappedWord = (mapped: MappedWord): void => void told.push(mapped);
  await collect(reading({ category: 'market' }, { onMappedWord })(0));
  await collect(reading({ category: 'gambling' }, { onMappedWord })(0));
  await collect(reading({ category: 'mixing_service', source: ofac }, { onMappedWord })(0));
  expect(told).toEqual([
    { word: 'market', category: 'service' },
    { word: 'mixing_service', category: 'mixer' },
    { word: 'words of sanctions', category: 'sanctioned' },
  ]);
});

it.each([
  ['service_data', 'owner'],
  ['authority_data', 'curated'],
  ['web_crawl', 'crawl'],
  ['hearsay', 'curated'],
])('a tag of confidence %s comes from a source of kind %s', async (confidence, source_kind) => {
  expect(await labels({ category: 'exchange', confidence })).toMatchObject([{ source_kind }]);
});

it('the kind of a pack counts for tags that do not say it', async () => {
  const kindOf = async (confidence: string) =>
    (await labels({ category: 'exchange', confidence }, { sourceKind: 'crawl' }))[0]?.source_kind;
  expect([await kindOf('hearsay'), await kindOf('service_data')]).toEqual(['crawl', 'owner']);
});
