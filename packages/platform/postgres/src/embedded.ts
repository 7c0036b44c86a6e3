import { closeSync, existsSync, mkdirSync, openSync, readFileSync, realpathSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import type { Clock } from '@weir/clock';
import pg from 'pg';
import { advisoryLock } from './advisory-locks.ts';
import { archiveCommand, backupFolderOf, prepareBackupFolder } from './backup/folder.ts';
import { type Binaries, findBinaries } from './binaries.ts';
import { addressOf, checkDataFolder, enoughFreeBytes, failed, prepareFolder, socketFolder } from './data-folder.ts';
import { PostgresError } from './errors.ts';
import { type GuardedServer, launchServer } from './guardian.ts';
import { chooseIdentity, type Identity } from './identity.ts';
import { initialise } from './initialise.ts';
import { removeStaleLock, runningPostmaster, stopPostmaster } from './postmaster.ts';

export interface EmbeddedPostgres {
  /** `postgres://` URL with the password; never log it. */
  readonly url: string;
  /** Resolves when the server ends unexpectedly. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

/** Small on purpose: one machine, few connections. Durability stays at PostgreSQL's default: every commit is on disk. */
const settings: Readonly<Record<string, string>> = {
  listen_addresses: '127.0.0.1',
  max_connections: '60',
  shared_buffers: '48MB',
  io_method: 'sync',
  jit: 'off',
  max_worker_processes: '2',
  max_parallel_workers: '0',
  max_logical_replication_workers: '0',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_wal_size: '512MB',
  // The first change of a page after a checkpoint writes it whole.
  wal_compression: 'pglz',
  log_min_messages: 'warning',
};

/** For a cluster with a backup folder. A segment is archived a minute after its first record at the latest. */
const archiving: Readonly<Record<string, string>> = { wal_level: 'replica', archive_mode: 'on', archive_timeout: '60' };

const startWithinMs = 120_000;
/** A recovery reads all WAL since the backup. */
const recoverWithinMs = 86_400_000;

/**
 * Starts the PostgreSQL of `<dataDir>/postgres`; creates the cluster first if missing. Restarts a server that a killed process left behind.
 * Rejects with `DATA_FOLDER_IN_USE` if another process uses it.
 */
export async function startEmbeddedPostgres(options: {
  dataDir: string;
  clock: Clock;
  /** Default: the programs that npm installs. */
  binaries?: Binaries;
  /** Less free disk is `DISK_FULL`. Default: `enoughFreeBytes`. */
  minimumFreeBytes?: number;
  /** Default 60: one process of Weir and its commands. */
  maxConnections?: number;
  /** For a cluster with `recovery.signal`: where its WAL comes from, and PostgreSQL's settings. It ends before this resolves. */
  recovery?: { readonly folder: string; readonly settings: Readonly<Record<string, string>> };
}): Promise<EmbeddedPostgres> {
  const { clock } = options;
  const dataDir = prepareFolder(options.dataDir, options.minimumFreeBytes ?? enoughFreeBytes);
  const cluster = join(dataDir, 'postgres');
  await endLeftover(dataDir, cluster, clock);
  const binaries = options.binaries ?? (await findBinaries());
  const folders = [backupFolderOf(dataDir), options.recovery?.folder].filter((folder) => folder !== undefined);
  for (const folder of folders) mkdirSync(folder, { recursive: true });
  const identity = identityFor([dataDir, ...folders], binaries);
  if (!existsSync(join(cluster, 'PG_VERSION'))) await initialise(dataDir, cluster, binaries, identity);
  const port = await freePort();
  const sockets = socketFolder(dataDir);
  // Commands connect by TCP; the owner uses the cheaper socket.
  const url = `${addressOf(dataDir, port)}${sockets === undefined ? '' : `?host=${encodeURIComponent(sockets)}`}`;
  const varying = {
    port,
    unix_socket_directories: sockets ?? '',
    ...(options.maxConnections === undefined ? {} : { max_connections: options.maxConnections }),
    ...archivingOf(dataDir, identity),
    // No client connects before the end, so the limits of the server that wrote the WAL do not matter.
    ...(options.recovery === undefined ? {} : { hot_standby: 'off', ...options.recovery.settings }),
  };
  const server = launch(dataDir, cluster, binaries, identity, varying, clock);
  const lock = await untilReady(url, server, {
    dataDir,
    clock,
    withinMs: options.recovery === undefined ? startWithinMs : recoverWithinMs,
  });
  return {
    url,
    ended: server.ended,
    stop: async () => {
      await lock.end().catch(() => undefined);
      await server.stop();
    },
  };
}

/** Rejects where `startEmbeddedPostgres` would reject this folder or machine. Creates and starts nothing. */
export async function checkEmbeddedPostgres(dataDir: string): Promise<void> {
  const folder = checkDataFolder(dataDir, enoughFreeBytes);
  identityFor([folder], await findBinaries());
}

function identityFor(folders: readonly string[], binaries: Binaries): Identity {
  return chooseIdentity([...folders, dirname(realpathSync(binaries.postgres))]);
}

/** For commands. Fails if no server runs. */
export function connectToRunning(dataDir: string): string | undefined {
  const postmaster = runningPostmaster(join(dataDir, 'postgres'));
  return postmaster && addressOf(dataDir, postmaster.port);
}

async function endLeftover(dataDir: string, cluster: string, clock: Clock): Promise<void> {
  const running = runningPostmaster(cluster);
  if (running === undefined) return removeStaleLock(cluster);
  if (await isInUse(addressOf(dataDir, running.port))) {
    throw new PostgresError('DATA_FOLDER_IN_USE', `the data folder ${dataDir} is in use by another Weir`);
  }
  await stopPostmaster(clock, running.pid);
}

/** A busy server frees the lock of a killed owner only after some time. */
const releaseWithinMs = 2_000;

/** A server that starts or recovers has no users. Any other silence may be a busy server. */
async function isInUse(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000, query_timeout: 10_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query(`SET lock_timeout = ${releaseWithinMs}`);
    await client.query(`SELECT ${advisoryLock('data-folder', 'session')}`);
    return false;
  } catch (error) {
    return !notUpYet.has(String((error as { code?: unknown }).code));
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Nobody listens, or PostgreSQL is starting up or shutting down. */
const notUpYet: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ECONNRESET', '57P03']);

function archivingOf(dataDir: string, identity: Identity): Readonly<Record<string, string>> {
  const folder = backupFolderOf(dataDir);
  if (folder === undefined) return {};
  prepareBackupFolder(folder, identity);
  return { ...archiving, archive_command: archiveCommand(folder) };
}

function launch(
  dataDir: string,
  cluster: string,
  binaries: Binaries,
  identity: Identity,
  varying: Readonly<Record<string, number | string>>,
  clock: Clock,
): GuardedServer {
  const all = { ...settings, ...varying };
  const flags = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const log = openSync(join(dataDir, 'postgres.log'), 'w', 0o600);
  try {
    return launchServer({ cluster, program: binaries.postgres, args: ['-D', cluster, ...flags], identity, log, clock });
  } finally {
    closeSync(log);
  }
}

/** Waits until the server accepts connections (after a crash it first replays its WAL), then locks the folder. */
async function untilReady(
  url: string,
  server: GuardedServer,
  { dataDir, clock, withinMs }: { dataDir: string; clock: Clock; withinMs: number },
): Promise<pg.Client> {
  const end = clock.monotonic() + withinMs;
  let failure: unknown;
  while (clock.monotonic() < end && server.isRunning()) {
    const client = new pg.Client({
      connectionString: url,
      application_name: 'weir folder lock',
      connectionTimeoutMillis: 5_000,
      query_timeout: 10_000,
      keepAlive: true,
    });
    client.on('error', () => undefined);
    try {
      await client.connect();
      // If nobody holds the lock, a killed process left the server behind.
      await client.query(`SELECT ${advisoryLock('data-folder', 'session')}`);
      return client;
    } catch (error) {
      failure = error;
      await client.end().catch(() => undefined);
      await clock.sleep(20);
    }
  }
  await server.stop();
  throw failed(dataDir, `PostgreSQL did not start: ${lastLogLine(dataDir)}`, failure);
}

function lastLogLine(dataDir: string): string {
  const lines = readFileSync(join(dataDir, 'postgres.log'), 'utf8').trim().split('\n');
  const own = lines.filter((line) => !turnedAway.test(line));
  return own.findLast((line) => /FATAL|PANIC|ERROR|error/.test(line)) ?? own.at(-1) ?? 'no output';
}

/** What PostgreSQL logs of a client that came too early, perhaps after the reason why it never was ready. */
const turnedAway = /FATAL: {2}the database system is |DETAIL: {2}(Hot standby mode is disabled|Consistent recovery state)/;

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
