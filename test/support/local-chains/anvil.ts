import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const version = '1.7.1';
const installLimitMs = 600_000;

/**
 * The program, in the user's cache; npm installs it there the first time. It is no devDependency: each platform has a package of its own,
 * and the registry does not have all of them, so that `npm ci` would fail.
 */
export async function anvilProgram(): Promise<string> {
  const name = `@foundry-rs/anvil-${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}`;
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'weir');
  const folder = join(cache, `anvil-${version}`);
  const program = join(folder, 'node_modules', name, 'bin', 'anvil');
  if (existsSync(program)) return program;
  mkdirSync(cache, { recursive: true });
  // Installed aside and renamed: a kill leaves no half of a folder, and two at once do not meet.
  const aside = mkdtempSync(join(cache, 'anvil-'));
  try {
    const options = ['--prefix', aside, '--no-workspaces', '--ignore-scripts', '--no-audit', '--no-fund'];
    await run('npm', ['install', ...options, `${name}@${version}`], { cwd: aside, timeout: installLimitMs });
    rename(aside, folder);
    return program;
  } catch (error) {
    throw new Error(`anvil ${version} could not be installed from npm: ${(error as Error).message}`, { cause: error });
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
}

/** Somebody else may have been faster. */
function rename(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (!existsSync(to)) throw error;
  }
}
