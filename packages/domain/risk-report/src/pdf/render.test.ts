import { type Level, unknown } from '@weir/risk-engine';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Report } from '../report.ts';
import { assessment, mixerExposure, readPdf, reportOf } from '../testing.ts';
import { levelWords } from '../words/levels.ts';
import { documentOf } from './document.ts';
import { printable } from './printable.ts';
import { printPdf, renderPdf } from './render.ts';
import { note } from './style.ts';

const textOf = async (report: Report): Promise<string> => (await readPdf(await renderPdf(report))).text;

describe('what a compliance officer reads', () => {
  let text: string;
  beforeAll(async () => {
    text = await textOf(reportOf());
  });

  it('subject, level, score, dates, and what to do', () => {
    for (const part of [
      'HIGH 74 of 100',
      'Address 0x098B716B8Aaf21512996dC57EB0615e2383E2f96',
      'Chain, coin ethereum, ETH',
      'Incident Ronin Bridge Hack',
      'Scanned 2026-07-16 09:30:05 UTC',
      'Suggested operation: Keep high-level surveillance; analyse transactions further.',
      'Weir 1.2.3',
      'Page 1 of',
    ]) {
      expect(text).toContain(part);
    }
  });

  it('points that add up to the score, and what would have changed the level', () => {
    expect(text).toContain('3.0 The lowest score there is');
    expect(text).toContain('64.3 Money received from addresses labelled as mixers');
    expect(text).toContain('6.7 Money that came through others from addresses labelled as stolen funds');
    expect(text).toContain('74 Score: the sum of these points');
    expect(text).toContain('Without money received from addresses labelled as mixers the level would be Low (score 28) and not High (74).');
  });

  it('that money was paid to a thief, and other money received', async () => {
    const [first] = assessment.exposures;
    const exposures = [
      mixerExposure({ side: 'out', entity: 'Thief', risk_type: 'illicit_activity', category: 'theft', suspected: true }),
      mixerExposure({ ...first, side_percent: 2 }),
    ];
    const paid = await textOf(reportOf({ ...assessment, exposures }));
    expect(paid).toContain(
      'It has paid to “Thief” (illicit activity, a suspicion; source: a public tag pack): 1,250,000.50 USD, 31.20 % of all that it sent.',
    );
    expect(paid).toContain('It has received from “Tornado.Cash”');
    expect(paid).toContain('Thief Illicit activity direct paid 1 1,250,000.50 31.20 %');
    expect(paid).toContain('Tornado.Cash Mixer direct received 1 1,250,000.50 2.00 %');
  });

  it('exposures, and the transfers that led to them', () => {
    expect(text).toContain('Tornado.Cash Mixer direct received 1 1,250,000.50 31.20 %');
    expect(text).toContain('Ronin Bridge Hack Illicit activity indirect received 3 540,000.00 13.48 %');
    expect(text).toContain(
      'Through others, 3 hops away on the main path, 540,000.00 USD, 13.48 % of all that it received comes from “Ronin Bridge Hack”',
    );
    const compact = text.replaceAll(' ', '');
    for (const part of [
      '2026-03-2313:29:09UTC',
      `0x${'1'.repeat(64)}from0x${'9'.repeat(40)}to0x28c6c06298d514db089934071355e5743bf21d60312.5ETH540,000.00`,
      `0x${'2'.repeat(64)}from0x28c6c06298d514db089934071355e5743bf21d60to0x08723392ed15743cc38513c4925f5e6be5c17243unknownETHunknown`,
    ])
      expect(compact).toContain(part);
    // The chart's own text.
    expect(text).toContain('Ronin Bridge Hack (indirect)');
    expect(text).toContain('per cent of what was received, or sent');
  });

  it('what is not known', () => {
    expect(text).toContain('Of what it received (240 transfers, 2,000,000.00 USD), 10.00 % was not followed to its source');
    expect(text).toContain('Were all of that stolen, this side alone would score 79.');
    expect(text).toContain('3 of these 240 transfers have no known value; each was taken to be worth as much as the average of the others');
    expect(text).toContain('No transfer that it sent is in the data, apart from any to token contracts and to nobody (burning).');
    expect(text).toContain('Source of funds: received 240 31.20 % 13.48 % 10.00 % 340 74');
  });

  it('that a transfer has no transaction in its source', async () => {
    const followed = assessment.exposures.find((exposure) => exposure.path.length > 0);
    const path = followed?.path.map((hop) => ({ ...hop, tx: `derived:${'a1'.repeat(32)}` })) ?? [];
    const shown = await textOf(reportOf({ ...assessment, exposures: [mixerExposure({ ...followed, path })] }));
    expect(path.length).toBeGreaterThan(0);
    expect(shown.replaceAll(' ', '')).toContain('notransactioninthesource;rowa1a1a1a1a1a1a1a1');
    expect(shown).not.toContain('derived:');
  });

  it('that a side does not count in the score', async () => {
    const { in: received } = assessment.sides;
    const sides = { in: received, out: { ...received, counted: false } };
    const shown = await textOf(reportOf({ ...assessment, sides, worstAddress: '0x1' }, { kind: 'txid' }));
    expect(shown).toContain('only direct dealings were looked at: what a depositor did with other money does not count in the score.');
    expect(shown).toMatch(/Use of funds: sent 240 .+ not counted/);
  });

  it('that a volume is not known, and not that it is 0.00 USD', async () => {
    const { in: received, out } = assessment.sides;
    const sides = { in: { ...received, total: { usd: 0, transfers: 207, unknownTransfers: 207 } }, out };
    const unvalued = await textOf(reportOf({ ...assessment, sides }));
    expect(unvalued).toContain('Of what it received (207 transfers, value unknown), 10.00 % was not followed');
    expect(unvalued).toContain('None of them has a known value: each was taken to be worth as much as any other.');
    expect(unvalued).not.toContain('average of the others');
  });

  it('the id of a transaction in one line, and that not every exposure has a bar', async () => {
    const txid = `0x${'d'.repeat(64)}`;
    const exposures = Array.from({ length: 13 }, (_, n) => mixerExposure({ entity: `entity ${n}`, side_percent: 5 }));
    const shown = await textOf(reportOf({ ...assessment, exposures }, { kind: 'txid', subject: txid }));
    expect(shown).toContain(`Transaction ${txid} `);
    expect(shown).toContain('The 12 largest have a bar.');
    expect(text).not.toContain('largest have a bar');
  });

  it('that nothing is known, where nothing is', async () => {
    const nothing = await textOf(reportOf(unknown));
    expect(nothing).toContain('LOW 3 of 100 – nothing is known');
    expect(nothing).toContain('Nothing is known of this address: the data had no label and no transfer of it at the scan.');
    expect(nothing).toContain('None: nobody whose data is loaded has said who this is.');
  });

  it('of a Severe result without a label, only what was found: no word of what it is known for', async () => {
    const severe = { ...assessment, score: 92, level: 'Severe', labels: [], address_label: '' } as const;
    const shown = await textOf(reportOf(severe));
    expect(shown).toContain('The score of this address is 92 of 100. Scores from 91 to 100 are the level Severe.');
    expect(shown).toContain('This address carries no label of its own.');
    expect(shown).not.toMatch(/itself known|gravest|lives off|strong ties/);
  });

  it('of a Low result with nothing against it, that nothing is known', async () => {
    const [base] = assessment.contributions;
    if (base === undefined) throw new Error('the fixture has a base');
    const low = { ...assessment, score: 3, level: 'Low', contributions: [base], counterfactuals: [], exposures: [], labels: [] } as const;
    const shown = await textOf(reportOf({ ...low, detail_list: [], coverage: 'transfers' }));
    expect(shown).toContain('LOW 3 of 100 – nothing known against it');
    expect(shown).toContain('Low means that nothing is known against it, and does not say that the funds are clean.');
  });

  it.each(Object.entries(levelWords))('the suggested operation of %s', (level, { operation }) => {
    expect(JSON.stringify(documentOf(reportOf(assessment, { level: level as Level })))).toContain(`Suggested operation: ${operation}.`);
  });
});

it('the same report is the same file, byte for byte', async () => {
  expect(Buffer.compare(await renderPdf(reportOf()), await renderPdf(reportOf()))).toBe(0);
});

describe('hostile names', () => {
  const names: [what: string, given: string, shown: string][] = [
    ['Cyrillic', 'ООО «Гарантекс»', 'ООО «Гарантекс»'],
    ['Chinese', '中国银行', '[U+4E2D U+56FD U+94F6 U+884C]'],
    ['Arabic, right to left', 'شركة', '[U+0634 U+0631 U+0643 U+0629]'],
    ['a turned direction', 'evil\u202Efdp.exe', 'evil[U+202E]fdp.exe'],
    ['emoji', 'Heist 😀', 'Heist [U+1F600]'],
    ['markup', '<script>alert(1)</script>&amp;', '<script>alert(1)</script>&amp;'],
    ['markup of a chart', '{b|x}</text></svg>', '{b|x}</text></svg>'],
    ['NUL', 'a\u0000b', 'a[U+0000]b'],
    ['a lone surrogate', 'a\ud800b', 'a[U+D800]b'],
    ['decomposed letters', 'E\u0301ire', 'Éire'],
  ];
  let text: string;
  beforeAll(async () => {
    const exposures = names.map(([, entity]) => mixerExposure({ entity, side_percent: 5 }));
    // Names wrap where their column ends.
    text = (await textOf(reportOf({ ...assessment, exposures }))).replaceAll(' ', '');
  });

  it.each(names)('%s', (_, __, shown) => {
    expect(text).toContain(`${shown}Mixerdirectreceived`.replaceAll(' ', ''));
  });

  it('that are properties of all objects change none of them', async () => {
    const before = Object.getOwnPropertyNames(Object.prototype);
    const own = [...before, 'prototype'];
    const exposures = own.map((entity) => mixerExposure({ entity, side_percent: 1 }));
    const labels = own.map((name) => ({ name, category: name, source: name, confidence: 1 }));
    const contributions = own.map((name) => ({ key: `own:${name}`, points: 1 }));
    const shown = await textOf(reportOf({ ...assessment, exposures, labels, contributions }));
    expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(before);
    for (const name of own) {
      expect(shown).toContain(`${name} Mixer direct`);
      expect(shown).toContain(`Its own label (${name})`);
    }
  });

  it('are told only in characters that the font has', async () => {
    const all = Array.from({ length: 0x10000 }, (__, code) => String.fromCharCode(code)).filter((each) => printable(each) === each);
    expect(all.length).toBeGreaterThan(800);
    for (const cut of [{}, { bold: true }, { italics: true }]) {
      const pdf = await printPdf({ content: [{ text: all.join(' '), ...cut }], defaultStyle: { font: 'Roboto' }, compress: false });
      const glyphs = Buffer.from(pdf)
        .toString('latin1')
        .matchAll(/<((?:[0-9a-f]{4})+)> -?\d/g)
        .flatMap(([, hex = '']) => hex.match(/.{4}/g) ?? [])
        .toArray();
      expect(glyphs.length).toBeGreaterThan(all.length);
      // A missing character prints as glyph 0.
      expect(glyphs).not.toContain('0000');
    }
  });

  it('of any content and length neither fail nor take over the page', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'binary', maxLength: 500 }),
        fc.string({ unit: 'grapheme', maxLength: 500 }),
        async (name, source) => {
          const path = [{ at: 0, tx: name, position: 0, from: source, to: name, usd: 1, coin: source }];
          const exposures = [
            mixerExposure({ entity: name }),
            mixerExposure({ entity: source, exposure_type: 'indirect', hop_num: 2, path }),
          ];
          const labels = [{ name, source, category: source, confidence: 0.5 }];
          const { pages } = await readPdf(
            await renderPdf(
              reportOf({ ...assessment, exposures, labels, hacking_event: name, address_label: source, detail_list: [name] }),
            ),
          );
          expect(pages).toBeLessThanOrEqual(6);
        },
      ),
      { numRuns: 8 },
    );
  });
});

describe('bounds', () => {
  const many = Array.from({ length: 5_000 }, (_, i) =>
    mixerExposure({
      entity: `entity ${i} ${'x'.repeat(400)}`,
      exposure_type: i % 2 === 0 ? 'direct' : 'indirect',
      side_percent: 0.02,
      path: Array.from({ length: 20 }, (__, j) => ({
        at: j,
        tx: `0x${String(j % 10).repeat(64)}`,
        position: 0,
        from: 'x',
        to: 'y',
        usd: 1,
        coin: 'ETH',
      })),
    }),
  );

  it('5,000 exposures make a report that can be read, and small', async () => {
    const pdf = await renderPdf(reportOf({ ...assessment, exposures: many }));
    const { text, pages } = await readPdf(pdf);
    expect(pages).toBeLessThanOrEqual(20);
    expect(pdf.length).toBeLessThan(300_000);
    expect(text).toContain('and 4,940 more, the larger of which the API lists.');
  });

  it('a sanctioned entity is listed however small its share', async () => {
    const sanctioned = mixerExposure({ entity: 'Aeza Group LLC', risk_type: 'sanctioned_entity', side_percent: 0.0001, volume: 5 });
    expect(await textOf(reportOf({ ...assessment, exposures: [...many, sanctioned] }))).toContain(
      'Aeza Group LLC Sanctioned entity direct received 1 5.00 < 0.01 %',
    );
  });

  it('huge and tiny numbers stay within their columns', async () => {
    const exposures = [
      mixerExposure({ volume: 1e300, side_percent: 100 }),
      mixerExposure({ entity: 'small', volume: 0.004, side_percent: 1e-9 }),
    ];
    const text = await textOf(reportOf({ ...assessment, exposures }));
    expect(text).toContain('1.000e+300 100.00 %');
    expect(text).toContain('small Mixer direct received 1 0.00 < 0.01 %');
  });
});

it('no page is empty, however far down the last text ends', async () => {
  for (let top = 690; top <= 730; top += 1) {
    const content = [{ text: 'above', margin: [0, top, 0, 0] as [number, number, number, number] }, note('the end')];
    const { texts } = await readPdf(await printPdf({ ...documentOf(reportOf()), footer: () => '', content }));
    expect({ top, empty: texts.filter((text) => text.trim() === '').length }).toEqual({ top, empty: 0 });
  }
});
