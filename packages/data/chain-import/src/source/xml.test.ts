import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { readLabelFile } from '../formats.ts';
import { collect, makeFolder, rowsOf } from '../testing/files.ts';
import { readXml } from './xml.ts';

const folder = makeFolder();
afterAll(() => folder.remove());

const kind = { root: 'list', records: ['entry'] };
const read = (content: string | Uint8Array) => collect(readXml(folder.write('some.xml', content), kind));

describe('an XML file', () => {
  it('gives its records, whatever their prefix, with text, CDATA and entities of XML itself', async () => {
    const content =
      '<?xml version="1.0"?><!-- c --><x:list><x:entry a="1&amp;2"><b> one <![CDATA[<two>]]></b></x:entry><other><entry/></other></x:list>';
    const entries = await read(content);
    expect(entries).toEqual([
      { name: 'entry', attributes: { a: '1&2' }, text: '', children: [{ name: 'b', attributes: {}, children: [], text: 'one <two>' }] },
      { name: 'entry', attributes: {}, children: [], text: '' },
    ]);
    expect(await read(gzipSync(content))).toEqual(entries);
  });

  const bomb = `<!DOCTYPE list [<!ENTITY a "ha">${Array.from({ length: 9 }, (_, n) => `<!ENTITY ${'bcdefghij'[n]} "${`&${'abcdefghi'[n]};`.repeat(9)}">`).join('')}]>`;
  it.each([
    ['a bomb of entities', `<?xml version="1.0"?>${bomb}<list><entry>&j;</entry></list>`, 'has a document type'],
    [
      'an entity of another file',
      '<!DOCTYPE list [<!ENTITY x SYSTEM "file:///etc/passwd">]><list><entry>&x;</entry></list>',
      'has a document type',
    ],
    ['an entity that is not defined', '<list><entry>&x;</entry></list>', 'is not XML, or is cut off'],
    ['the beginning of a file', '<list><entry><b>1</b></entry><ent', 'is not XML, or is cut off'],
    ['a file without its last tag', '<list><entry/>', 'is not XML, or is cut off'],
    ['an empty file', '', 'is not XML, or is cut off'],
    ['another root', '<html><body>Access denied</body></html>', 'begins with <html>, not with <list>'],
    ['too many levels', `<list>${'<a>'.repeat(100)}${'</a>'.repeat(100)}</list>`, 'has elements deeper than 64'],
    ['a record without end', `<list><entry>${'x'.repeat(17 << 20)}</entry></list>`, 'has a record of more than 16 MiB'],
    ['bytes that are no UTF-8', Buffer.from('<list><entry>\xe9</entry></list>', 'latin1'), 'is not UTF-8'],
  ])('is refused: %s', async (_, content, said) => {
    await expect(read(content)).rejects.toThrow(`some.xml ${said}`);
  });
});

describe('SDN_ADVANCED.XML of 100 MB', () => {
  it('is read within 200 MB of memory', async () => {
    const path = join(folder.path, 'sdn_advanced.xml');
    const size = await writeLargeList(path, 100 << 20);
    expect(size).toBeGreaterThan(100 << 20);
    const before = process.memoryUsage().rss;
    let most = 0;
    const watching = setInterval(() => (most = Math.max(most, process.memoryUsage().rss)), 20);
    try {
      const rows = await rowsOf(readLabelFile(path, 'ofac-advanced', { evmChains: ['ethereum'] }));
      expect(rows).toHaveLength(1);
    } finally {
      clearInterval(watching);
    }
    expect((most - before) / 2 ** 20).toBeLessThan(200);
  });
});

/** One party with an address, and parties without one until the size is reached. Returns the size in bytes. */
async function writeLargeList(path: string, least: number): Promise<number> {
  const party = (id: number, feature: string): string =>
    `<DistinctParty FixedRef="${id}"><Profile ID="${id}"><Identity ID="${id}"><Alias Primary="true"><DocumentedName><DocumentedNamePart><NamePartValue>PARTY ${id}</NamePartValue></DocumentedNamePart></DocumentedName></Alias></Identity>${feature}</Profile></DistinctParty>\n`;
  const address =
    '<Feature ID="1" FeatureTypeID="345"><FeatureVersion><VersionDetail>0x098B716B8Aaf21512996dC57EB0615e2383E2f96</VersionDetail></FeatureVersion></Feature>';
  const birth = `<Feature ID="2" FeatureTypeID="8"><FeatureVersion><VersionDetail>${'a birth '.repeat(400)}</VersionDetail></FeatureVersion></Feature>`;
  let size = 0;
  async function* parts(): AsyncGenerator<string> {
    yield '<Sanctions><ReferenceValueSets><FeatureType ID="345">Digital Currency Address - ETH</FeatureType></ReferenceValueSets><DistinctParties>';
    yield party(1, address);
    for (let id = 2; size < least; id += 1) {
      const text = party(id, birth);
      size += text.length;
      yield text;
    }
    yield '</DistinctParties></Sanctions>';
  }
  await pipeline(parts, createWriteStream(path));
  return size;
}
