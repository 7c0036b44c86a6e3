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

/** All transfers between the subject and one other address, in one direction. */
export interface Counterparty extends Flow {
  readonly address: string;
  /** `in`: the subject received from it; `out`: the subject sent to it. */
  readonly direction: 'in' | 'out';
}

export interface Counterparties {
  /** Over every counterparty in both directions, those left out of `items` too. */
  readonly total: Flow;
  /** Labelled ones first, then by volume; a store may leave out unlabelled ones past a bound of its own. */
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
 * counterparty, nor an address as its own.
 */
export interface RiskStore {
  /** Labels valid at `atMs` (Unix milliseconds); addresses without any are absent. */
  labelsOf(chain: string, addresses: readonly string[], atMs: number): Promise<ReadonlyMap<string, readonly Label[]>>;
  counterparties(chain: string, address: string, atMs: number): Promise<Counterparties>;
  /** The movements of a transaction; empty when it is not known. */
  transfersOf(chain: string, txid: string): Promise<readonly Leg[]>;
}
