import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const version = '1.7.1';
const installLimitMs = 600_000;

/**
 * Installs the program into the user's cache with npm the first time. It is no devDependency: each platform has its own package, and the
 * registry lacks some of them, so `npm ci` would fail.
 */
export async function anvilProgram(): Promise<string> {
  const name = `@foundry-rs/anvil-${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}`;
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'weir');
  const folder = join(cache, `anvil-${version}`);
  const program = join(folder, 'node_modules', name, 'bin', 'anvil');
  if (existsSync(program)) return program;
  mkdirSync(cache, { recursive: true });
  // Install aside and rename: a kill leaves no partial folder, and concurrent installations do not collide.
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

/** Another process may have been faster. */
function rename(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (!existsSync(to)) throw error;
  }
}
