import { linkSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';

/** Renamed into place, so that a kill leaves no partial file. */
export function writeWhole(file: string, text: string): void {
  renameSync(writeAside(file, text), file);
}

/** Unless another replica was faster. */
export function writeFirst(file: string, text: string): void {
  const aside = writeAside(file, text);
  try {
    linkSync(aside, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    unlinkSync(aside);
  }
}

/** Replicas share the folder, so each has a name of its own. */
function writeAside(file: string, text: string): string {
  const aside = `${file}.${process.pid}.new`;
  writeFileSync(aside, text, { mode: 0o600, flush: true });
  return aside;
}
