import { type Contradiction, weighLabels } from '../weigh-labels.ts';
import type { Flows, History, HistoryBounds, HistoryRequest, Holding, Label, Movement, RiskStore, Side, VaultShare } from '../store.ts';

/** Bounds the parameters of a statement. */
const addressesPerCall = 2_000;

/** A store at one chain and time. */
export interface Lookup {
  readonly hasContracts: boolean;
  /** Returns at least the labels of `addresses` that count; addresses without any are absent. Fetches each once. */
  labelsOf(addresses: Iterable<string>): Promise<ReadonlyMap<string, readonly Label[]>>;
  /** Among the labels of an address that `labelsOf` has fetched. */
  contradictionsOf(address: string): readonly Contradiction[];
  flowsOf(address: string, side: Side): Promise<Flows | undefined>;
  histories(requests: readonly HistoryRequest[], bounds: HistoryBounds): Promise<ReadonlyMap<string, History>>;
  movementsIn(txids: readonly string[]): Promise<ReadonlyMap<string, readonly Movement[]>>;
  mintsIn(txids: readonly string[]): Promise<readonly VaultShare[]>;
  receiptsOf(holdings: readonly Holding[]): Promise<readonly VaultShare[]>;
  drawKey(): Promise<Uint8Array>;
}

export function createLookup(store: RiskStore, chain: string, atMs: number): Lookup {
  const asked = new Set<string>();
  const labels = new Map<string, readonly Label[]>();
  const contradictions = new Map<string, readonly Contradiction[]>();
  return {
    hasContracts: store.hasContracts(chain),
    async labelsOf(addresses) {
      const fresh = [...new Set(addresses)].filter((address) => !asked.has(address));
      for (let at = 0; at < fresh.length; at += addressesPerCall) {
        const chunk = fresh.slice(at, at + addressesPerCall);
        for (const [address, known] of await store.labelsOf(chain, chunk, atMs)) {
          const weighed = weighLabels(known);
          labels.set(address, weighed.labels);
          if (weighed.contradiction !== undefined) contradictions.set(address, [weighed.contradiction]);
        }
        for (const address of chunk) asked.add(address);
      }
      return labels;
    },
    contradictionsOf: (address) => contradictions.get(address) ?? [],
    flowsOf: async (address, side) => (await store.flows(chain, [address], side)).get(address),
    histories: (requests, bounds) => store.histories(chain, requests, bounds),
    movementsIn: (txids) => store.movementsIn(chain, txids.slice(0, addressesPerCall)),
    mintsIn: (txids) => store.mintsIn(chain, txids.slice(0, addressesPerCall)),
    receiptsOf: (holdings) => store.receiptsOf(chain, holdings.slice(0, addressesPerCall)),
    drawKey: () => store.drawKey(),
  };
}
