import type { CoinJoin } from './transfers/coin-join.ts';

/** How a source knows: it lists by law, owns the address, examines each entry, or collects what others say. */
export const sourceKinds = ['authority', 'owner', 'curated', 'crawl'] as const;
export type SourceKind = (typeof sourceKinds)[number];

/** A label in the source's terms. Valid from `valid_from` (null: always) until before `valid_to` (null: still). */
export interface LabelRow {
  readonly chain: string;
  readonly address: string;
  readonly name: string;
  readonly category: string;
  /** ISO 8601; a date alone is midnight UTC. */
  readonly valid_from: string | null;
  readonly valid_to: string | null;
  /** 0 to 1. */
  readonly confidence: number;
  readonly source: string;
  /** Default: curated. */
  readonly source_kind?: SourceKind;
  /** The authority whose listing this is, as OFAC. Of another kind of source it is a copy, which ends with the listing. */
  readonly authority?: string;
}

/** A transfer in the source's terms. */
export interface TransferRow {
  readonly chain: string;
  /** null: the source has none. */
  readonly txid: string | null;
  /** Unique within the transaction. */
  readonly position: number;
  readonly from_address: string;
  readonly to_address: string;
  readonly coin: string;
  /** Decimal, in whole coins; null: unknown. */
  readonly amount: string | null;
  /** Decimal; null: unknown, which is not zero. */
  readonly usd_value: string | null;
  /** ISO 8601, UTC. */
  readonly time: string;
  readonly source: string;
}

/** The addresses that signed one transaction. Those of a CoinJoin are strangers; others probably have one owner. */
export interface CoSpend {
  readonly chain: string;
  readonly txid: string;
  /** At least two, each once. */
  readonly addresses: readonly string[];
  readonly coin_join: CoinJoin | null;
}

/** Why a valid record gives no row. An unknown chain is named by the list's code of its coin. */
export type LeftOut = 'failed' | 'of no value' | 'no transfer' | `unknown chain ${string}`;

/** One record of a source (line, element or block): its number, rising from 1, and its rows or the reason for none. */
export type SourceRecord<Row> =
  | { readonly number: number; readonly rows: readonly Row[]; readonly left?: LeftOut; readonly co_spend?: CoSpend }
  | { readonly number: number; readonly rejected: string; readonly text: string };

/** Reads on after record `after` (0: from the start). A record's rows are the same whatever the start. */
export type Reader<Row> = (after: number) => AsyncIterable<SourceRecord<Row>>;
