import { type Chain, hasInputs, isEvm } from '@weir/chains';
import { labelFormat, type LabelDefaults } from './labels/generic.ts';
import { type ListFileOptions, isListFormat, listFormats, readSanctionsList } from './labels/listings/read-list.ts';
import { ofacFormat } from './labels/ofac.ts';
import { type MappedWord, tagFormat, type UnknownWord } from './labels/tag.ts';
import { readTagPack } from './labels/tagpack.ts';
import type { LabelRow, Reader, SourceKind, TransferRow } from './rows.ts';
import type { Columns } from './source/columns.ts';
import { readFile } from './source/file.ts';
import type { Format } from './source/records.ts';
import { bitcoinEtlFormat } from './transfers/bitcoin-etl.ts';
import { ethereumEtlFormat } from './transfers/ethereum-etl.ts';
import { etherscanFormat } from './transfers/etherscan.ts';
import { transferFormat } from './transfers/generic.ts';
import type { Scope } from './transfers/scope.ts';
import { tronEtlFormat } from './transfers/tron-etl.ts';

export const labelFormats = ['csv', 'ofac', ...listFormats, 'tagpack', 'graphsense-csv'] as const;
export type LabelFormat = (typeof labelFormats)[number];

export interface LabelFileOptions {
  /** csv: Weir's columns by the file's names. */
  readonly columns?: Columns;
  /** csv: values for absent cells. */
  readonly defaults?: LabelDefaults;
  /** Sanctions lists: the chains of the labels for an Ethereum address. */
  readonly evmChains?: readonly Chain[];
  /** Sanctions lists, but not ofac. */
  readonly list?: Omit<ListFileOptions, 'evmChains'>;
  /** csv, tags: Weir's category by the file's category or abuse, in lower case. */
  readonly categories?: ReadonlyMap<string, string>;
  /** Tags: the kind of source where a tag does not say it. */
  readonly sourceKind?: SourceKind;
  /** Tags: called for each unknown word. */
  readonly onUnknownWord?: (unknown: UnknownWord) => void;
  /** Tags: called for each tag whose category is not its own word. */
  readonly onMappedWord?: (mapped: MappedWord) => void;
}

export function readLabelFile(path: string, format: LabelFormat, options: LabelFileOptions = {}): Reader<LabelRow> {
  if (isListFormat(format)) return readSanctionsList(path, format, { ...options.list, evmChains: options.evmChains });
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
  /** Only rows of `csv` may name their own. */
  readonly chain?: Chain;
  /** The exporter's table. Default: detected from the columns. */
  readonly table?: string;
  /** csv: Weir's columns by the file's names. */
  readonly columns?: Columns;
  /** csv: the default coin. */
  readonly coin?: string;
}

/** Throws when the format does not suit the chain, or has no such table. */
export function readTransferFile(path: string, format: TransferFormat, options: TransferFileOptions): Reader<TransferRow> {
  if (format !== 'csv') return readFile(path, formatOf(format, options));
  const { columns = new Map(), chain, coin, source } = options;
  const defaults = { source, ...(chain === undefined ? {} : { chain }), ...(coin === undefined ? {} : { coin }) };
  return readFile(path, transferFormat(columns, defaults));
}

/** `parquet` holds the tables of the chain's exporter. */
function formatOf(format: Exclude<TransferFormat, 'csv'>, { chain, table, ...rest }: TransferFileOptions): Format<TransferRow> {
  if (chain === undefined) throw new Error(`${format} needs a chain`);
  const exporter = exporterOf(chain);
  if (exporter === undefined) throw new Error(`${format} is no format of ${chain}: use csv`);
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

/** bitcoin-etl also exports the chains that came from Bitcoin. */
function exporterOf(chain: Chain): 'bitcoin-etl' | 'tron-etl' | 'ethereum-etl' | undefined {
  if (isEvm(chain)) return 'ethereum-etl';
  if (chain === 'tron') return 'tron-etl';
  return hasInputs(chain) ? 'bitcoin-etl' : undefined;
}
