import type { Chain } from '@weir/chains';
import { optional, readRows, required } from './rows.ts';

/** What kind of owner or event a label names. `token` marks contracts of coins, which are not counterparties. */
export type SampleCategory =
  | 'sanctioned'
  | 'mixer'
  | 'exchange'
  | 'risk_exchange'
  | 'bridge'
  | 'defi'
  | 'gambling'
  | 'phishing'
  | 'theft'
  | 'ransom'
  | 'scam'
  | 'darknet'
  | 'service'
  | 'token'
  | 'ordinary';

/** One statement of one source about one address. An address may have several; none means that nothing is known. */
export interface SampleLabel {
  readonly chain: Chain;
  /** Normalised as `parseAddress` does. */
  readonly address: string;
  readonly name: string;
  readonly category: SampleCategory;
  /** ISO date from which the statement holds; null when the source gives none. */
  readonly validFrom: string | null;
  /** ISO date on which it stopped to hold, e.g. the day of a delisting; null while it holds. */
  readonly validTo: string | null;
  /** 0 to 1. */
  readonly confidence: number;
  readonly source: string;
}

/** The labels, sorted by chain, address and category. */
export async function* sampleLabels(): AsyncGenerator<SampleLabel> {
  for await (const row of readRows('labels.csv')) {
    yield {
      chain: required(row, 'chain') as Chain,
      address: required(row, 'address'),
      name: required(row, 'name'),
      category: required(row, 'category') as SampleCategory,
      validFrom: optional(row, 'valid_from'),
      validTo: optional(row, 'valid_to'),
      confidence: Number(required(row, 'confidence')),
      source: required(row, 'source'),
    };
  }
}
