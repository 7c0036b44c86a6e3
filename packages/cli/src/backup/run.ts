import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '@weir/clock';
import { holdsDatabase, openDatabase } from '@weir/installation';
import {
  backupFolderOf,
  type BaseBackup,
  listBackups,
  migrate,
  openPool,
  pruneBackups,
  restoreBackup,
  type RestoreTarget,
  setBackupFolder,
  takeBackup,
} from '@weir/postgres';
import { createLogger, jobMigrations, jobModule, Jobs } from '@weir/service-kit';
import { confirm } from '../confirm.ts';
import type { PlaceFlags } from '../flags.ts';
import { untilInterrupted } from '../installation.ts';
import { note, print, printJson, table } from '../output.ts';
import { openProgress } from '../progress.ts';
import { type AllSettings, loadSettings } from '../settings.ts';

interface BackupFlags extends PlaceFlags {
  readonly keep?: number;
  readonly everyHours?: number;
  readonly list?: true;
  readonly json?: true;
}

interface RestoreFlags extends PlaceFlags {
  readonly from?: string;
  readonly to?: Date;
  readonly toName?: string;
  readonly toLsn?: string;
  readonly yes?: true;
  readonly json?: true;
}

const hourMs = 3_600_000;
const megabyte = 1024 * 1024;

export async function runBackup(flags: BackupFlags): Promise<void> {
  const settings = loadSettings(flags);
  const { dataDir } = settings;
  requireEmbedded(settings, flags);
  if (flags.list) return list(folderOf(settings), flags);
  if (!holdsDatabase(dataDir)) throw new Error(`there is no database in ${dataDir}`);
  await untilInterrupted(async (undo) => {
    // It takes effect now if this command starts the server.
    if (settings.backupDir !== '') setBackupFolder(dataDir, settings.backupDir);
    const opening = openDatabase({ databaseUrl: '', dataDir, isFolderNamed: true, clock: systemClock });
    undo.push(() => opening.then((opened) => opened?.close()));
    const database = await opening;
    const progress = openProgress(systemClock);
    const url = database?.url ?? '';
    const { backup, removed } = await recorded(url, settings, flags, async () => ({
      backup: await takeBackup({ dataDir, url, clock: systemClock, onBytes: showing(progress, undefined) }).finally(() => progress.clear()),
      removed: flags.keep === undefined ? [] : await pruneBackups(folderOf(settings), flags.keep),
    }));
    if (flags.json) await printJson({ backup: jsonOf(backup), removed: removed.map(jsonOf) });
    else await print(`${backup.path}\n`);
    note(`${Math.round(backup.bytes / megabyte)} MB; ${removed.length} older backups removed.`);
  });
}

/** As the job `weir/backup`. */
async function recorded<T>(url: string, { logLevel }: AllSettings, { everyHours }: BackupFlags, work: () => Promise<T>): Promise<T> {
  const pool = openPool({ url, max: 1 });
  try {
    const jobs = new Jobs({ db: pool, clock: systemClock, logger: createLogger({ service: 'weir', level: logLevel }) });
    await migrate(pool, jobModule, jobMigrations);
    return await jobs.run({ service: 'weir', name: 'backup', everyMs: everyHours && everyHours * hourMs }, work);
  } finally {
    await pool.end();
  }
}

async function list(folder: string, { json }: BackupFlags): Promise<void> {
  const backups = listBackups(folder);
  if (json) return printJson(backups.map(jsonOf));
  const rows = backups.map(({ path, stoppedAt, bytes }) => [stoppedAt.toISOString(), `${Math.round(bytes / megabyte)} MB`, path]);
  await print(table(['restores to', 'size', 'path'], rows));
}

export async function runRestore(flags: RestoreFlags): Promise<void> {
  const settings = loadSettings(flags);
  const { dataDir } = settings;
  requireEmbedded(settings, flags);
  const folder = flags.from ?? folderOf(settings);
  const target = targetOf(flags);
  const what = holdsDatabase(dataDir) ? `Replace the database of ${dataDir}` : `Restore into ${dataDir}`;
  const point = target.kind === 'latest' ? 'the latest point' : `the point ${pointOf(target)}`;
  if (!(await confirm(`${what} from ${folder}, ${point}?`, flags.yes))) return note('Nothing was changed.');
  const progress = openProgress(systemClock);
  const restored = await restoreBackup({ dataDir, folder, target, clock: systemClock, onBytes: showing(progress, undefined) });
  progress.clear();
  const { backup, lastCommitAt, timeline, replaced } = restored;
  const lastCommit = lastCommitAt?.toISOString() ?? backup.stoppedAt.toISOString();
  if (flags.json) await printJson({ backup: jsonOf(backup), last_commit_at: lastCommit, timeline, replaced: replaced ?? null });
  else await print(`Restored from ${backup.path}: the last commit is of ${lastCommit}.\n`);
  if (replaced !== undefined) note(`The database from before is in ${replaced}; remove it when you no longer need it.`);
  for (const name of ['permit-key-secret', 'audit-key', 'permit-journal'].filter((each) => !existsSync(join(dataDir, each))))
    note(`${name} is not in ${dataDir}; bring back the one of the installation before the next start.`);
  note('No service works on it until "weir reconcile" has ended.');
}

function requireEmbedded({ databaseUrl }: AllSettings, { dataDir }: PlaceFlags): void {
  if (databaseUrl !== '' && dataDir === undefined)
    throw new Error('this command is for the embedded database; that of DATABASE_URL has tools of its own, see docs/backup.md');
}

function folderOf({ backupDir, dataDir }: AllSettings): string {
  const folder = backupDir === '' ? backupFolderOf(dataDir) : backupDir;
  if (folder === undefined) throw new Error('setting WEIR_BACKUP_DIR is not set: it names the folder of the backups');
  return folder;
}

function targetOf({ to, toName, toLsn }: RestoreFlags): RestoreTarget {
  if (to !== undefined) return { kind: 'time', at: to };
  if (toName !== undefined) return { kind: 'name', name: toName };
  return toLsn === undefined ? { kind: 'latest' } : { kind: 'lsn', lsn: toLsn };
}

function pointOf(target: Exclude<RestoreTarget, { kind: 'latest' }>): string {
  if (target.kind === 'time') return target.at.toISOString();
  return target.kind === 'name' ? target.name : target.lsn;
}

function showing(progress: ReturnType<typeof openProgress>, total: number | undefined): (bytes: number) => void {
  let copied = 0;
  return (bytes) => progress.show(Math.round((copied += bytes) / megabyte), total, 'MB');
}

function jsonOf({ path, startedAt, stoppedAt, timeline, bytes }: BaseBackup) {
  return { path, started_at: startedAt.toISOString(), stopped_at: stoppedAt.toISOString(), timeline, bytes };
}
