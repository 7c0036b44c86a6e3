import type { Chain } from '@weir/chains';
import { optional, readRows, required } from './rows.ts';

/** The kind of owner or event. `token` marks coin contracts, which are no counterparties. */
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

/** One source's statement about one address, which may have several. */
export interface SampleLabel {
  readonly chain: Chain;
  /** Normalised as `parseAddress` does. */
  readonly address: string;
  readonly name: string;
  readonly category: SampleCategory;
  /** ISO date from which it is valid; null when the source gives none. */
  readonly valid_from: string | null;
  /** ISO date from which it is no longer valid, e.g. of a delisting; null while valid. */
  readonly valid_to: string | null;
  /** 0 to 1. */
  readonly confidence: number;
  readonly source: string;
  readonly source_kind: 'authority' | 'curated';
}

/** Sorted by chain, address and category. */
export async function* sampleLabels(): AsyncGenerator<SampleLabel> {
  for await (const row of readRows('labels.csv')) {
    const source = required(row, 'source');
    yield {
      chain: required(row, 'chain') as Chain,
      address: required(row, 'address'),
      name: required(row, 'name'),
      category: required(row, 'category') as SampleCategory,
      valid_from: optional(row, 'valid_from'),
      valid_to: optional(row, 'valid_to'),
      confidence: Number(required(row, 'confidence')),
      source,
      source_kind: source.startsWith('OFAC SDN') ? 'authority' : 'curated',
    };
  }
}
