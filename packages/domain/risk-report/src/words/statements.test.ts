import {
  type Assessment,
  canonicalCategory,
  categoryNames,
  type Direction,
  scoreAddress,
  scoreTransaction,
  weighLabels,
  weightOf,
} from '@weir/risk-engine';
import { type LabelRow, memoryStore, type TransferRow } from '@weir/risk-engine/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { documentOf } from '../pdf/document.ts';
import type { Content } from '../pdf/pdfmake.ts';
import type { Report } from '../report.ts';
import { reportOf } from '../testing.ts';
import { categoryWords } from './contributions.ts';
import { levelWords } from './levels.ts';
import { limits, method, transactionMethod } from './method.ts';
import type { Statement } from './statement.ts';
import { statementsOf } from './statements.ts';

const seed = 20_260_716;
const chain = 'ethereum';
const atMs = 1_000;
const subject = 'a0';
const txid = 'tx0';

interface World {
  readonly labels: readonly LabelRow[];
  readonly transfers: readonly TransferRow[];
}

const address = fc.constantFrom('a0', 'a1', 'a2', 'a3', 'a4', 'a5');
const period = fc.constantFrom(
  { valid_from: null, valid_to: null },
  { valid_from: 500, valid_to: 900 },
  { valid_from: 2_000, valid_to: null },
);
const label = fc
  .record({
    address,
    category: fc.constantFrom(...categoryNames, 'hack', 'mixing_service', 'nonsense'),
    confidence: fc.constantFrom(0.3, 0.5, 1),
    number: fc.nat(1),
    period,
  })
  .map(
    ({ number, period: valid, ...rest }): LabelRow => ({
      chain,
      name: `name ${rest.address} ${number}`,
      source: `list ${number}`,
      ...rest,
      ...valid,
    }),
  );
const transfer = fc.record({
  from: fc.option(address, { freq: 8 }),
  to: fc.option(address, { freq: 8 }),
  usd: fc.constantFrom(null, 0, 0.001, 1, 250, 1_000_000),
});
const worlds: fc.Arbitrary<World> = fc
  .record({ labels: fc.array(label, { maxLength: 6 }), transfers: fc.array(transfer, { maxLength: 10 }) })
  .map(({ labels, transfers }) => ({ labels, transfers: transfers.map((row, index) => ({ chain, txid: `tx${index % 3}`, ...row })) }));

async function reportsOf(world: World): Promise<{ report: Report; who: string[] }[]> {
  const store = memoryStore(world);
  const ofAddress = await scoreAddress(store, chain, subject, atMs);
  const ended = world.labels.filter((row) => row.address === subject && !isInForce(row));
  const reports = [{ report: reportOf(ofAddress, { subject, uncountedLabels: ended }), who: [subject] }];
  for (const direction of ['deposit', 'withdraw'] as const) {
    const result: Assessment = await scoreTransaction(store, chain, txid, direction, atMs);
    reports.push({ report: reportOf(result, { kind: 'txid', subject: txid, direction }), who: sideOf(world, direction) });
  }
  return reports;
}

function isInForce({ valid_from, valid_to }: LabelRow): boolean {
  return (valid_from === null || valid_from <= atMs) && (valid_to === null || valid_to > atMs);
}

function sideOf({ transfers }: World, direction: Direction): string[] {
  const side = transfers.filter((row) => row.txid === txid).map(({ from, to }) => (direction === 'deposit' ? from : to));
  return [...new Set(side.filter((each) => each !== null))];
}

/** Facts from the world itself, without the engine. */
function factsOf({ labels, transfers }: World) {
  const inForce = labels.filter(isInForce);
  const labelsOf = (of: string): LabelRow[] => inForce.filter((row) => row.address === of);
  const between = transfers.filter(({ from, to }) => from !== null && to !== null && from !== to);
  // A transfer of nothing is no dealing.
  const moved = between.filter(({ usd }) => usd !== 0);
  const next = (of: string, side: 'in' | 'out'): string[] =>
    moved.flatMap(({ from, to }) => (side === 'out' ? (from === of ? [to as string] : []) : to === of ? [from as string] : []));
  const reachable = (of: string, side: 'in' | 'out'): Set<string> => {
    const seen = new Set<string>();
    const queue = next(of, side);
    for (const each of queue) {
      if (seen.has(each)) continue;
      seen.add(each);
      queue.push(...next(each, side));
    }
    return seen;
  };
  const isRisk = ({ category }: LabelRow): boolean => weightOf(category).risk_type !== undefined;
  const isToken = (of: string): boolean => labelsOf(of).some(({ category }) => canonicalCategory(category) === 'token');
  return { labelsOf, next, reachable, isRisk, isToken, between };
}

/** Fails when a statement claims more than the world has. Matches the printed words, independent of the report's code. */
function check({ text, finding }: Statement, report: Report, who: string[], world: World): void {
  const facts = factsOf(world);
  const one = report.kind === 'address' ? subject : report.worstAddress;
  const own = one === undefined ? [] : facts.labelsOf(one);
  const bears = (addresses: Iterable<string>, name: string): boolean =>
    [...addresses].some((each) => facts.labelsOf(each).some((row) => row.name === name && facts.isRisk(row)));
  const near = (side: 'in' | 'out'): string[] => who.flatMap((each) => facts.next(each, side));
  const far = (side: 'in' | 'out'): string[] => who.flatMap((each) => [...facts.reachable(each, side)]);
  const hasRisk = (addresses: string[]): boolean =>
    addresses.some((each) => weighLabels(facts.labelsOf(each)).labels.some((row) => weightOf(row.category).risk_type !== undefined));
  const named = /“(.+?)”/.exec(text)?.[1] ?? '';
  const self = text.includes(' is, or has ') ? who : [];
  const rules: [pattern: RegExp, holds: (match: RegExpExecArray) => boolean][] = [
    [
      /itself carries the label “(.+?)” \((.+?); source: (.+?); confidence (\d+) %/,
      ([, name, category, source, confidence]) =>
        own.some(
          (row) =>
            row.name === name &&
            row.source === source &&
            categoryWords(canonicalCategory(row.category)) === category &&
            String(row.confidence * 100) === confidence &&
            weightOf(row.category).own > 0,
        ),
    ],
    [
      /The sources contradict each other\. By (.+?) \(.+\. By (.+?) \(/,
      ([, vouching = '', accusing = '']) =>
        [vouching, accusing].every((sources, at) =>
          sources
            .split(', ')
            .every((source) => own.some((row) => row.source === source && (weightOf(row.category).service === true) === (at === 0))),
        ),
    ],
    [/carries no label of its own/, () => own.length === 0],
    [/No label of its own counts against/, () => own.length > 0 && own.every(({ category }) => weightOf(category).own === 0)],
    [/has paid to/, () => bears([...self, ...near('out')], named)],
    [/has received from/, () => bears([...self, ...near('in')], named)],
    [/of all that it sent leads to|Money that it sent leads to/, () => bears(far('out'), named)],
    [/of all that it received comes from|Money that it received comes from/, () => bears(far('in'), named)],
    [
      /(payments to|money received from) addresses labelled as ([a-z ]+?)(?:, a suspicion)?(?: the level|:|$)/,
      ([, verb, words]) =>
        near(verb === 'payments to' ? 'out' : 'in').some((each) =>
          facts.labelsOf(each).some(({ category }) => categoryWords(canonicalCategory(category)) === words),
        ),
    ],
    [
      /(came through others from|went on through others to) addresses labelled as ([a-z ]+?)(?:, a suspicion)?(?: the level|:|$)/,
      ([, verb, words]) =>
        far(verb === 'came through others from' ? 'in' : 'out').some((each) =>
          facts.labelsOf(each).some(({ category }) => categoryWords(canonicalCategory(category)) === words),
        ),
    ],
    [
      /its own label \(([a-z ]+?)(?:: (.+?))?\)/,
      ([, words, names = '']) =>
        names
          .split(', ')
          .every((name) =>
            own.some((row) => categoryWords(canonicalCategory(row.category)) === words && row.name === name.replace(/ and \d+ more$/, '')),
          ),
    ],
    [
      /Nothing is known of this address/,
      () => own.length === 0 && facts.between.every(({ from, to }) => from !== subject && to !== subject),
    ],
    [/Nothing is known of the (sending|receiving) side of this transaction|Nothing was known of the side/, () => who.length === 0],
    [/Nothing that is known adds|nothing is known against it|No finding adds points/, () => report.score === 3],
    [/no money moved between it and anyone with a risk label/, () => !hasRisk([...near('in'), ...near('out')])],
    [
      /no address of the side bears a risk label/,
      () =>
        !hasRisk([
          ...who,
          ...who
            .filter((each) => !facts.labelsOf(each).some(({ category }) => weightOf(category).service === true))
            .flatMap((each) => [...facts.next(each, 'in'), ...facts.next(each, 'out')]),
        ]),
    ],
    [/No transfer that .+ received is in the data/, () => facts.next(one ?? '', 'in').every(facts.isToken)],
    [/No transfer that .+ sent is in the data/, () => facts.next(one ?? '', 'out').every(facts.isToken)],
    [/no transfer is known, so nobody/, () => facts.between.every(({ from, to }) => from !== one && to !== one)],
    [/labelled as a service/, () => own.some(({ category }) => weightOf(category).service === true)],
    [
      /The score of .+ is (\d+) of 100\. Scores from (\d+) to (\d+) are the level (\w+)\./,
      ([, score, from, to, level]) =>
        Number(score) === report.score && report.score >= Number(from) && report.score <= Number(to) && level === report.level,
    ],
  ];
  for (const [pattern, holds] of rules) {
    const match = pattern.exec(text);
    if (match !== null) expect({ text, holds: holds(match) }).toEqual({ text, holds: true });
  }
  expect(text).not.toMatch(/known for|gravest|lives off|strong ties/);
  expect(isInResult({ text, finding, section: 'meaning' }, report), text).toBe(true);
}

/** Whether the finding that a statement names is one of the report's. */
function isInResult({ finding }: Statement, { grounds, labels, contradictions, exposures, sandbox }: Report): boolean {
  if (finding.kind === 'label') return labels.includes(finding.label);
  if (finding.kind === 'contradiction') return contradictions.includes(finding.contradiction);
  if (finding.kind === 'exposure') return exposures.includes(finding.exposure);
  if (finding.kind === 'contribution') return grounds?.contributions.some(({ key }) => key === finding.key) === true;
  if (finding.kind === 'counterfactual') return grounds?.counterfactuals.includes(finding.counterfactual) === true;
  return finding.kind !== 'predefined' || sandbox !== undefined;
}

/** Paragraphs and bullets of a document, without table cells. */
function sentencesOf(content: Content): string[] {
  if (typeof content === 'string') return [];
  if (Array.isArray(content)) return content.flatMap(sentencesOf);
  const node = content as { readonly text?: unknown; readonly style?: string; readonly stack?: Content[]; readonly ul?: Content[] };
  if (node.style === 'body' && typeof node.text === 'string') return [node.text];
  return [...(node.stack ?? []), ...(node.ul ?? [])].flatMap(sentencesOf);
}

const fixed = [
  ...method,
  transactionMethod,
  ...limits,
  'This report states what is known and is no legal advice.',
  'The transfers that carried most of the money between the entity and the address, in the order of time.',
];

function isFixed(sentence: string, { level, worstAddress }: Report): boolean {
  return (
    fixed.includes(sentence) ||
    sentence === `Suggested operation: ${levelWords[level].operation}.` ||
    sentence.startsWith(`Suggested operation for the level: ${levelWords[level].operation}.`) ||
    sentence === `The address: ${worstAddress}` ||
    /^(Shares are|A direct entity is) .+ Dark bars are direct dealings/.test(sentence)
  );
}

describe('labels that contradict each other', () => {
  const service = { probability: 0.9216, categories: ['exchange'], sources: ['one', 'two'] };
  const accusation = { probability: 0.4, categories: ['theft'], sources: ['a crawl'] };
  it.each([
    ['service', 'The first counts, and a person has to look at the second.'],
    ['accusation', 'The second counts, so the first vouches for nothing.'],
  ] as const)('are said with both claims where the %s counts', (standing, said) => {
    const contradiction = { standing, service, accusation };
    const statements = statementsOf(reportOf(undefined, { contradictions: [contradiction] }));
    expect(statements.filter(({ finding }) => finding.kind === 'contradiction')).toEqual([
      {
        section: 'meaning',
        finding: { kind: 'contradiction', contradiction },
        text: `The sources contradict each other. By one, two (exchange; probability 92 %): this address is a service. By a crawl (stolen funds; probability 40 %): it is to be accused. ${said}`,
      },
    ]);
  });
});

describe('every sentence of a report follows from a finding', () => {
  it(`in reports of random labels and transfers (seed ${seed})`, async () => {
    const kinds = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(worlds, async (world) => {
        for (const { report, who } of await reportsOf(world)) {
          const statements = statementsOf(report);
          for (const statement of statements) {
            check(statement, report, who, world);
            kinds.set(statement.finding.kind, (kinds.get(statement.finding.kind) ?? 0) + 1);
          }
        }
      }),
      { seed, numRuns: 300 },
    );
    for (const kind of ['level', 'coverage', 'contribution', 'counterfactual', 'label', 'exposure', 'side']) {
      expect(kinds.get(kind), kind).toBeGreaterThan(50);
    }
    expect(kinds.get('contradiction')).toBeGreaterThan(0);
  });

  it('and a document has no other sentences, but for those of every report', async () => {
    await fc.assert(
      fc.asyncProperty(worlds, async (world) => {
        for (const { report } of await reportsOf(world)) {
          const statements = statementsOf(report);
          const printed = sentencesOf(documentOf(report).content);
          expect(printed.filter((sentence) => !statements.some(({ text }) => text === sentence) && !isFixed(sentence, report))).toEqual([]);
        }
      }),
      { seed, numRuns: 30 },
    );
  });
});
