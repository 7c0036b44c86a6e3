import { type Chain, evmChains as allEvmChains } from '@weir/chains';
import type { LabelRow, Reader, SourceKind, SourceRecord } from '../../rows.ts';
import { excerpt } from '../../source/records.ts';
import { placeOf } from './asset.ts';

/** One address of a sanctions list. */
export interface Listing {
  readonly address: string;
  /** The list's code of the coin, as XBT; undefined when it names none. */
  readonly asset: string | undefined;
  readonly entity: string;
  /** ISO 8601, of the designation; null: the file does not say it. */
  readonly from: string | null;
  readonly programmes: readonly string[];
  /** Of a copy of several lists: the authority that lists this entity. */
  readonly authority?: string | undefined;
}

/** An entry that names an address and cannot be used. */
export interface UnusableListing {
  readonly unusable: string;
  readonly text: string;
}

/** The list that a file states or copies. */
export interface ListOrigin {
  readonly source: string;
  readonly source_kind: SourceKind;
  readonly authority?: string;
  /** 0 to 1. */
  readonly confidence: number;
}

export interface ListOptions {
  /** Default: the format's own. */
  readonly source?: string | undefined;
  /** Chains on which an address of Ethereum is labelled; default all, because a list names a person, and one key controls them all. */
  readonly evmChains?: readonly Chain[] | undefined;
}

const longestName = 500;

/** Numbers the addresses of a list in their order, from 1. A coin of a chain that Weir does not know is left out, and counted by its code. */
export function readListings(
  read: () => AsyncIterable<Listing | UnusableListing>,
  origin: ListOrigin,
  { source = origin.source, evmChains = allEvmChains }: ListOptions,
): Reader<LabelRow> {
  // A list under another name is another list of the publisher: a snapshot of one must not end the labels of both.
  const isOther = source !== origin.source && origin.source_kind === 'authority';
  const named = { ...origin, source, ...(isOther ? { authority: source } : {}) };
  return async function* numbered(after) {
    let number = 0;
    for await (const listing of read()) {
      number += 1;
      if (number > after) yield recordOf(number, listing, named, evmChains);
    }
  };
}

function recordOf(
  number: number,
  listing: Listing | UnusableListing,
  origin: ListOrigin,
  evmChains: readonly Chain[],
): SourceRecord<LabelRow> {
  if ('unusable' in listing) return { number, rejected: listing.unusable, text: excerpt(listing.text) };
  const { address, entity, from, programmes, authority } = listing;
  const place = placeOf(listing.asset, address);
  if ('rejected' in place) return { number, rejected: place.rejected, text: excerpt(JSON.stringify(listing)) };
  if ('unknown' in place) return { number, rows: [], left: `unknown chain ${place.unknown}` };
  const label = {
    address,
    name: nameOf(entity, programmes),
    category: 'sanctioned',
    valid_from: from,
    valid_to: null,
    ...origin,
    ...(authority === undefined ? {} : { authority }),
  };
  const chains = place.chain === 'ethereum' ? evmChains : [place.chain];
  return { number, rows: chains.map((chain) => ({ chain, ...label })) };
}

function nameOf(entity: string, programmes: readonly string[]): string {
  const programme = programmes.length === 0 ? '' : ` (${programmes.join(', ')})`;
  return `${entity}${programme}`.slice(0, longestName).toWellFormed();
}
