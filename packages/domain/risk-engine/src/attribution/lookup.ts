import type { Flows, History, HistoryBounds, HistoryRequest, Label, Movement, RiskStore, Side } from '../store.ts';

/** Bounds the parameters of a statement. */
const addressesPerCall = 2_000;
/** Unlabelled counterparties. Shares add up to one, so a level needs at most three such calls per subject, mostly one. */
const rowsPerCall = 20_000;

/** A store at one chain and time. */
export interface Lookup {
  /** Returns at least the labels of `addresses`; addresses without any are absent. Fetches each once. */
  labelsOf(addresses: Iterable<string>): Promise<ReadonlyMap<string, readonly Label[]>>;
  /** `wanted`: unlabelled counterparties that each address needs; it may get more. */
  flows(wanted: ReadonlyMap<string, number>, side: Side): Promise<ReadonlyMap<string, Flows>>;
  histories(requests: readonly HistoryRequest[], bounds: HistoryBounds): Promise<ReadonlyMap<string, History>>;
  movementsIn(txids: readonly string[]): Promise<ReadonlyMap<string, readonly Movement[]>>;
}

export function createLookup(store: RiskStore, chain: string, atMs: number): Lookup {
  const asked = new Set<string>();
  const labels = new Map<string, readonly Label[]>();
  return {
    async labelsOf(addresses) {
      const fresh = [...new Set(addresses)].filter((address) => !asked.has(address));
      for (let at = 0; at < fresh.length; at += addressesPerCall) {
        const chunk = fresh.slice(at, at + addressesPerCall);
        for (const [address, known] of await store.labelsOf(chain, chunk, atMs)) labels.set(address, known);
        for (const address of chunk) asked.add(address);
      }
      return labels;
    },
    async flows(wanted, side) {
      const found = new Map<string, Flows>();
      for (const { addresses, largest } of calls(wanted)) {
        for (const [address, flows] of await store.flows(chain, addresses, side, largest)) found.set(address, flows);
      }
      return found;
    },
    async histories(requests, bounds) {
      if (store.histories === undefined) throw new TypeError('the store gives no histories');
      return store.histories(chain, requests, bounds);
    },
    async movementsIn(txids) {
      return (await store.movementsIn?.(chain, txids.slice(0, addressesPerCall))) ?? new Map<string, readonly Movement[]>();
    },
  };
}

/** Sorted by need, so that a call returns few superfluous rows. */
function calls(wanted: ReadonlyMap<string, number>): { addresses: string[]; largest: number }[] {
  const all: { addresses: string[]; largest: number }[] = [];
  for (const [address, largest] of [...wanted].sort(([, a], [, b]) => b - a)) {
    const last = all.at(-1);
    const most = Math.min(addressesPerCall, rowsPerCall / Math.max(last?.largest ?? 0, 1));
    if (last !== undefined && last.addresses.length < most) last.addresses.push(address);
    else all.push({ addresses: [address], largest });
  }
  return all;
}
