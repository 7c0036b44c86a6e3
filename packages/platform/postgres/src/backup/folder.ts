import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { PostgresError } from '../errors.ts';
import type { Identity } from '../identity.ts';

/**
 * `wal/` has each segment of the WAL, compressed; `base/TIME/` the files of a cluster in `postgres/`, and `backup.json`.
 */
export interface BaseBackup {
  /** The folder's path. */
  readonly path: string;
  readonly startedAt: Date;
  /** The earliest point that it can be restored to. */
  readonly stoppedAt: Date;
  /** The first segment of the WAL that it needs. */
  readonly firstSegment: string;
  readonly timeline: number;
  readonly systemIdentifier: string;
  readonly bytes: number;
}

interface Manifest {
  readonly started_at: string;
  readonly stopped_at: string;
  readonly first_segment: string;
  readonly timeline: number;
  readonly system_identifier: string;
  readonly bytes: number;
}

const manifestFile = 'backup.json';
const pointer = 'backup-folder';

/** The folder that the cluster's WAL goes to; undefined if it goes nowhere. Kept beside the cluster, so that no start leaves it out. */
export function backupFolderOf(dataDir: string): string | undefined {
  const file = join(dataDir, pointer);
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined;
}

/** From the next start on the cluster's WAL goes there. */
export function setBackupFolder(dataDir: string, folder: string): void {
  mkdirSync(dataDir, { recursive: true });
  const file = join(dataDir, pointer);
  writeFileSync(`${file}.new`, `${resolve(folder)}\n`, { flush: true });
  renameSync(`${file}.new`, file);
}

/** Makes the folders. PostgreSQL's user must own that of the WAL. */
export function prepareBackupFolder(folder: string, identity: Identity): void {
  try {
    const wal = join(folder, 'wal');
    for (const path of [wal, join(folder, 'base')]) mkdirSync(path, { recursive: true, mode: 0o700 });
    if (identity.owner !== undefined) chownSync(wal, identity.owner.uid, identity.owner.gid);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new PostgresError('DATA_FOLDER_UNUSABLE', `the backup folder ${folder} cannot be used: ${code}`, { cause: error });
  }
}

/** Complete ones, oldest first. */
export function listBackups(folder: string): BaseBackup[] {
  const base = join(folder, 'base');
  if (!existsSync(base)) return [];
  const complete = readdirSync(base)
    .filter((name) => /^\d{8}T\d{6}\.\d{3}Z$/.test(name) && existsSync(join(base, name, manifestFile)))
    .map((name) => join(base, name));
  return complete.map(readBackup).toSorted((one, other) => one.stoppedAt.getTime() - other.stoppedAt.getTime());
}

function readBackup(path: string): BaseBackup {
  const file = join(path, manifestFile);
  const found = JSON.parse(readFileSync(file, 'utf8')) as Manifest;
  return {
    path,
    startedAt: new Date(found.started_at),
    stoppedAt: new Date(found.stopped_at),
    firstSegment: found.first_segment,
    timeline: found.timeline,
    systemIdentifier: found.system_identifier,
    bytes: found.bytes,
  };
}

export function writeManifest(path: string, backup: Omit<BaseBackup, 'path'>): void {
  const manifest: Manifest = {
    started_at: backup.startedAt.toISOString(),
    stopped_at: backup.stoppedAt.toISOString(),
    first_segment: backup.firstSegment,
    timeline: backup.timeline,
    system_identifier: backup.systemIdentifier,
    bytes: backup.bytes,
  };
  writeFileSync(join(path, manifestFile), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600, flush: true });
}

/** In single quotes of a shell, and with PostgreSQL's `%` doubled. */
function quoted(path: string): string {
  return `'${path.replaceAll("'", "'\\''").replaceAll('%', '%%')}'`;
}

/**
 * `archive_command`: complete and on disk before PostgreSQL forgets the segment. A segment that is there already must be the same, or another
 * cluster writes to the folder.
 */
export function archiveCommand(folder: string): string {
  return `f=${quoted(join(folder, 'wal'))}/%f.gz; if test -f "$f"; then gzip -dc "$f" | cmp -s - '%p'; else gzip -1 -c '%p' > "$f.new" && sync "$f.new" && mv "$f.new" "$f"; fi`;
}

/** `restore_command`: fails if the archive does not have the file. */
export function restoreCommand(folder: string): string {
  return `f=${quoted(join(folder, 'wal'))}/%f.gz; test -f "$f" && gzip -dc "$f" > '%p'`;
}
