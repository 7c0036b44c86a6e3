import type { Chain } from '@weir/chains';
import { labelFormat, type LabelDefaults } from './labels/generic.ts';
import { ofacFormat } from './labels/ofac.ts';
import { tagFormat, type UnknownWord } from './labels/tag.ts';
import { readTagPack } from './labels/tagpack.ts';
import type { LabelRow, Reader, TransferRow } from './rows.ts';
import type { Columns } from './source/columns.ts';
import { readFile } from './source/file.ts';
import type { Format } from './source/records.ts';
import { bitcoinEtlFormat } from './transfers/bitcoin-etl.ts';
import { ethereumEtlFormat } from './transfers/ethereum-etl.ts';
import { etherscanFormat } from './transfers/etherscan.ts';
import { transferFormat } from './transfers/generic.ts';
import type { Scope } from './transfers/scope.ts';
import { tronEtlFormat } from './transfers/tron-etl.ts';

export const labelFormats = ['csv', 'ofac', 'tagpack', 'graphsense-csv'] as const;
export type LabelFormat = (typeof labelFormats)[number];

export interface LabelFileOptions {
  /** csv: our columns by the file's names. */
  readonly columns?: Columns;
  /** csv: for what a row does not say. */
  readonly defaults?: LabelDefaults;
  /** ofac: the chains on which an address listed on Ethereum is labelled. */
  readonly evmChains?: readonly Chain[];
  /** csv, tags: what a category or an abuse of the file means, by the file's word in lower case. */
  readonly categories?: ReadonlyMap<string, string>;
  /** Tags: told of each word that says nothing here. */
  readonly onUnknownWord?: (unknown: UnknownWord) => void;
}

/** The labels of a file. */
export function readLabelFile(path: string, format: LabelFormat, options: LabelFileOptions = {}): Reader<LabelRow> {
  switch (format) {
    case 'csv':
      return readFile(path, labelFormat(options.columns ?? new Map(), options.defaults ?? {}, options.categories));
    case 'ofac':
      return readFile(path, ofacFormat(options.evmChains));
    case 'tagpack':
      return readTagPack(path, tagFormat(options));
    case 'graphsense-csv':
      return readFile(path, tagFormat(options));
  }
}

export const transferFormats = ['csv', 'ethereum-etl', 'bitcoin-etl', 'tron-etl', 'etherscan', 'parquet'] as const;
export type TransferFormat = (typeof transferFormats)[number];

export interface TransferFileOptions extends Omit<Scope, 'chain'> {
  /** Only `csv` has rows that may say it themselves. */
  readonly chain?: Chain;
  /** Which table of the exporter; absent: seen from the columns. */
  readonly table?: string;
  /** csv: our columns by the file's names. */
  readonly columns?: Columns;
  /** csv: the coin of rows that do not say it. */
  readonly coin?: string;
}

/** The transfers of a file. Throws when the format is not one of the chain, or has no such table. */
export function readTransferFile(path: string, format: TransferFormat, options: TransferFileOptions): Reader<TransferRow> {
  if (format !== 'csv') return readFile(path, formatOf(format, options));
  const { columns = new Map(), chain, coin, source } = options;
  const defaults = { source, ...(chain === undefined ? {} : { chain }), ...(coin === undefined ? {} : { coin }) };
  return readFile(path, transferFormat(columns, defaults));
}

/** `parquet` is whatever the exporter of that chain writes. */
function formatOf(format: Exclude<TransferFormat, 'csv'>, { chain, table, ...rest }: TransferFileOptions): Format<TransferRow> {
  if (chain === undefined) throw new Error(`${format} needs a chain`);
  const exporter = chain === 'bitcoin' || chain === 'tron' ? (`${chain}-etl` as const) : 'ethereum-etl';
  const scope = { chain, ...rest };
  if (table !== undefined && (format === 'etherscan' || (exporter === 'bitcoin-etl' && table !== 'transactions')))
    throw new Error(`${format} of ${chain} has no table ${table}`);
  if (format === 'etherscan' && exporter === 'ethereum-etl') return etherscanFormat(scope);
  if (format !== 'parquet' && format !== exporter) throw new Error(`${format} is no format of ${chain}`);
  switch (exporter) {
    case 'bitcoin-etl':
      return bitcoinEtlFormat(scope);
    case 'tron-etl':
      return tronEtlFormat(scope, table);
    case 'ethereum-etl':
      return ethereumEtlFormat(scope, table);
  }
}
