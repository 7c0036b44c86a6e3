import { existsSync, renameSync, rmSync } from 'node:fs';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '@weir/clock';
import pg from 'pg';
import { PostgresError } from '../errors.ts';
import { copyCluster, syncFolder } from './copy.ts';
import { backupFolderOf, type BaseBackup, listBackups, writeManifest } from './folder.ts';

/** PostgreSQL waits for the archive of the last segment. */
const archiveWithinMs = 600_000;

export interface BackupOptions {
  readonly dataDir: string;
  /** Of the running server, as its owner. */
  readonly url: string;
  readonly clock: Clock;
  readonly onBytes?: (bytes: number) => void;
}

/** Copies the running cluster of a data folder into its backup folder, while it works. Rejects with PostgresError. */
export async function takeBackup({ dataDir, url, clock, onBytes }: BackupOptions): Promise<BaseBackup> {
  const folder = backupFolderOf(dataDir);
  if (folder === undefined) throw notArchiving();
  const path = join(folder, 'base', new Date(clock.now()).toISOString().replaceAll(/[-:]/g, ''));
  const partial = `${path}.partial`;
  const client = new pg.Client({ connectionString: url, application_name: 'weir backup', keepAlive: true });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query<{ archiving: boolean; command: string }>(
      `SELECT current_setting('archive_mode') <> 'off' AS archiving, current_setting('archive_command') AS command`,
    );
    if (rows[0]?.archiving !== true) throw notArchiving();
    await mkdir(partial, { mode: 0o700 });
    const began = await start(client);
    const bytes = await copyCluster(join(dataDir, 'postgres'), join(partial, 'postgres'), {
      identity: { command: (program, args) => ({ program, args: [...args] }) },
      isRunning: true,
      ...(onBytes === undefined ? {} : { onBytes }),
    });
    const { label, map, stoppedAt } = await stop(client);
    const write = (name: string, text: string): Promise<void> =>
      writeFile(join(partial, 'postgres', name), text, { mode: 0o600, flush: true });
    await write('backup_label', label);
    if (map !== '') await write('tablespace_map', map);
    writeManifest(partial, { ...began, stoppedAt, bytes });
    await syncFolder(partial);
    renameSync(partial, path);
    await syncFolder(join(folder, 'base'));
    return { path, ...began, stoppedAt, bytes };
  } finally {
    rmSync(partial, { recursive: true, force: true });
    // Ends an unfinished backup too.
    await client.end().catch(() => undefined);
  }
}

function notArchiving(): PostgresError {
  return new PostgresError('POSTGRES_FAILED', 'the WAL of this database goes nowhere: set WEIR_BACKUP_DIR and start Weir again');
}

async function start(client: pg.Client) {
  const { rows } = await client.query<{ at: Date; segment: string; timeline: number; system: string }>(
    `SELECT clock_timestamp() AS at, pg_walfile_name(lsn) AS segment, ('x' || left(pg_walfile_name(lsn), 8))::bit(32)::integer AS timeline,
       (SELECT system_identifier::text FROM pg_control_system()) AS system
     FROM pg_backup_start('weir', true) AS lsn`,
  );
  const [row] = rows;
  if (row === undefined) throw new TypeError('pg_backup_start said nothing');
  return { startedAt: row.at, firstSegment: row.segment, timeline: row.timeline, systemIdentifier: row.system };
}

async function stop(client: pg.Client) {
  await client.query(`SET statement_timeout = ${archiveWithinMs}`);
  const { rows } = await client.query<{ label: string; map: string; at: Date }>(
    'SELECT labelfile AS label, spcmapfile AS map, clock_timestamp() AS at FROM pg_backup_stop(true)',
  );
  const [row] = rows;
  if (row === undefined) throw new TypeError('pg_backup_stop said nothing');
  return { label: row.label, map: row.map, stoppedAt: row.at };
}

/** Removes all but the latest `keep` backups, and the WAL that only they need. Returns the removed ones. */
export async function pruneBackups(folder: string, keep: number): Promise<BaseBackup[]> {
  const all = listBackups(folder);
  const removed = all.slice(0, Math.max(0, all.length - keep));
  const [oldest] = all.slice(removed.length);
  if (oldest === undefined || removed.length === 0) return [];
  for (const { path } of removed) await rm(path, { recursive: true });
  const wal = join(folder, 'wal');
  // The name has the timeline first; the history of a timeline is small and stays.
  const position = (name: string): string => name.slice(8, 24);
  for (const name of existsSync(wal) ? await readdir(wal) : []) {
    if (/^[0-9A-F]{24}(\.|$)/.test(name) && position(name) < position(oldest.firstSegment)) await rm(join(wal, name));
  }
  return removed;
}
