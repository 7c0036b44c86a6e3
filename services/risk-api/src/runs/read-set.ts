import type { RiskStore, Side } from '@weir/risk-engine';

/** The read set of a score. For each address: a side (0: received, 1: sent), or its own labels (2). Also transactions (3). */
export interface ReadSet {
  readonly addresses: readonly string[];
  readonly sides: readonly number[];
}

const sideNumbers: Readonly<Record<Side, number>> = { in: 0, out: 1 };
const ownLabels = 2;
const transaction = 3;

/**
 * Records the read set of one score. An address whose history was read stands for both of its sides, and so for the labels of all its
 * counterparties. By their own labels count the subject, or the legs of a transaction, and whoever was met in another transaction. The sums of
 * a side decide only whether there is any transfer, so a side counts until it has one.
 */
export function recordReads(store: RiskStore): { store: RiskStore; readSet: () => ReadSet } {
  const labelled = new Set<string>();
  const transactions = new Set<string>();
  const histories = new Set<string>();
  const empty: Readonly<Record<Side, Set<string>>> = { in: new Set(), out: new Set() };
  return {
    store: {
      hasContracts: (chain) => store.hasContracts(chain),
      labelsOf: (chain, addresses, atMs) => {
        if (histories.size === 0) for (const address of addresses) labelled.add(address);
        return store.labelsOf(chain, addresses, atMs);
      },
      flows: async (chain, addresses, side) => {
        const found = await store.flows(chain, addresses, side);
        for (const address of addresses) if (!found.has(address)) empty[side].add(address);
        return found;
      },
      histories: (chain, requests, bounds) => {
        for (const { address } of requests) histories.add(address);
        return store.histories(chain, requests, bounds);
      },
      movementsIn: async (chain, txids) => {
        for (const txid of txids) transactions.add(txid);
        const found = await store.movementsIn(chain, txids);
        for (const { from, to } of [...found.values()].flat()) labelled.add(from).add(to);
        return found;
      },
      mintsIn: (chain, txids) => {
        for (const txid of txids) transactions.add(txid);
        return store.mintsIn(chain, txids);
      },
      receiptsOf: (chain, holdings) => {
        for (const { address } of holdings) histories.add(address);
        return store.receiptsOf(chain, holdings);
      },
      transfersOf: (chain, txid) => {
        transactions.add(txid);
        return store.transfersOf(chain, txid);
      },
      drawKey: () => store.drawKey(),
    },
    readSet: () => {
      const looks = [...labelled].map((address): readonly [string, number] => [address, ownLabels]);
      for (const side of ['in', 'out'] as const)
        for (const address of histories.union(empty[side])) looks.push([address, sideNumbers[side]]);
      for (const txid of transactions) looks.push([txid, transaction]);
      return { addresses: looks.map(([address]) => address), sides: looks.map(([, side]) => side) };
    },
  };
}
