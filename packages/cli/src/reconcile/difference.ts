/** A difference between the database and something outside it, or within. */
export interface Difference {
  readonly about: 'transfers' | 'screenings' | 'decisions' | 'permits' | 'audit' | 'broker' | 'budget';
  /** `mended`: it is gone, or would be without `--dry-run`. `named`: a person must look. */
  readonly state: 'mended' | 'named';
  readonly detail: string;
}

/** At most this many single items are named. */
export const mostNamed = 100;
