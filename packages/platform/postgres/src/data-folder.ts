import { accessSync, constants, existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, statfsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { PostgresError } from './errors.ts';

const major = '18';
/** Room for a fresh cluster and some growth of its WAL. */
export const enoughFreeBytes = 200 * 1024 * 1024;
const walSegmentBytes = 16 * 1024 * 1024;
const database = 'postgres';
export const user = 'weir';
export const passwordFile = 'weir-password';

/** Creates the folder if missing and checks that it can hold a database. Returns its real path. */
export function prepareFolder(dataDir: string, minimumFreeBytes: number): string {
  return orUnusable(dataDir, () => {
    makeFolder(resolve(dataDir));
    const folder = realpathSync(dataDir);
    checkFolder(folder, minimumFreeBytes);
    return folder;
  });
}

/** The checks of `prepareFolder` without creating anything. Returns the closest existing folder. */
export function checkDataFolder(dataDir: string, minimumFreeBytes: number): string {
  return orUnusable(dataDir, () => {
    let folder = resolve(dataDir);
    while (!existsSync(folder) && folder !== dirname(folder)) folder = dirname(folder);
    checkFolder(folder, minimumFreeBytes);
    return folder;
  });
}

function checkFolder(folder: string, minimumFreeBytes: number): void {
  if (!statSync(folder).isDirectory()) throw Object.assign(new Error('not a folder'), { code: 'ENOTDIR' });
  accessSync(folder, constants.W_OK | constants.X_OK);
  if (freeBytes(folder) < minimumFreeBytes) {
    throw new PostgresError('DISK_FULL', `the disk of ${folder} has less than ${Math.round(minimumFreeBytes / 1024 / 1024)} MB free`);
  }
  checkCluster(join(folder, 'postgres'));
}

function orUnusable<T>(dataDir: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof PostgresError) throw error;
    throw new PostgresError('DATA_FOLDER_UNUSABLE', `the data folder ${dataDir} cannot be used: ${(error as NodeJS.ErrnoException).code}`, {
      cause: error,
    });
  }
}

/** One level at a time: Node's recursive mkdir never returns where a parent rejects folders, as in /proc. */
function makeFolder(path: string): void {
  if (existsSync(path)) {
    if (!statSync(path).isDirectory()) throw Object.assign(new Error('not a folder'), { code: 'ENOTDIR' });
    return;
  }
  makeFolder(dirname(path));
  mkdirSync(path);
}

function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

/** PostgreSQL's programs report no error code; too little room for a WAL segment means a full disk. */
export function failed(dataDir: string, message: string, cause: unknown): PostgresError {
  const full = freeBytes(dataDir) < 2 * walSegmentBytes;
  return new PostgresError(full ? 'DISK_FULL' : 'POSTGRES_FAILED', full ? `the disk of ${dataDir} is full: ${message}` : message, {
    cause,
  });
}

/** Rejects a folder whose content blocks our cluster. */
function checkCluster(cluster: string): void {
  const file = join(cluster, 'PG_VERSION');
  if (!existsSync(file)) {
    // Ours is renamed into place when complete, so this one is foreign.
    if (existsSync(cluster) && !isEmptyFolder(cluster)) {
      throw new PostgresError('DATA_FOLDER_UNUSABLE', `${cluster} is there and is not a PostgreSQL of Weir; use another --data-dir`);
    }
    return;
  }
  const found = readFileSync(file, 'utf8').trim();
  if (found !== major) {
    throw new PostgresError(
      'DATA_FOLDER_VERSION',
      `the data folder holds PostgreSQL ${found}, this Weir brings ${major}; use another --data-dir`,
    );
  }
}

function isEmptyFolder(path: string): boolean {
  try {
    return readdirSync(path).length === 0;
  } catch {
    return false;
  }
}

/** The longest socket name that every system accepts. */
const socketNameBytes = 103;

/** The socket is cheaper than TCP. Undefined if its name would be too long or the system has none. */
export function socketFolder(dataDir: string): string | undefined {
  const folder = resolve(dataDir, 'postgres');
  const isShort = Buffer.byteLength(join(folder, '.s.PGSQL.65535.lock')) <= socketNameBytes;
  return isShort && process.platform !== 'win32' ? folder : undefined;
}

export function addressOf(dataDir: string, port: number): string {
  const file = join(dataDir, 'postgres', passwordFile);
  let password: string;
  try {
    password = readFileSync(file, 'utf8');
  } catch (error) {
    throw new PostgresError('DATA_FOLDER_UNUSABLE', `${file} cannot be read: ${(error as NodeJS.ErrnoException).code}`, { cause: error });
  }
  return `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`;
}
