import { join } from 'node:path';
import { startStack } from './stack.ts';

/** One real PostgreSQL for the whole run; each test file makes its own database on it. */
export default async function setup(): Promise<() => Promise<void>> {
  // Tests start services and commands more than a thousand times: what the first of them compiled serves the others.
  process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, '..', '..', '..', 'node_modules', '.cache', 'weir');
  const stack = await startStack(['postgres']);
  return () => stack.stop();
}
