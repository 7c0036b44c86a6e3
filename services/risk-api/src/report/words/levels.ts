import type { Level } from '@weir/risk-engine';
import type { Report } from '../report.ts';

export interface LevelWords {
  readonly band: string;
  /** The specification's words. */
  readonly operation: string;
  /** Dark enough for white text on it and for itself on white: a contrast of 4.5 at least. */
  readonly colour: string;
  readonly meaning: string;
}

/** Worst first. */
export const levelWords: Readonly<Record<Level, LevelWords>> = {
  Severe: {
    band: '91 to 100',
    operation: 'Prohibit withdrawals and trading; report the address immediately',
    colour: '#a81c1c',
    meaning: 'is itself known for the gravest risks, sanctions, theft or other crime, or lives off them.',
  },
  High: {
    band: '71 to 90',
    operation: 'Keep high-level surveillance; analyse transactions further',
    colour: '#b3490b',
    meaning: 'has strong ties to serious risks. A person should look at where its funds come from and go to before they move on.',
  },
  Moderate: {
    band: '31 to 70',
    operation: 'Moderate supervision',
    colour: '#80650a',
    meaning: 'has ties to risks that are limited in size, in gravity or in certainty.',
  },
  Low: {
    band: '0 to 30',
    operation: 'Minimal supervision',
    colour: '#2b6e3f',
    meaning: 'has nothing known against it that weighs much. Low says what is known, and is no statement that the funds are clean.',
  },
};

/** Where nothing is known no colour may look like a good result. */
const unknownColour = '#5a6472';

export function colourOf({ level, coverage }: Pick<Report, 'level' | 'coverage'>): string {
  return coverage === 'none' ? unknownColour : levelWords[level].colour;
}

/** What the level says of this subject, in a sentence or two. */
export function meaningOf(report: Report): string {
  const who = report.kind === 'address' ? 'This address' : `The ${scoredSide(report)} of this transaction`;
  if (report.coverage === 'none') {
    return `Nothing is known of this ${report.kind === 'address' ? 'address' : 'transaction'}: there is no label and no transfer of it in the data. Low is the level of what nothing speaks against; here nothing speaks for it either.`;
  }
  return `${who} ${levelWords[report.level].meaning}`;
}

/** Of a transaction: whose risk is told. */
export function scoredSide({ direction }: Pick<Report, 'direction'>): string {
  return direction === 'deposit' ? 'sending side' : 'receiving side';
}
