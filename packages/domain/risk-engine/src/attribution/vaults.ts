import type { Holding, VaultShare } from '../store.ts';
import type { Lookup } from './lookup.ts';
import { standingOf } from './sources.ts';

/** Shares may change hands before they are given back. */
const mostHands = 3;
/** Receipts that a store lists of an address at most. */
const busyFrom = 20;
/** Bounds the transactions that one payout leads to. */
const mostDeposits = 100;

/** Whose money is in a vault, by the transactions that were read. */
export class Vaults {
  readonly #holders = new Map<string, Set<string>>();
  readonly #customers = new Map<string, Set<string>>();

  /** The only address that was given shares for a payment to the vault. */
  holderOf(tx: string, vault: string): string | undefined {
    const [holder, ...others] = this.#holders.get(keyOf(tx, vault)) ?? [];
    return others.length === 0 ? holder : undefined;
  }

  /** Those who gave shares back for a payment by the vault, and who had given the shares to them. */
  customersOf(tx: string, vault: string): readonly string[] {
    return [...(this.#customers.get(keyOf(tx, vault)) ?? [])];
  }

  /** Returns the transactions in which the shares were given out that `vault` took back in `txids`. */
  async read(lookup: Lookup, txids: readonly string[], isVault: (tx: string, coin: string) => boolean): Promise<string[]> {
    const burnt = (await lookup.mintsIn(txids)).filter(({ tx, coin, from }) => from !== null && isVault(tx, coin));
    let open = burnt.map(({ tx, at, coin, from }) => ({ key: keyOf(tx, coin), at, coin, address: from ?? '' }));
    const deposits = new Set<string>();
    for (let hand = 0; hand < mostHands && open.length > 0; hand++) {
      const holdings = latestOf(open, ({ coin, address }) => keyOf(coin, address));
      const receipts = Map.groupBy(await lookup.receiptsOf(holdings), ({ to, coin }) => keyOf(coin, to ?? ''));
      const receiptsOf = ({ coin, address, at: until }: Open): readonly VaultShare[] =>
        (receipts.get(keyOf(coin, address)) ?? []).filter(({ at }) => at <= until);
      // Whoever gave them to a busy address sold them, and has the price.
      const holders = open.filter((holder) => hand === 0 || receiptsOf(holder).length < busyFrom);
      for (const { key, address } of holders) addTo(this.#customers, key, address);
      const received = holders.flatMap((holder) => receiptsOf(holder));
      for (const { tx, coin, from, to } of received) {
        if (from !== null || deposits.size >= mostDeposits) continue;
        deposits.add(tx);
        addTo(this.#holders, keyOf(tx, coin), to ?? '');
      }
      const labels = await lookup.labelsOf(received.flatMap(({ from }) => from ?? []));
      const isPerson = ({ address }: Open): boolean => !['service', 'token'].includes(standingOf(labels.get(address) ?? []).kind);
      const previous = holders.flatMap((holder) => previousOf(holder, receiptsOf(holder))).filter(isPerson);
      open = latestOf(previous, ({ key, address }) => `${key}\n${address}`);
    }
    return [...deposits];
  }
}

interface Open extends Holding {
  /** Of the payout. */
  readonly key: string;
}

function previousOf({ key, coin }: Open, receipts: readonly VaultShare[]): Open[] {
  return receipts.flatMap(({ at, from }) => (from === null ? [] : [{ key, at, coin, address: from }]));
}

/** One of each, with the latest time. */
function latestOf(holders: readonly Open[], nameOf: (holder: Open) => string): Open[] {
  return [...Map.groupBy(holders, nameOf).values()].flatMap((same) => same.toSorted((a, b) => b.at - a.at).slice(0, 1));
}

function addTo(sets: Map<string, Set<string>>, key: string, address: string): void {
  sets.set(key, (sets.get(key) ?? new Set()).add(address));
}

function keyOf(tx: string, vault: string): string {
  return `${tx}\n${vault}`;
}
