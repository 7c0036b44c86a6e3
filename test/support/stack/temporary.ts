import { chmodSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

const prefix = 'weir-tests-';
const memory = '/dev/shm';
/** The databases, data folders and logs of a run need less than half of it. */
const enoughBytes = 4 * 1024 ** 3;

/**
 * One folder for all temporary ones of the run. It is in memory where the machine has the room: making a database there costs a third, and
 * no commit waits for a disk.
 */
export default function setup(): void {
  // Another project of this run was first.
  if (basename(tmpdir()).startsWith(prefix)) return;
  const isChosen = process.env['TMPDIR'] !== undefined;
  const folder = mkdtempSync(join(!isChosen && freeBytes(memory) > enoughBytes ? memory : tmpdir(), prefix));
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
