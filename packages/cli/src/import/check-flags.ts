import { statSync } from 'node:fs';
import { UsageError } from '../failure.ts';
import type { ImportFlags } from './flags.ts';

/** Checks the files before any work. */
export function checkFiles(files: readonly string[], flags: Pick<ImportFlags, 'rejected'>): void {
  for (const file of files) {
    // A pipe can be read only once, so it can be neither hashed nor resumed.
    if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) throw new UsageError(`there is no file ${file}`);
  }
  if (flags.rejected === undefined) return;
  if (files.includes(flags.rejected)) throw new UsageError('--rejected names a file that is to be imported');
}

/** Only the flags that were given. */
export function given<T extends object>(flags: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}

/** `--columns` may name only Weir's columns. */
export function checkNames(columns: ReadonlyMap<string, string> | undefined, ours: readonly string[]): void {
  const wrong = [...(columns?.keys() ?? [])].find((name) => !ours.includes(name));
  if (wrong !== undefined) throw new UsageError(`--columns: there is no ${wrong}; our columns are ${ours.join(', ')}`);
}

/** Reports a format's error about its options as a wrong flag. */
export function asked<T>(open: () => T): T {
  try {
    return open();
  } catch (error) {
    throw new UsageError((error as Error).message, { cause: error });
  }
}
