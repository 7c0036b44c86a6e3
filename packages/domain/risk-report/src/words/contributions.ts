/** Only type imports: the pages of the console use these words, too. */
import type { Side } from '@weir/risk-engine';

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

/**
 * A contribution as a noun phrase. It cites the label and does not claim that the label is right. `bearerOf` says whose the label of the
 * category is, and what it is.
 */
export function contributionWords(key: string, bearerOf: (category: string) => string = ownLabelOf): string {
  const limit = limitWords[key];
  if (limit !== undefined) return limit;
  const [, side, link, name = ''] = /^(in|out):(direct|traced):(.+)$/.exec(key) ?? [];
  if ((side === 'in' || side === 'out') && (link === 'direct' || link === 'traced')) return dealings(side, link, name);
  if (key === 'own:contested') return 'the accusation of a service whose other labels are more probable';
  if (key.startsWith('own:')) return bearerOf(key.slice(key.indexOf(':') + 1));
  // Another risk service may have keys of its own.
  return key === 'base' ? 'the lowest score there is, which everybody has' : key;
}

function ownLabelOf(category: string): string {
  return `its own label (${categoryWords(category)})`;
}

function dealings(side: Side, link: 'direct' | 'traced', category: string): string {
  const suspected = category.endsWith('?') ? ', a suspicion' : '';
  return `${dealingWords[side][link]} addresses labelled as ${categoryWords(category.replace(/\?$/, ''))}${suspected}`;
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
