import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@weir/clock';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../embedded.ts';
import { openPool } from '../pool.ts';
import { pruneBackups, takeBackup } from './backup.ts';
import { listBackups, setBackupFolder } from './folder.ts';
import { restoreBackup, type RestoreTarget } from './restore.ts';

const top = mkdtempSync(join(tmpdir(), 'weir-backup-'));
// PostgreSQL runs as another user where the tests run as root.
const dataDir = join(top, "it's 100%");
const folder = join(top, 'backups of %p');
const points: { rows: number; at: Date; lsn: string; name: string }[] = [];
const clock = systemClock;

const query = async (server: EmbeddedPostgres, text: string): Promise<any[]> => {
  const pool = openPool({ url: server.url, max: 1 });
  try {
    return (await pool.query(text)).rows;
  } finally {
    await pool.end();
  }
};

/** Commits a row and notes the point after it. */
async function addPoint(server: EmbeddedPostgres): Promise<void> {
  const rows = points.length + 1;
  await query(server, `INSERT INTO t VALUES (${rows})`);
  const name = `point-${rows}`;
  const [row] = await query(server, `SELECT clock_timestamp() AS at, pg_create_restore_point('${name}') AS lsn`);
  // A time here has milliseconds. The next commit comes after this one.
  const at = new Date(row.at.getTime() + 1);
  while ((await query(server, 'SELECT clock_timestamp() AS at'))[0].at <= at);
  points.push({ rows, at, lsn: row.lsn, name });
}

beforeAll(async () => {
  setBackupFolder(dataDir, folder);
  const server = await startEmbeddedPostgres({ dataDir, clock });
  await query(server, 'CREATE TABLE t (n integer)');
  await addPoint(server);
  await takeBackup({ dataDir, url: server.url, clock });
  await addPoint(server);
  await addPoint(server);
  await server.stop();
});
afterAll(() => rmSync(top, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }));

async function restored(target: RestoreTarget, into: string): Promise<{ rows: number; timeline: number }> {
  const { timeline } = await restoreBackup({ dataDir: into, folder, target, clock });
  const server = await startEmbeddedPostgres({ dataDir: into, clock });
  try {
    const [row] = await query(server, 'SELECT count(*)::int AS rows FROM t');
    return { rows: row.rows, timeline };
  } finally {
    await server.stop();
  }
}

test('a rehearsal elsewhere reaches a time, a place, a name and the latest point, on a timeline of its own', async () => {
  const wal = readdirSync(join(folder, 'wal'));
  const [, second, last] = points;
  if (second === undefined || last === undefined) throw new Error('no points');
  const targets: [RestoreTarget, number][] = [
    [{ kind: 'time', at: second.at }, 2],
    [{ kind: 'lsn', lsn: second.lsn }, 2],
    [{ kind: 'name', name: last.name }, 3],
    [{ kind: 'latest' }, 3],
  ];
  for (const [n, [target, rows]] of targets.entries()) {
    expect(await restored(target, join(top, `rehearsal-${n}`))).toEqual({ rows, timeline: 2 });
  }
  expect(readdirSync(join(folder, 'wal'))).toEqual(wal);
});

test('the backup has the time that it restores to, is readable by its owner alone, and has no WAL of its own', () => {
  const [backup] = listBackups(folder);
  expect(backup?.stoppedAt.getTime()).toBeGreaterThan((points[0]?.at ?? new Date()).getTime() - 1);
  expect(statSync(join(backup?.path ?? '', 'postgres', 'weir-password')).mode & 0o777).toBe(0o600);
  expect(readdirSync(join(backup?.path ?? '', 'postgres', 'pg_wal')).toSorted()).toEqual(['archive_status', 'summaries']);
});

test('a point before the first backup or after the last commit is refused, and changes nothing', async () => {
  const into = join(top, 'refused');
  const earlier = restoreBackup({ dataDir: into, folder, target: { kind: 'time', at: new Date(0) }, clock });
  await expect(earlier).rejects.toMatchObject({ message: expect.stringMatching(/^the first backup in .* after that time$/) });
  const later = restoreBackup({ dataDir: into, folder, target: { kind: 'time', at: new Date('2100-01-01') }, clock });
  await expect(later).rejects.toMatchObject({ code: 'POSTGRES_FAILED', message: expect.stringContaining('recovery target') });
  expect(existsSync(join(into, 'postgres'))).toBe(false);
  const other = restoreBackup({ dataDir: into, folder: join(top, 'none'), target: { kind: 'latest' }, clock });
  await expect(other).rejects.toMatchObject({ message: expect.stringContaining('no complete backup') });
});

test('in its own place a restore keeps what it replaces, uses its newest WAL, and its WAL is archived on', async () => {
  const server = await startEmbeddedPostgres({ dataDir, clock });
  await query(server, 'INSERT INTO t VALUES (4)');
  await expect(restoreBackup({ dataDir, folder, target: { kind: 'latest' }, clock })).rejects.toMatchObject({ code: 'DATA_FOLDER_IN_USE' });
  await server.stop();
  // As if the machine had failed before its last segment was archived.
  const newest = readdirSync(join(folder, 'wal'))
    .toSorted((one, other) => (one < other ? -1 : 1))
    .findLast((name) => /^[0-9A-F]{24}\.gz$/.test(name));
  rmSync(join(folder, 'wal', newest ?? ''));
  const { replaced, timeline } = await restoreBackup({ dataDir, folder, target: { kind: 'latest' }, clock });
  expect(timeline).toBe(2);
  expect(existsSync(replaced ?? '')).toBe(true);
  const again = await startEmbeddedPostgres({ dataDir, clock });
  expect(await query(again, 'SELECT count(*)::int AS rows FROM t')).toEqual([{ rows: 4 }]);
  await takeBackup({ dataDir, url: again.url, clock });
  await query(again, 'INSERT INTO t VALUES (5)');
  await again.stop();
  expect(await pruneBackups(folder, 1)).toHaveLength(1);
  expect(readdirSync(join(folder, 'wal')).some((name) => name.startsWith('00000001'))).toBe(false);
  expect(await restored({ kind: 'latest' }, join(top, 'after'))).toEqual({ rows: 5, timeline: 3 });
});

test('a database whose WAL goes nowhere is not copied', async () => {
  const plain = join(top, 'plain');
  const server = await startEmbeddedPostgres({ dataDir: plain, clock });
  await expect(takeBackup({ dataDir: plain, url: server.url, clock })).rejects.toMatchObject({
    message: expect.stringContaining('WEIR_BACKUP_DIR'),
  });
  // Set beside a server that does not archive yet.
  setBackupFolder(plain, join(top, 'plain-backups'));
  await expect(takeBackup({ dataDir: plain, url: server.url, clock })).rejects.toMatchObject({
    message: expect.stringContaining('WEIR_BACKUP_DIR'),
  });
  await server.stop();
});
