import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { goEnv } from './go.ts';
import { startStack } from './stack.ts';
import useFolder from './temporary.ts';

const root = join(import.meta.dirname, '..', '..', '..');

/** One PostgreSQL for the whole run; each test file creates its own database. */
export default async function setup(): Promise<() => Promise<void>> {
  // Tests start more than a thousand processes, which share this compile cache and this bundle.
  process.env['NODE_COMPILE_CACHE'] ??= join(root, 'node_modules', '.cache', 'weir');
  Object.assign(process.env, goEnv);
  execFileSync(process.execPath, [join(root, 'packages', 'cli', 'bundle.js')], { stdio: 'inherit' });
  useFolder();
  const stack = await startStack(['postgres']);
  return () => stack.stop();
}
