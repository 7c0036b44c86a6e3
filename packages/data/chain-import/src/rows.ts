/** A label as a source gives it. Valid from `validFrom` (null: always) until before `validTo` (null: still). */
export interface LabelRow {
  readonly chain: string;
  readonly address: string;
  readonly name: string;
  readonly category: string;
  /** ISO 8601; a date alone is midnight UTC. */
  readonly validFrom: string | null;
  readonly validTo: string | null;
  /** 0 to 1. */
  readonly confidence: number;
  readonly source: string;
}

/** A transfer as a source gives it. */
export interface TransferRow {
  readonly chain: string;
  /** null: the source does not give it. */
  readonly txid: string | null;
  /** Tells the transfers of one transaction apart. */
  readonly position: number;
  readonly fromAddress: string;
  readonly toAddress: string;
  readonly coin: string;
  /** Decimal, in whole coins; null: not known. */
  readonly amount: string | null;
  /** Decimal; null: not known, which is not zero. */
  readonly usdValue: string | null;
  /** ISO 8601, UTC. */
  readonly time: string;
  readonly source: string;
}

/** Why a record that is right gives no row: its transaction failed; it moved nothing; it is something else than a transfer. */
export type LeftOut = 'failed' | 'of no value' | 'no transfer';

/** One record of a source (a line, an element, a block): its number, from 1 and rising, and the rows it gives, or why it gives none. */
export type SourceRecord<Row> =
  | { readonly number: number; readonly rows: readonly Row[]; readonly left?: LeftOut }
  | { readonly number: number; readonly rejected: string; readonly text: string };

/** Reads a source from behind the record `after` (0: from its start) on. What a record gives does not depend on where reading began. */
export type Reader<Row> = (after: number) => AsyncIterable<SourceRecord<Row>>;
