/** How a source knows: it lists by law, owns the address, examines each entry, or collects what others say. */
export type SourceKind = 'authority' | 'owner' | 'curated' | 'crawl';

/** A source's claim about an address. */
export interface Label {
  readonly name: string;
  /** Of `weights.json`, or an alias; others count as ordinary. */
  readonly category: string;
  /** 0 to 1. Below `suspected_below` of `weights.json` it is a suspicion. */
  readonly confidence: number;
  readonly source: string;
  /** Absent: curated. */
  readonly source_kind?: SourceKind;
  /** The label is another address's, which signed transactions together with this one. */
  readonly via?: LabelVia;
}

interface LabelVia {
  /** With the label. */
  readonly address: string;
  /** All addresses that signed together, also through others. */
  readonly addresses: number;
  /** A transaction that this address signed together with others. Absent where the store has none. */
  readonly txid?: string;
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
  /** Labelled counterparties up to the store's bound, largest volume first. */
  readonly items: readonly Counterparty[];
}

/** `null`: minting, burning or coinbase. */
export interface Leg {
  readonly from: string | null;
  readonly to: string | null;
  readonly usd: number | null;
  /** As in a movement. */
  readonly at: number;
  readonly position: number;
  readonly coin: string;
}

/** One transfer between two addresses, with its time. */
export interface Movement {
  /** Unix milliseconds. */
  readonly at: number;
  readonly tx: string;
  /** Unique in its transaction for each coin; rises in the order of execution. */
  readonly position: number;
  readonly from: string;
  readonly to: string;
  /** `null`: unknown. */
  readonly usd: number | null;
  readonly coin: string;
  /** In the coin, decimal. Absent or `null`: unknown. */
  readonly amount?: string | null;
  /** Strangers signed its transaction, and nobody knows whose money is whose. */
  readonly coin_join?: true;
}

/** `past`: transfers at or before `at` (Unix milliseconds). `future`: at or after it. */
export interface HistoryRequest {
  readonly address: string;
  readonly at: number;
  readonly towards: 'past' | 'future';
}

/** For each side of an address. */
export interface HistoryBounds {
  /** By known USD. */
  readonly largest: number;
  /** By distance in time from the request's `at`. */
  readonly nearest: number;
}

export interface History {
  /** Both sides, each transfer once, in any order; none from an address to itself. */
  readonly movements: readonly Movement[];
  /**
   * Transfers not listed. None if a side has at most `largest` + `nearest` in the requested time; they are then all listed.
   * Otherwise the sum of the side's whole life less those listed, so it may count transfers outside the requested time.
   */
  readonly rest: Readonly<Record<Side, Flow>>;
  /** Distinct counterparties of the whole life. */
  readonly peers: Readonly<Record<Side, number>>;
}

/** A token changes hands, as the shares of a vault do, whose coin is its own address. `null`: minted or burnt. */
export interface VaultShare {
  readonly tx: string;
  readonly at: number;
  readonly coin: string;
  readonly from: string | null;
  readonly to: string | null;
}

/** Who holds shares of a vault, and until when (Unix milliseconds). */
export interface Holding {
  readonly address: string;
  readonly coin: string;
  readonly at: number;
}

/** Zero and burn addresses belong to no one: they have no labels or flows, are no counterparty, and count in no total. */
export interface RiskStore {
  /** Whether contracts pay and are paid on the chain. */
  hasContracts(chain: string): boolean;
  /** Valid at `atMs` (Unix milliseconds); addresses without labels are absent. */
  labelsOf(chain: string, addresses: readonly string[], atMs: number): Promise<ReadonlyMap<string, readonly Label[]>>;
  /** A label of any time counts. Addresses without flows are absent. At most 2,000 addresses per call. */
  flows(chain: string, addresses: readonly string[], side: Side): Promise<ReadonlyMap<string, Flows>>;
  /** Addresses without any transfer are absent. At most one request per address and 2,000 per call. Counts the transfers that `flows` counts. */
  histories(chain: string, requests: readonly HistoryRequest[], bounds: HistoryBounds): Promise<ReadonlyMap<string, History>>;
  /** Transfers between two addresses of each transaction. Unknown ones, and those with more than 1,000, are absent. At most 2,000 per call. */
  movementsIn(chain: string, txids: readonly string[]): Promise<ReadonlyMap<string, readonly Movement[]>>;
  /** What was minted or burnt in the transactions, at most 1,000 of each. At most 2,000 per call. */
  mintsIn(chain: string, txids: readonly string[]): Promise<readonly VaultShare[]>;
  /** The last 20 receipts of each. At most 2,000 per call. */
  receiptsOf(chain: string, holdings: readonly Holding[]): Promise<readonly VaultShare[]>;
  /** Empty for an unknown transaction. */
  transfersOf(chain: string, txid: string): Promise<readonly Leg[]>;
  /** Secret, and always the same. Small payers are drawn by it, so that whoever makes them cannot compute which. */
  drawKey(): Promise<Uint8Array>;
}
