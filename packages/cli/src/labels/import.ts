import { basename } from 'node:path';
import type { Chain } from '@weir/chains';
import {
  labelColumns,
  type LabelFileOptions,
  type LabelFormat,
  type LabelRow,
  mapRows,
  readLabelFile,
  type SourceKind,
} from '@weir/chain-import';
import { listedAuthorities } from '@weir/chain-store';
import { UsageError } from '../failure.ts';
import { checkFiles, checkNames, given } from '../import/check-flags.ts';
import { CategoryReport, checkCategories } from '../import/categories.ts';
import { importEach, rejectedFileOf } from '../import/import-each.ts';
import type { ImportFlags } from '../import/flags.ts';
import { hashOf, importKey } from '../import/import-key.ts';
import type { Source } from '../import/run.ts';

interface LabelFlags extends ImportFlags {
  readonly format: LabelFormat;
  readonly chain?: Chain;
  readonly category?: string;
  readonly mapCategory?: ReadonlyMap<string, string>;
  readonly confidence?: number;
  readonly sourceKind?: SourceKind;
  readonly evmChains?: readonly Chain[];
}

export async function importLabels(files: readonly string[], flags: LabelFlags): Promise<void> {
  const options = optionsOf(flags);
  checkFiles(files, flags);
  const categories = new CategoryReport();
  const words = { onUnknownWord: categories.watchWord, onMappedWord: categories.watchMapped };
  await importEach(
    flags,
    'labels',
    async function* sources(): AsyncGenerator<Source<LabelRow>> {
      for (const file of files) {
        yield {
          key: importKey({ kind: 'labels', format: flags.format, content: await hashOf(file), ...options }),
          name: basename(file),
          rejectedFile: rejectedFileOf(file, flags),
          read: mapRows(readLabelFile(file, flags.format, { ...options, ...words }), categories.watchRow),
        };
      }
    },
    async (pool) => categories.report(await listedAuthorities(pool, categories.authorities)),
  );
}

function optionsOf(flags: LabelFlags): LabelFileOptions {
  const { format, columns, chain, category, mapCategory, source, confidence, sourceKind, evmChains } = flags;
  const defaults = given({ chain, category, source, confidence });
  if (format !== 'csv' && (columns !== undefined || Object.keys(defaults).length > 0))
    throw new UsageError('--columns, --chain, --category, --confidence and --source are for --format csv; the others say it themselves');
  if (format !== 'ofac' && evmChains !== undefined) throw new UsageError('--evm-chains is for --format ofac');
  if (format === 'ofac' && mapCategory !== undefined)
    throw new UsageError('--map-category is not for --format ofac, which has one category');
  if (format === 'ofac' && sourceKind !== undefined) throw new UsageError('--source-kind is not for --format ofac, which is an authority');
  checkNames(columns, labelColumns);
  if (category !== undefined) checkCategories('--category', [category]);
  if (mapCategory !== undefined) checkCategories('--map-category', mapCategory.values());
  const categories = mapCategory && new Map([...mapCategory].map(([word, known]) => [word.toLowerCase(), known]));
  if (format === 'csv') return { defaults: { ...defaults, ...given({ source_kind: sourceKind }) }, ...given({ columns, categories }) };
  return { defaults, ...given({ evmChains, categories, sourceKind }) };
}
