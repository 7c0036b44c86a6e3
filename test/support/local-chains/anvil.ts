import { join } from 'node:path';
import { installOnce } from '../install-once.ts';
import { npmInstall } from '../npm-install.ts';

const version = '1.7.1';

/**
 * Installs the program into the user's cache with npm the first time. It is no devDependency: each platform has its own package, and the
 * registry lacks some of them, so `npm ci` would fail.
 */
export async function anvilProgram(): Promise<string> {
  const name = `@foundry-rs/anvil-${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}`;
  const folder = await installOnce(`anvil-${version}`, (prefix) => npmInstall(prefix, `${name}@${version}`));
  return join(folder, 'node_modules', name, 'bin', 'anvil');
}
