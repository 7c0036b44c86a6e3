import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);
const limitMs = 600_000;

/** Installs a package below `prefix`, without its scripts. `options`: further ones of `npm install`. */
export async function npmInstall(prefix: string, what: string, ...options: string[]): Promise<void> {
  const usual = ['--prefix', prefix, '--no-workspaces', '--ignore-scripts', '--no-audit', '--no-fund'];
  await run('npm', ['install', ...usual, ...options, what], { cwd: prefix, timeout: limitMs });
}
