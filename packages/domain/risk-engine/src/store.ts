/** A source's claim about an address. */
export interface Label {
  readonly name: string;
  /** A category of `weights.json` or one of its aliases; anything else counts as ordinary. */
  readonly category: string;
  /** 0 to 1. Below `suspected_below` of `weights.json` a label is a suspicion. */
  readonly confidence: number;
  readonly source: string;
}

/** Value moved in any number of transfers. Those without a known value are only counted. */
export interface Flow {
  /** Sum of the known values, USD. */
  readonly usd: number;
  readonly transfers: number;
  /** The part of `transfers` without a known value. */
  readonly unknownTransfers: number;
}

/** `in`: received by the address; `out`: sent by it. */
export type Side = 'in' | 'out';

/** All transfers with one other address, on one side. */
export interface Counterparty extends Flow {
  readonly address: string;
}

/** One side of an address. */
export interface Dealings {
  /** Over every counterparty, also those absent from `items`. */
  readonly total: Flow;
  /** Every labelled counterparty up to the store's bound, and the largest others; by volume, largest first. */
  readonly items: readonly Counterparty[];
}

/** One movement inside a transaction. `null`: minting, burning or coinbase. */
export interface Leg {
  readonly from: string | null;
  readonly to: string | null;
  readonly usd: number | null;
}

/**
 * The source of labels and flows. Zero and burn addresses are no one's:
 * a store gives them no labels and flows, lists them as no counterparty, and counts their transfers in no total.
 */
export interface RiskStore {
  /** Labels valid at `atMs` (Unix milliseconds); addresses without any are absent. */
  labelsOf(chain: string, addresses: readonly string[], atMs: number): Promise<ReadonlyMap<string, readonly Label[]>>;
  /**
   * One side of each address, with at most `largest` unlabelled counterparties each; addresses without flows are absent.
   * A label of any time makes a counterparty labelled. At most 2,000 addresses per call.
   */
  dealings(chain: string, addresses: readonly string[], side: Side, largest: number): Promise<ReadonlyMap<string, Dealings>>;
  /** Empty for an unknown transaction. */
  transfersOf(chain: string, txid: string): Promise<readonly Leg[]>;
}
