import type { RiskStore, Side } from '@weir/risk-engine';

/** The read set of a score. For each address: a side (0: received, 1: sent), or its own labels (2). Also transactions (3). */
export interface ReadSet {
  readonly addresses: readonly string[];
  readonly sides: readonly number[];
}

const sideNumbers: Readonly<Record<Side, number>> = { in: 0, out: 1 };
const ownLabels = 2;
const transaction = 3;
const none = Symbol('no dealings');

/**
 * Records the read set of one score. Labels read before any flows count for their own address: the subject, or the legs of a transaction.
 * Others count through the side that listed their bearer. A side whose counterparties' labels were never read does not count. One without
 * flows does, because it may get some.
 */
export function recordReads(store: RiskStore): { store: RiskStore; readSet: () => ReadSet } {
  const roots = new Set<string>();
  const asked = new Set<string>();
  const transactions = new Set<string>();
  /** Read with both sides, and so with the labels of all counterparties. */
  const whole = new Set<string>();
  // One counterparty for each address stands for the whole side, because their labels are read together. `none`: the side is empty.
  const sides: Readonly<Record<Side, Map<string, string | typeof none | undefined>>> = { in: new Map(), out: new Map() };
  const hasDealings = (): boolean => sides.in.size + sides.out.size + whole.size > 0;
  return {
    store: {
      labelsOf: (chain, addresses, atMs) => {
        const to = hasDealings() ? asked : roots;
        for (const address of addresses) to.add(address);
        return store.labelsOf(chain, addresses, atMs);
      },
      flows: async (chain, addresses, side, largest) => {
        for (const address of addresses) sides[side].set(address, largest > 0 ? none : undefined);
        const found = await store.flows(chain, addresses, side, largest);
        for (const [address, { items }] of found) sides[side].set(address, items[0]?.address);
        return found;
      },
      histories: async (chain, requests, bounds) => {
        for (const { address } of requests) whole.add(address);
        return (await store.histories?.(chain, requests, bounds)) ?? new Map();
      },
      movementsIn: async (chain, txids) => {
        for (const txid of txids) transactions.add(txid);
        return (await store.movementsIn?.(chain, txids)) ?? new Map();
      },
      transfersOf: (chain, txid) => {
        transactions.add(txid);
        return store.transfersOf(chain, txid);
      },
    },
    readSet: () => {
      const looks = [...roots].map((address): readonly [string, number] => [address, ownLabels]);
      for (const side of ['in', 'out'] as const) {
        for (const [address, peer] of sides[side])
          if (!whole.has(address) && (peer === none || (peer !== undefined && (asked.has(peer) || roots.has(peer)))))
            looks.push([address, sideNumbers[side]]);
        for (const address of whole) looks.push([address, sideNumbers[side]]);
      }
      for (const txid of transactions) looks.push([txid, transaction]);
      return { addresses: looks.map(([address]) => address), sides: looks.map(([, side]) => side) };
    },
  };
}
