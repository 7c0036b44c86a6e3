import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/**
 * The folder in the user's cache that `install` has filled, at the first call on this machine. Installs aside and renames: a kill leaves no
 * partial folder, and concurrent installations do not collide. `name` carries the version.
 */
export async function installOnce(name: string, install: (folder: string) => Promise<unknown>): Promise<string> {
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'weir');
  const folder = join(cache, name);
  if (existsSync(folder)) return folder;
  mkdirSync(cache, { recursive: true });
  const aside = mkdtempSync(join(cache, `${name}-`));
  try {
    await install(aside);
    rename(aside, folder);
    return folder;
  } catch (error) {
    throw new Error(`${name} could not be installed: ${(error as Error).message}`, { cause: error });
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
}

/** Another process may have been faster. */
function rename(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (!existsSync(to)) throw error;
  }
}
