/** A source's claim about an address. */
export interface Label {
  readonly name: string;
  /** Of `weights.json`, or an alias; others count as ordinary. */
  readonly category: string;
  /** 0 to 1. Below `suspected_below` of `weights.json` it is a suspicion. */
  readonly confidence: number;
  readonly source: string;
}

/** Any number of transfers. */
export interface Flow {
  /** Sum of the known values, USD. */
  readonly usd: number;
  readonly transfers: number;
  /** Part of `transfers`. */
  readonly unknownTransfers: number;
}

/** `in`: received; `out`: sent. */
export type Side = 'in' | 'out';

/** All transfers with one address, on one side. */
export interface Counterparty extends Flow {
  readonly address: string;
}

export interface Flows {
  /** Over every counterparty, also those absent from `items`. */
  readonly total: Flow;
  /** Labelled counterparties up to the store's bound, and the largest others; largest volume first. */
  readonly items: readonly Counterparty[];
}

/** `null`: minting, burning or coinbase. */
export interface Leg {
  readonly from: string | null;
  readonly to: string | null;
  readonly usd: number | null;
}

/** Zero and burn addresses belong to no one: they have no labels or flows, are no counterparty, and count in no total. */
export interface RiskStore {
  /** Valid at `atMs` (Unix milliseconds); addresses without labels are absent. */
  labelsOf(chain: string, addresses: readonly string[], atMs: number): Promise<ReadonlyMap<string, readonly Label[]>>;
  /**
   * At most `largest` unlabelled counterparties per address; addresses without flows are absent.
   * A label of any time counts as labelled. At most 2,000 addresses per call.
   */
  flows(chain: string, addresses: readonly string[], side: Side, largest: number): Promise<ReadonlyMap<string, Flows>>;
  /** Empty for an unknown transaction. */
  transfersOf(chain: string, txid: string): Promise<readonly Leg[]>;
}
