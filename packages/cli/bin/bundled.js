// The program as a few files: a start reads some thirty in place of a thousand. bundle.js writes them.
// Plain JavaScript, as weir.js is.
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const root = join(import.meta.dirname, '..', '..', '..');

/** Beside the compile cache, so that an installation of packages removes it. */
export const bundles = join(root, 'node_modules', '.cache', 'weir-bundle');
/** Names the folder of the last bundle and the files that it was made of: `{ folder, files: [path from the top, milliseconds, bytes] }`. */
export const manifest = join(bundles, 'manifest.json');

/** Time and size of a file, by which a change is noticed. */
export function stamp(path) {
  const { mtimeMs, size } = statSync(join(root, path));
  return [path, mtimeMs, size];
}

/** Whether the packages are of this checkout alone: the bundle finds the sources from where it lies. */
export function isOwn() {
  const packages = join(root, 'node_modules');
  try {
    return realpathSync(packages) === packages;
  } catch {
    return false;
  }
}

/** URL of the bundled program, or undefined: there is none, or a file that it was made of has changed. */
export function findBundle() {
  try {
    const { folder, files } = JSON.parse(readFileSync(manifest, 'utf8'));
    const isSame = ([path, mtimeMs, size]) => {
      const now = stamp(path);
      return now[1] === mtimeMs && now[2] === size;
    };
    const program = join(bundles, folder, 'weir.mjs');
    return isOwn() && existsSync(program) && files.every(isSame) ? pathToFileURL(program).href : undefined;
  } catch {
    return undefined;
  }
}
