import type { Listing, ListOrigin } from './listing.ts';

export const ofacList: ListOrigin = { source: 'US OFAC SDN', source_kind: 'authority', authority: 'OFAC', confidence: 1 };

/** An entity of OFAC's lists with its addresses. */
export interface OfacParty {
  readonly uid: string;
  readonly entity: string;
  readonly addresses: readonly { readonly asset: string; readonly address: string }[];
  /** ISO 8601; null: the file does not say it. */
  readonly from: string | null;
  readonly programmes: readonly string[];
}

/** The coin's code of a type such as `Digital Currency Address - XBT`; undefined for other types. */
export function digitalCurrency(type: string): string | undefined {
  return /^\s*Digital Currency Address\s*-\s*(\S.*?)\s*$/i.exec(type)?.[1];
}

/** An entity lists some addresses once for each coin. */
export function* partyListings({ uid, entity, addresses, from, programmes }: OfacParty): Generator<Listing, void, void> {
  const name = entity === '' ? `OFAC ${uid}` : entity;
  for (const { asset, address } of addresses) yield { address, asset, entity: name, from, programmes: [...new Set(programmes)].toSorted() };
}
