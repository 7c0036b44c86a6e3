/** What is known of an address: who it is, since when, and how sure the source is. */
export interface Label {
  readonly name: string;
  /** A category of `weights.json` or one of its aliases; anything else counts as ordinary. */
  readonly category: string;
  /** 0 to 1. Below `suspected_below` of `weights.json` a label is a suspicion. */
  readonly confidence: number;
  readonly source: string;
}

/** Value moved, over any number of transfers. Transfers without a known value are counted, not valued. */
export interface Flow {
  /** Sum over the transfers whose value is known, in USD. */
  readonly usd: number;
  readonly transfers: number;
  /** How many of `transfers` have no known value. */
  readonly unknownTransfers: number;
}

/** `in`: what an address received; `out`: what it sent. */
export type Side = 'in' | 'out';

/** All transfers between an address and one other, on one side. */
export interface Counterparty extends Flow {
  readonly address: string;
}

/** One side of an address: all it received, or all it sent. */
export interface Dealings {
  /** Over every counterparty, those left out of `items` too. */
  readonly total: Flow;
  /** Every labelled counterparty up to the store's bound, and the largest others; by volume, largest first. */
  readonly items: readonly Counterparty[];
}

/** One movement inside a transaction. `null` stands for nobody: minting, burning, coinbase. */
export interface Leg {
  readonly from: string | null;
  readonly to: string | null;
  readonly usd: number | null;
}

/**
 * Where facts come from. Zero and burn addresses are nobody: a store never gives them labels and never lists them as a
 * counterparty, nor an address as its own; no total counts such transfers.
 */
export interface RiskStore {
  /** Labels valid at `atMs` (Unix milliseconds); addresses without any are absent. */
  labelsOf(chain: string, addresses: readonly string[], atMs: number): Promise<ReadonlyMap<string, readonly Label[]>>;
  /**
   * The given side of each address, with at most `largest` unlabelled counterparties each; addresses without dealings are absent.
   * Labelled is who has a label of any time. At most 2,000 addresses a call.
   */
  dealings(chain: string, addresses: readonly string[], side: Side, largest: number): Promise<ReadonlyMap<string, Dealings>>;
  /** The movements of a transaction; empty when it is not known. */
  transfersOf(chain: string, txid: string): Promise<readonly Leg[]>;
}
