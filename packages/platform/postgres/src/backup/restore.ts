import { existsSync, readdirSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { copyFile, mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Clock } from '@weir/clock';
import pg from 'pg';
import { findBinaries } from '../binaries.ts';
import { prepareFolder } from '../data-folder.ts';
import { startEmbeddedPostgres } from '../embedded.ts';
import { PostgresError } from '../errors.ts';
import { chooseIdentity } from '../identity.ts';
import { runningPostmaster } from '../postmaster.ts';
import { copyCluster, give } from './copy.ts';
import { backupFolderOf, type BaseBackup, listBackups, restoreCommand, setBackupFolder } from './folder.ts';

/** The point to restore to: the end of the WAL, all that was committed by a time, or a restore point by its name or place. */
export type RestoreTarget =
  | { readonly kind: 'latest' }
  | { readonly kind: 'time'; readonly at: Date }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'lsn'; readonly lsn: string };

export interface RestoreOptions {
  readonly dataDir: string;
  /** The backup folder. */
  readonly folder: string;
  readonly target: RestoreTarget;
  readonly clock: Clock;
  readonly onBytes?: (bytes: number) => void;
}

export interface Restored {
  readonly backup: BaseBackup;
  /** Of the last transaction that was restored; undefined if the backup had all. */
  readonly lastCommitAt: Date | undefined;
  readonly timeline: number;
  /** Where the replaced cluster is now; undefined if there was none. */
  readonly replaced: string | undefined;
}

/**
 * Restores beside the cluster of the data folder, and takes its place at the end. A failure leaves the folder as it was. WAL of the replaced
 * cluster that the backup folder lacks is used too. Rejects with PostgresError.
 */
export async function restoreBackup(options: RestoreOptions): Promise<Restored> {
  const { folder, clock } = options;
  const dataDir = prepareFolder(options.dataDir, 0);
  const cluster = join(dataDir, 'postgres');
  if (runningPostmaster(cluster) !== undefined)
    throw new PostgresError('DATA_FOLDER_IN_USE', `the database of ${dataDir} runs; stop Weir first`);
  const backup = chooseBackup(folder, options.target);
  const staging = join(dataDir, 'restoring');
  rmSync(staging, { recursive: true, force: true });
  await mkdir(staging);
  try {
    const binaries = await findBinaries();
    const identity = chooseIdentity([staging, folder, dirname(realpathSync(binaries.postgres))]);
    const fresh = join(staging, 'postgres');
    await copyCluster(join(backup.path, 'postgres'), fresh, {
      identity,
      isRunning: false,
      ...(options.onBytes === undefined ? {} : { onBytes: options.onBytes }),
    });
    await give(fresh, identity);
    if (existsSync(cluster)) await copyNewestWal(cluster, fresh, folder, (path) => give(path, identity));
    const signal = join(fresh, 'recovery.signal');
    writeFileSync(signal, '', { mode: 0o600 });
    await give(signal, identity);
    // The new timeline goes to the folder that the cluster's WAL goes to. A rehearsal elsewhere leaves the archive alone.
    const own = backupFolderOf(dataDir);
    if (own !== undefined) setBackupFolder(staging, own);
    const recovery = { restore_command: restoreCommand(folder), ...targetSettings(options.target) };
    const { lastCommitAt, timeline } = await recover(staging, clock, { folder, settings: recovery });
    const replaced = existsSync(cluster) ? `${cluster}.before-${new Date(clock.now()).toISOString().replaceAll(/[-:.]/g, '')}` : undefined;
    if (replaced !== undefined) renameSync(cluster, replaced);
    renameSync(fresh, cluster);
    return { backup, lastCommitAt, timeline, replaced };
  } finally {
    await rm(staging, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}

function chooseBackup(folder: string, target: RestoreTarget): BaseBackup {
  const all = listBackups(folder);
  if (all.length === 0) throw new PostgresError('POSTGRES_FAILED', `there is no complete backup in ${folder}`);
  const suitable = target.kind === 'time' ? all.filter(({ stoppedAt }) => stoppedAt <= target.at) : all;
  // A restore point or a place may be older than the newest backup, and the WAL after an older one has it too.
  const chosen = target.kind === 'latest' || target.kind === 'time' ? suitable.at(-1) : suitable[0];
  if (chosen !== undefined) return chosen;
  throw new PostgresError('POSTGRES_FAILED', `the first backup in ${folder} ended at ${all[0]?.stoppedAt.toISOString()}, after that time`);
}

/** Segments that were not archived yet. PostgreSQL takes those of the archive first. */
async function copyNewestWal(from: string, to: string, folder: string, own: (path: string) => Promise<void>): Promise<void> {
  for (const name of readdirSync(join(from, 'pg_wal'))) {
    if (!/^[0-9A-F]{24}$/.test(name) || existsSync(join(folder, 'wal', `${name}.gz`))) continue;
    const target = join(to, 'pg_wal', name);
    await copyFile(join(from, 'pg_wal', name), target);
    await own(target);
  }
}

function targetSettings(target: RestoreTarget): Readonly<Record<string, string>> {
  switch (target.kind) {
    case 'latest':
      return {};
    case 'time':
      // Names of time zones, such as Z, are not known yet when PostgreSQL reads this.
      return { recovery_target_time: target.at.toISOString().replace('Z', '+00'), recovery_target_action: 'promote' };
    case 'name':
      return { recovery_target_name: target.name, recovery_target_action: 'promote' };
    case 'lsn':
      return { recovery_target_lsn: target.lsn, recovery_target_action: 'promote' };
  }
}

/** Ends with a cluster that is shut down on its new timeline. */
async function recover(dataDir: string, clock: Clock, recovery: { folder: string; settings: Readonly<Record<string, string>> }) {
  const server = await startEmbeddedPostgres({ dataDir, clock, recovery, minimumFreeBytes: 0 });
  try {
    const client = new pg.Client({ connectionString: server.url });
    client.on('error', () => undefined);
    await client.connect();
    try {
      const { rows } = await client.query<{ at: Date | null; timeline: number }>(
        `SELECT pg_last_xact_replay_timestamp() AS at, ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::integer AS timeline`,
      );
      return { lastCommitAt: rows[0]?.at ?? undefined, timeline: rows[0]?.timeline ?? 0 };
    } finally {
      await client.end();
    }
  } finally {
    await server.stop();
  }
}
