import { accessSync, constants, existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, statfsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { PostgresError } from './errors.ts';

const major = '18';
/** What a fresh cluster and its log need, to grow a little. */
export const enoughFreeBytes = 200 * 1024 * 1024;
const walSegmentBytes = 16 * 1024 * 1024;
const database = 'postgres';
export const user = 'weir';
/** In the cluster's folder. */
export const passwordFile = 'weir-password';

/** Makes the folder when there is none, and checks that it can hold a database. Returns its real path. */
export function prepareFolder(dataDir: string, minimumFreeBytes: number): string {
  return orUnusable(dataDir, () => {
    makeFolder(resolve(dataDir));
    const folder = realpathSync(dataDir);
    checkFolder(folder, minimumFreeBytes);
    return folder;
  });
}

/** The checks of `prepareFolder`, of a folder that may not be there yet; makes nothing. Returns the folder that is there. */
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

/** One level at a time: node's own way of making a whole path never ends where a parent takes no folders, as in /proc. */
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

/** PostgreSQL's programs tell only people why they failed; with no room for the next piece of its log it is that. */
export function failed(dataDir: string, message: string, cause: unknown): PostgresError {
  const full = freeBytes(dataDir) < 2 * walSegmentBytes;
  return new PostgresError(full ? 'DISK_FULL' : 'POSTGRES_FAILED', full ? `the disk of ${dataDir} is full: ${message}` : message, {
    cause,
  });
}

/** Refuses what is in the way of our cluster. */
function checkCluster(cluster: string): void {
  const file = join(cluster, 'PG_VERSION');
  if (!existsSync(file)) {
    // Ours is renamed into place when it is whole, so this is somebody else's.
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

/** What the name of a socket may be long, on every system. */
const socketNameBytes = 103;

/** Where the server's socket is, which costs less than TCP; undefined where its name would be too long, or sockets have none. */
export function socketFolder(dataDir: string): string | undefined {
  const folder = resolve(dataDir, 'postgres');
  const isShort = Buffer.byteLength(join(folder, '.s.PGSQL.65535.lock')) <= socketNameBytes;
  return isShort && process.platform !== 'win32' ? folder : undefined;
}

/** The address of this folder's server, with the password. */
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
