import { basename } from 'node:path';
import { type LabelRow, mapRows, readLabelFile } from '@weir/chain-import';
import { listedAuthorities } from '@weir/chain-store';
import { checkFiles } from '../import/check-flags.ts';
import { CategoryReport } from '../import/categories.ts';
import { importEach, rejectedFileOf } from '../import/import-each.ts';
import { importKey } from '../import/import-key.ts';
import type { Source } from '../import/run.ts';
import { inputOf, keyPartsOf, type LabelFlags } from './import-options.ts';
import { snapshotOf, snapshotParts } from './snapshot-flags.ts';

export async function importLabels(files: readonly string[], flags: LabelFlags): Promise<void> {
  const snapshot = snapshotOf(files, flags);
  checkFiles(files, flags);
  const inputs = await Promise.all(files.map((file) => inputOf(file, flags)));
  const categories = new CategoryReport();
  const words = { onUnknownWord: categories.watchWord, onMappedWord: categories.watchMapped };
  await importEach(
    flags,
    'labels',
    async function* sources(): AsyncGenerator<Source<LabelRow>> {
      for (const input of inputs) {
        const { file, format, options } = input;
        yield {
          key: importKey({ kind: 'labels', ...(await keyPartsOf(input)), ...snapshotParts(snapshot) }),
          name: basename(file),
          rejectedFile: rejectedFileOf(file, flags),
          snapshot,
          read: mapRows(readLabelFile(file, format, { ...options, ...words }), categories.watchRow),
        };
      }
    },
    async (pool) => categories.report(await listedAuthorities(pool, categories.authorities)),
  );
}
