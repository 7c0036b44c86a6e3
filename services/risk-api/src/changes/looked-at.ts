import type { RiskStore, Side } from '@weir/risk-engine';

/** What a score looked at: addresses, and of each which side (0: received, 1: sent) or that its own labels count (2); and transactions (3). */
export interface LookedAt {
  readonly addresses: readonly string[];
  readonly sides: readonly number[];
}

const sideNumbers: Readonly<Record<Side, number>> = { in: 0, out: 1 };
const ownLabels = 2;
const transaction = 3;
const none = Symbol('no dealings');

/**
 * A store that notes what one score asks it. A score depends on the labels of an address when these were asked for before any dealings (the subject's
 * own, or those of a transaction's legs), and else only through the counterparties of a side that was looked at: what no such side lists has no part
 * in it. A side whose counterparties' labels nobody wanted, as of a service, counts for nothing. One without dealings does: it may get some.
 */
export function noting(store: RiskStore): { store: RiskStore; lookedAt: () => LookedAt } {
  const roots = new Set<string>();
  const asked = new Set<string>();
  const transactions = new Set<string>();
  // By address a counterparty, which stands for all of that side: their labels are asked for together. `none`: it has no dealings.
  const sides: Readonly<Record<Side, Map<string, string | typeof none | undefined>>> = { in: new Map(), out: new Map() };
  const hasDealings = (): boolean => sides.in.size + sides.out.size > 0;
  return {
    store: {
      labelsOf: (chain, addresses, atMs) => {
        const to = hasDealings() ? asked : roots;
        for (const address of addresses) to.add(address);
        return store.labelsOf(chain, addresses, atMs);
      },
      dealings: async (chain, addresses, side, largest) => {
        for (const address of addresses) sides[side].set(address, largest > 0 ? none : undefined);
        const found = await store.dealings(chain, addresses, side, largest);
        for (const [address, { items }] of found) sides[side].set(address, items[0]?.address);
        return found;
      },
      transfersOf: (chain, txid) => {
        transactions.add(txid);
        return store.transfersOf(chain, txid);
      },
    },
    lookedAt: () => {
      const looks = [...roots].map((address): readonly [string, number] => [address, ownLabels]);
      for (const side of ['in', 'out'] as const) {
        for (const [address, peer] of sides[side])
          if (peer === none || (peer !== undefined && (asked.has(peer) || roots.has(peer)))) looks.push([address, sideNumbers[side]]);
      }
      for (const txid of transactions) looks.push([txid, transaction]);
      return { addresses: looks.map(([address]) => address), sides: looks.map(([, side]) => side) };
    },
  };
}
