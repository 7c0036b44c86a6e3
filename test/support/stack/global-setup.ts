import { join } from 'node:path';
import { startStack } from './stack.ts';
import useFolder from './temporary.ts';

/** One PostgreSQL for the whole run; each test file creates its own database. */
export default async function setup(): Promise<() => Promise<void>> {
  // Tests start more than a thousand processes, which share this compile cache.
  process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, '..', '..', '..', 'node_modules', '.cache', 'weir');
  useFolder();
  const stack = await startStack(['postgres']);
  return () => stack.stop();
}
