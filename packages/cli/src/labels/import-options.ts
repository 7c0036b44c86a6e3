import { basename } from 'node:path';
import type { Chain } from '@weir/chains';
import {
  assetOfFile,
  detectLabelFormat,
  isListFormat,
  labelColumns,
  type LabelFileOptions,
  type LabelFormat,
  type SourceKind,
} from '@weir/chain-import';
import { UsageError } from '../failure.ts';
import { checkFiles, checkNames, given } from '../import/check-flags.ts';
import { checkCategories } from '../import/categories.ts';
import type { ImportFlags } from '../import/flags.ts';
import { hashOf } from '../import/import-key.ts';
import type { SnapshotFlags } from './snapshot-flags.ts';

export interface LabelFlags extends ImportFlags, SnapshotFlags {
  readonly format?: LabelFormat;
  readonly asset?: string;
  readonly comments?: string;
  readonly chain?: Chain;
  readonly category?: string;
  readonly mapCategory?: ReadonlyMap<string, string>;
  readonly confidence?: number;
  readonly sourceKind?: SourceKind;
  readonly evmChains?: readonly Chain[];
}

/** A file to import, and how it is read. */
export interface LabelInput {
  readonly file: string;
  readonly format: LabelFormat;
  readonly options: LabelFileOptions;
}

/** Throws UsageError at a flag that does not go with a file's format. */
export async function inputOf(file: string, flags: LabelFlags): Promise<LabelInput> {
  const format = flags.format ?? (await detectLabelFormat(file));
  if (format === undefined) throw new UsageError(`the content of ${file} does not tell its format: name it with --format`);
  return { file, format, options: optionsOf(file, format, flags) };
}

/** The parts of the import's key that decide the rows of the file. */
export async function keyPartsOf({ format, file, options }: LabelInput): Promise<object> {
  const { list, ...others } = options;
  const content = await hashOf(file);
  if (list === undefined) return { format, content, ...others };
  const comments = list.comments === undefined ? {} : { comments: await hashOf(list.comments) };
  return { format, content, ...others, list: { ...list, ...comments } };
}

function optionsOf(file: string, format: LabelFormat, flags: LabelFlags): LabelFileOptions {
  checkFlags(format, flags);
  const { columns, chain, category, mapCategory, source, confidence, sourceKind, evmChains, asset, comments } = flags;
  if (isListFormat(format)) {
    const coin = format === '0xb10c' ? (asset ?? assetOfFile(basename(file))) : undefined;
    if (format === '0xb10c' && coin === undefined) throw new UsageError(`${file} does not say its coin: name it with --asset, as XBT`);
    return { list: given({ source, asset: coin, comments }), ...given({ evmChains }) };
  }
  const defaults = given({ chain, category, source, confidence });
  const categories = mapCategory && new Map([...mapCategory].map(([word, known]) => [word.toLowerCase(), known]));
  if (format === 'csv') return { defaults: { ...defaults, ...given({ source_kind: sourceKind }) }, ...given({ columns, categories }) };
  return { defaults, ...given({ evmChains, categories, sourceKind }) };
}

function checkFlags(format: LabelFormat, flags: LabelFlags): void {
  const { columns, chain, category, mapCategory, source, confidence, sourceKind, evmChains, asset, comments } = flags;
  const isSanctions = format === 'ofac' || isListFormat(format);
  if (format !== 'csv' && (columns ?? chain ?? category ?? confidence ?? (isListFormat(format) ? undefined : source)) !== undefined)
    throw new UsageError('--columns, --chain, --category, --confidence and --source are for --format csv; the others say it themselves');
  if (!isSanctions && evmChains !== undefined) throw new UsageError('--evm-chains is for --format ofac and published lists');
  if (isSanctions && mapCategory !== undefined)
    throw new UsageError(`--map-category is not for --format ${format}, which has one category`);
  if (isSanctions && sourceKind !== undefined)
    throw new UsageError(`--source-kind is not for --format ${format}, which has a kind of its own`);
  if (format !== '0xb10c' && asset !== undefined) throw new UsageError('--asset is for --format 0xb10c');
  if (format !== 'ofac-csv' && comments !== undefined) throw new UsageError('--comments is for --format ofac-csv');
  if (comments !== undefined) checkFiles([comments], {});
  checkNames(columns, labelColumns);
  if (category !== undefined) checkCategories('--category', [category]);
  if (mapCategory !== undefined) checkCategories('--map-category', mapCategory.values());
}
