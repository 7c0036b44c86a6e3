import type { Level } from '@weir/risk-engine';
import type { Report } from '../report.ts';

export interface LevelWords {
  readonly band: string;
  /** The specification's words. */
  readonly operation: string;
  /** Contrast of at least 4.5 with white, as text and as background. */
  readonly colour: string;
}

/** Worst first. */
export const levelWords: Readonly<Record<Level, LevelWords>> = {
  Severe: {
    band: '91 to 100',
    operation: 'Prohibit withdrawals and trading; report the address immediately',
    colour: '#a81c1c',
  },
  High: {
    band: '71 to 90',
    operation: 'Keep high-level surveillance; analyse transactions further',
    colour: '#b3490b',
  },
  Moderate: {
    band: '31 to 70',
    operation: 'Moderate supervision',
    colour: '#80650a',
  },
  Low: {
    band: '0 to 30',
    operation: 'Minimal supervision',
    colour: '#2b6e3f',
  },
};

/** With nothing known, no colour may look like a good result. */
const unknownColour = '#5a6472';

export function colourOf({ level, coverage }: Pick<Report, 'level' | 'coverage'>): string {
  return coverage === 'none' ? unknownColour : levelWords[level].colour;
}

/** The side of a transaction that is scored. */
export function scoredSide({ direction }: Pick<Report, 'direction'>): string {
  return direction === 'deposit' ? 'sending side' : 'receiving side';
}
