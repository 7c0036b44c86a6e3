import { chmodSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { startStack } from './stack.ts';

/** One PostgreSQL for the whole run; each test file creates its own database. */
export default async function setup(): Promise<() => Promise<void>> {
  // Tests start more than a thousand processes, which share this compile cache.
  process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, '..', '..', '..', 'node_modules', '.cache', 'weir');
  useMemory();
  const stack = await startStack(['postgres']);
  return () => stack.stop();
}

const memory = '/dev/shm';
/** The databases, data folders and logs of a run need less than half of it. */
const enoughBytes = 4 * 1024 ** 3;

/** Where the machine has the room, temporary folders are in its memory: making a database there costs a third, and no commit waits. */
function useMemory(): void {
  if (process.env['TMPDIR'] !== undefined || freeBytes(memory) < enoughBytes) return;
  const folder = mkdtempSync(join(memory, 'weir-'));
  // PostgreSQL runs as another user when the tests run as root.
  chmodSync(folder, 0o755);
  process.env['TMPDIR'] = folder;
  process.once('exit', () => tidyAway(folder));
}

/** After the servers of every project. One that was killed may still write. */
function tidyAway(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  } catch (error) {
    process.stderr.write(`${folder} was left behind: ${(error as NodeJS.ErrnoException).code}\n`);
  }
}

function freeBytes(path: string): number {
  try {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize;
  } catch {
    return 0;
  }
}
