import { canonicalCategory, type Label, type RiskType, type Side } from '@weir/risk-engine';
import type { Grounds, Report } from '../report.ts';
import type { Statement } from './statement.ts';

/** Sentence forms of the categories of `weights.json`; others appear by their own name. */
const categories: Readonly<Record<string, string>> = {
  sanctioned: 'sanctioned entities',
  terrorism: 'financiers of terrorism',
  theft: 'stolen funds',
  ransom: 'ransom payments',
  phishing: 'phishing schemes',
  darknet: 'darknet markets',
  scam: 'scams',
  illicit: 'other crime',
  mixer: 'mixers',
  risk_exchange: 'exchanges that do not know their customers',
  gambling: 'gambling sites',
  bridge: 'bridges',
};

export const riskTypeWords: Readonly<Record<RiskType, string>> = {
  sanctioned_entity: 'Sanctioned entity',
  illicit_activity: 'Illicit activity',
  mixer: 'Mixer',
  gambling: 'Gambling',
  risk_exchange: 'Risk exchange',
  bridge: 'Bridge',
};

const maxNames = 3;

export function categoryWords(category: string): string {
  return Object.hasOwn(categories, category) ? (categories[category] ?? category) : category;
}

/** Floors and caps of a side. */
const limitWords: Readonly<Record<string, string>> = {
  'in:floor:illicit_usd': 'the least score for illicit money of this value, however much other money there is',
  'in:floor:direct_usd': 'the least score for money of this value straight from labelled addresses',
  'in:floor:unread': 'money that was not followed to its source and could raise the level',
  'in:cap:dust': 'the limit for small sums and for unknown values received',
  'in:cap:refund': 'the limit for money that a possible victim got back',
  'out:floor:refused': 'the least score for payments to sanctioned entities',
  'out:floor:unread': 'money that was not followed to its use and could raise the level',
  'out:cap:dust': 'the limit for small sums paid',
  'out:cap:victim': 'the limit for payments by a possible victim',
  'out:cap:no_contact': 'the limit where such addresses were paid through others only',
};

const dealingWords = {
  in: { direct: 'money received from', traced: 'money that came through others from' },
  out: { direct: 'payments to', traced: 'money that went on through others to' },
} as const;

/** A contribution as a noun phrase. It cites the label and does not claim that the label is right. */
export function findingWords(key: string, labels: readonly Label[]): string {
  const limit = limitWords[key];
  if (limit !== undefined) return limit;
  const [, side, link, name = ''] = /^(in|out):(direct|traced):(.+)$/.exec(key) ?? [];
  if ((side === 'in' || side === 'out') && (link === 'direct' || link === 'traced')) return dealings(side, link, name);
  const category = key.slice(key.indexOf(':') + 1);
  if (key === 'own:contested') return 'the accusation of a service whose other labels are more probable';
  if (key.startsWith('own:')) return `${bearerOf(category, labels)} (${categoryWords(category)}${namesOf(category, labels)})`;
  return 'the lowest score there is, which everybody has';
}

function dealings(side: Side, link: 'direct' | 'traced', category: string): string {
  const suspected = category.endsWith('?') ? ', a suspicion' : '';
  return `${dealingWords[side][link]} addresses labelled as ${categoryWords(category.replace(/\?$/, ''))}${suspected}`;
}

function bearerOf(category: string, labels: readonly Label[]): string {
  const same = labels.filter((label) => canonicalCategory(label.category) === category);
  const isShared = same.length > 0 && same.every(({ via }) => via !== undefined);
  return isShared ? 'the label of an address that signed transactions together with it' : 'its own label';
}

function namesOf(category: string, labels: readonly Label[]): string {
  const names = [...new Set(labels.filter((label) => canonicalCategory(label.category) === category).map(({ name }) => name))];
  if (names.length === 0) return '';
  const more = names.length > maxNames ? ` and ${names.length - maxNames} more` : '';
  return `: ${names.slice(0, maxNames).join(', ')}${more}`;
}

/** Changes of the level without a finding. For a transaction, findings and level are those of its worst address. */
export function counterfactualStatements({ contributions, counterfactuals }: Grounds, { kind, level, score, labels }: Report): Statement[] {
  const its = kind === 'address' ? 'the level' : 'the level of the address that scored worst';
  if (contributions.length <= 1) {
    return [{ section: 'score', finding: { kind: 'contributions' }, text: 'No finding adds points, so none can be left out.' }];
  }
  if (counterfactuals.length === 0) {
    const text = `No finding alone decides: without any one of them ${its} would still be ${level}.`;
    return [{ section: 'score', finding: { kind: 'contributions' }, text }];
  }
  return counterfactuals.map((counterfactual) => ({
    section: 'score',
    finding: { kind: 'counterfactual', counterfactual },
    text: `Without ${findingWords(counterfactual.without, labels)} ${its} would be ${counterfactual.level} (score ${counterfactual.score}) and not ${level} (${score}).`,
  }));
}

/** Points with one decimal that still add up to the score: the leftover tenths go to the largest remainders. */
export function tenths(points: readonly number[]): number[] {
  const exact = points.map((value) => value * 10);
  const floors = exact.map((value) => Math.floor(value + 1e-9));
  const missing = Math.round(exact.reduce((sum, value) => sum + value, 0)) - floors.reduce((sum, value) => sum + value, 0);
  const byRemainder = exact
    .map((value, index) => ({ index, rest: value - (floors[index] ?? 0) }))
    .toSorted((a, b) => b.rest - a.rest || a.index - b.index);
  for (const { index } of byRemainder.slice(0, Math.max(missing, 0))) floors[index] = (floors[index] ?? 0) + 1;
  return floors.map((value) => value / 10);
}
