import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Grounds } from '../report.ts';
import { assessment, reportOf } from '../testing.ts';
import { contributionWords, tenths } from './contributions.ts';
import { counterfactualStatements, findingWords } from './findings.ts';
import { method } from './method.ts';
import { statementsOf } from './statements.ts';
import { percent, shortened, usd } from './numbers.ts';

const weights = JSON.parse(readFileSync(new URL('../../../risk-engine/src/weights.json', import.meta.url), 'utf8')) as {
  attribution: { least_importance: number };
  sides: { high_usd: number; severe_usd: number };
  categories: Record<string, { own: number; exposure: number }>;
};

describe('findings', () => {
  it.each(Object.keys(weights.categories).filter((name) => (weights.categories[name]?.exposure ?? 0) > 0))('%s has words', (category) => {
    for (const kind of ['own', 'in:direct', 'in:traced', 'out:direct', 'out:traced']) {
      const words = findingWords(`${kind}:${category}`, []);
      expect(words).toMatch(
        /^(its own label \(|(money (received from|that came through others from|that went on through others to)|payments to) addresses labelled as )[a-z ]+/,
      );
      // A category's bare name is a program's word.
      expect(words).not.toMatch(new RegExp(`(labelled as |\\()${category}(\\)|$)`));
    }
  });

  it.each([
    ['in:direct:theft', 'money received from addresses labelled as stolen funds'],
    ['in:traced:ransom', 'money that came through others from addresses labelled as ransom payments'],
    ['out:direct:scam', 'payments to addresses labelled as scams'],
    ['out:traced:mixer?', 'money that went on through others to addresses labelled as mixers, a suspicion'],
    ['out:cap:victim', 'the limit for payments by a possible victim'],
  ])('%s has the words of its side', (key, words) => {
    expect(findingWords(key, [])).toBe(words);
  });

  it('name the labels they come from, at most three', () => {
    const labels = ['A', 'B', 'C', 'D'].map((name) => ({ name, category: 'hack', confidence: 1, source: 's' }));
    expect(findingWords('own:theft', labels)).toBe('its own label (stolen funds: A, B, C and 1 more)');
  });

  it('say that a label is another address’s, which signed with it', () => {
    const shared = { name: 'A', category: 'theft', confidence: 0.45, source: 's', via: { address: 'b1', addresses: 3, txid: 'f00' } };
    expect(findingWords('own:theft', [shared])).toBe('the label of an address that signed transactions together with it (stolen funds: A)');
    expect(findingWords('own:theft', [shared, { name: 'B', category: 'theft', confidence: 1, source: 's' }])).toMatch(/^its own label/);
    const result = { ...assessment, labels: [shared], contributions: [{ key: 'own:theft', points: 70 }] };
    const said = statementsOf(reportOf(result)).find(({ finding }) => finding.kind === 'label');
    expect(said?.text).toMatch(
      /belongs to 3 addresses that signed transactions together, it for example in transaction f00\. One of them, b1, carries/,
    );
  });

  it('say when none decides, and when there is none', () => {
    const report = reportOf();
    const textsOf = (grounds: Grounds): string[] => counterfactualStatements(grounds, report).map(({ text }) => text);
    expect(textsOf({ ...assessment, counterfactuals: [] })).toEqual([
      'No finding alone decides: without any one of them the level would still be High.',
    ]);
    const [base] = assessment.contributions;
    expect(textsOf({ ...assessment, contributions: base === undefined ? [] : [base] })).toEqual([
      'No finding adds points, so none can be left out.',
    ]);
  });
});

it('a contribution that only another risk service knows stands by its own name', () => {
  expect(['base', 'in:direct:theft', 'a key of theirs'].map((key) => contributionWords(key))).toEqual([
    'the lowest score there is, which everybody has',
    'money received from addresses labelled as stolen funds',
    'a key of theirs',
  ]);
});

it('points shown with one decimal add up to the score', () => {
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0, max: 50, noNaN: true }), { minLength: 1, maxLength: 12 }), (raw) => {
      // As in the engine: the sum is a whole number.
      const sum = raw.reduce((before, value) => before + value, 0);
      const score = Math.round(sum);
      fc.pre(sum > 0.5);
      const points = raw.map((value) => (value * score) / sum);
      const shown = tenths(points);
      expect(shown.reduce((before, value) => before + Math.round(value * 10), 0)).toBe(score * 10);
      for (const [index, value] of shown.entries()) expect(Math.abs(value - (points[index] ?? 0))).toBeLessThanOrEqual(0.1 + 1e-6);
    }),
  );
});

it("the method states the engine's own limits", () => {
  const { attribution, sides } = weights;
  expect(method.join(' ')).toContain(`less than ${(100 * attribution.least_importance).toFixed(2)} % of a side`);
  expect(method.join(' ')).toContain(`${sides.high_usd / 1_000},000 USD of crime that was received are High`);
  expect(method.join(' ')).toContain(`Less than ${sides.severe_usd / 1_000},000 USD received is never Severe`);
});

it.each([
  [percent(0), '0.00 %'],
  [percent(0.004), '< 0.01 %'],
  [percent(100), '100.00 %'],
  [usd(1_234_567.891), '1,234,567.89'],
  [usd(1e20), '1.000e+20'],
  [shortened('0x098B716B8Aaf21512996dC57EB0615e2383E2f96'), '0x098B716B…383E2f96'],
])('%s', (shown, expected) => {
  expect(shown).toBe(expected);
});
