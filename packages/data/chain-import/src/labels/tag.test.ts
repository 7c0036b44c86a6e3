import { afterAll, describe, expect, it } from 'vitest';
import { readLabelFile } from '../formats.ts';
import type { LabelRow } from '../rows.ts';
import { collect, makeFolder, rejections, rowsOf } from '../testing/files.ts';
import type { MappedWord } from './tag.ts';

const folder = makeFolder();
afterAll(() => folder.remove());

const ofac = 'https://www.treasury.gov/ofac/downloads/sdnlist.txt';
const listed = 'Asset listed under US Treasury OFAC Sanctions List';
const notice = 'https://home.treasury.gov/policy-issues/financial-sanctions/recent-actions/20220405';
const packOf = (fields: Readonly<Record<string, string>>): string =>
  `${Object.entries({ title: 'T', currency: 'ETH', label: 'X', ...fields })
    .map(([name, value]) => `${name}: ${JSON.stringify(value)}\n`)
    .join('')}tags:\n  - address: "0x${'1'.repeat(40)}"\n`;
const reading = (fields: Readonly<Record<string, string>>, options = {}) =>
  readLabelFile(folder.write('pack.yaml', packOf(fields)), 'tagpack', options);
const labels = (fields: Readonly<Record<string, string>>, options = {}): Promise<LabelRow[]> => rowsOf(reading(fields, options));
const categories = async (fields: Readonly<Record<string, string>>, options = {}): Promise<string[]> =>
  (await labels(fields, options)).map(({ category }) => category);

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
    ['label', { label: 'On the SDN list', category: 'user' }],
    ['label, after others', { label: 'Garantex US-sanctioned', category: 'exchange' }],
    ['category', { category: 'sanctioned_entity' }],
    ['abuse', { category: 'user', abuse: 'us_sanctions' }],
    ['concept', { concepts: 'sanction' }],
    ["authority's own notice", { category: 'market', source: notice, confidence: 'authority_data' }],
  ])('in its %s is a sanction', async (_place, fields) => {
    expect(await categories(fields)).toContain('sanctioned');
  });

  it.each([
    ['the address of a page', { category: 'exchange', source: 'https://example.com/answers-to-the-sanctions-report' }],
    ["a page of a sanctions authority that somebody's research cites", { category: 'exchange', source: notice, confidence: 'forensic' }],
    ['a page with the name of an authority', { category: 'exchange', source: 'https://ofac.example', confidence: 'authority_data' }],
    ['the title of a pack', { category: 'exchange', title: 'Exchanges and sanctioned entities' }],
    ['the file', { category: 'exchange', tagpack: 'ofac.yaml' }],
    ['the name of a shop', { category: 'exchange', label: 'SanctionsScreening.io donations' }],
  ])('only in %s does not', async (_place, fields) => {
    expect(await categories(fields)).toEqual(['exchange']);
  });

  it('of OFAC is a copy of its listing; of nobody it is a statement of its own', async () => {
    const [copy] = await labels({ category: 'user', label: listed, source: ofac });
    expect(copy).toMatchObject({ category: 'sanctioned', authority: 'OFAC', source_kind: 'curated', valid_to: null });
    const [own] = await labels({ category: 'user', label: 'Sanctioned by some country' });
    expect(own).toMatchObject({ category: 'sanctioned' });
    expect(own).not.toHaveProperty('authority');
  });

  it('keeps the accusation beside it, which outlives the listing, and drops a recommendation', async () => {
    const mixer = await labels({ category: 'mixing_service', label: listed });
    expect(mixer.map(({ category, authority }) => [category, authority])).toEqual([
      ['sanctioned', 'OFAC'],
      ['mixer', undefined],
    ]);
    expect(await categories({ category: 'exchange', label: listed })).toEqual(['sanctioned']);
    expect(await categories({ abuse: 'terrorism', concepts: 'sanction' })).toEqual(['sanctioned', 'terrorism']);
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
    const found = await labels({ category: 'user', label: listed }, { categories: new Map([['sanction', 'illicit']]) });
    expect(found.map(({ category }) => category)).toEqual(['illicit']);
  });
});

it('the words of tags that became another category are told', async () => {
  const told: MappedWord[] = [];
  const onMappedWord = (mapped: MappedWord): void => void told.push(mapped);
  await collect(reading({ category: 'market' }, { onMappedWord })(0));
  await collect(reading({ category: 'gambling' }, { onMappedWord })(0));
  await collect(reading({ category: 'mixing_service', label: listed }, { onMappedWord })(0));
  await collect(reading({ concepts: 'tumbler' }, { onMappedWord })(0));
  await collect(reading({ concepts: 'dark_web' }, { onMappedWord })(0));
  expect(told).toEqual([
    { word: 'market', category: 'service' },
    { word: 'mixing_service', category: 'mixer' },
    { word: 'words of sanctions', category: 'sanctioned' },
    { word: 'tumbler', category: 'mixer' },
    { word: 'dark_web', category: 'darknet' },
  ]);
});

it('a concept that became another category can be mapped', async () => {
  expect(await categories({ concepts: 'tumbler' }, { categories: new Map([['tumbler', 'service']]) })).toEqual(['service']);
});

it.each([
  ['its maker, whatever pages its tags cite', { creator: 'Somebody', source: 'https://a.example/1' }, 'Somebody'],
  ['its title without a maker', { source: 'https://a.example/1' }, 'T'],
  ['the hosts that it cites without a title', { title: '', source: 'https://www.a.example/1' }, 'a.example'],
])('the source of a pack is %s', async (_, fields, source) => {
  expect(await labels({ category: 'exchange', ...fields })).toMatchObject([{ source: `GraphSense: ${source}` }]);
});

it('five tags of one pack are of one source', async () => {
  const tags = [1, 2, 3, 4, 5].map((n) => `  - { address: "0x${'1'.repeat(40)}", abuse: scam, source: "https://a.example/${n}" }\n`);
  const pack = folder.write('five.yaml', `title: T\ncreator: Somebody\ncurrency: ETH\nlabel: X\ntags:\n${tags.join('')}`);
  expect((await rowsOf(readLabelFile(pack, 'tagpack'))).map(({ source }) => source)).toEqual(Array(5).fill('GraphSense: Somebody'));
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
