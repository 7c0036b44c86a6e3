import { type Dirent } from 'node:fs';
import { chown, copyFile, lstat, mkdir, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Identity } from '../identity.ts';

/** Contents that a started cluster makes anew, by the documentation of base backups. The folders stay. */
const emptied: ReadonlySet<string> = new Set([
  'pg_dynshmem',
  'pg_notify',
  'pg_replslot',
  'pg_serial',
  'pg_snapshots',
  'pg_stat_tmp',
  'pg_subtrans',
  'pg_wal',
]);
const left: ReadonlySet<string> = new Set(['postmaster.pid', 'postmaster.opts', 'backup_label', 'tablespace_map', 'pg_internal.init']);

export interface CopyOptions {
  readonly identity: Identity;
  /** A running cluster: its WAL and what it makes anew are left out, and files may vanish. */
  readonly isRunning: boolean;
  readonly onBytes?: (bytes: number) => void;
}

/** Copies the files of a cluster, each to disk. Returns their bytes. */
export async function copyCluster(from: string, to: string, options: CopyOptions): Promise<number> {
  await mkdir(to, { mode: 0o700 });
  const bytes = await copyFolder(from, to, options, true);
  if (options.isRunning) {
    for (const name of ['archive_status', 'summaries']) await mkdir(join(to, 'pg_wal', name), { mode: 0o700 });
  }
  return bytes;
}

async function copyFolder(from: string, to: string, options: CopyOptions, isTop: boolean): Promise<number> {
  let bytes = 0;
  // pg_control last, as pg_basebackup does.
  for (const entry of (await readdir(from, { withFileTypes: true })).toSorted(controlLast)) {
    if (options.isRunning && isLeft(entry.name)) continue;
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) {
      await mkdir(target, { mode: 0o700 });
      if (!(options.isRunning && isTop && emptied.has(entry.name))) bytes += await copyFolder(source, target, options, false);
      await give(target, options.identity);
    } else if (entry.isFile()) {
      bytes += await copyOne(source, target, options);
    }
  }
  await syncFolder(to);
  return bytes;
}

function isLeft(name: string): boolean {
  return left.has(name) || name.startsWith('pgsql_tmp') || name.startsWith('.s.PGSQL.');
}

const rank = ({ name }: Dirent): number => (name === 'global' ? 1 : name === 'pg_control' ? 2 : 0);
const controlLast = (one: Dirent, other: Dirent): number => rank(one) - rank(other);

async function copyOne(source: string, target: string, { identity, isRunning, onBytes }: CopyOptions): Promise<number> {
  try {
    await copyFile(source, target);
  } catch (error) {
    // A table may be dropped meanwhile; the WAL has that too.
    if (isRunning && (error as NodeJS.ErrnoException).code === 'ENOENT') return 0;
    throw error;
  }
  const handle = await open(target, 'r+');
  try {
    await handle.chmod(0o600);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await give(target, identity);
  const { size } = await lstat(target);
  onBytes?.(size);
  return size;
}

export async function give(path: string, { owner }: Identity): Promise<void> {
  if (owner !== undefined) await chown(path, owner.uid, owner.gid);
}

export async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
