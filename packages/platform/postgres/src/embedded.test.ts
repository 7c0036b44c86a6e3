import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { systemClock } from '@weir/clock';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findBinaries } from './binaries.ts';
import { openPool, PostgresError, startEmbeddedPostgres } from './index.ts';
import { runningPostmaster } from './postmaster.ts';

let dataDir: string;
beforeEach(() => {
  // mkdtemp closes the folder to other users, as a clone below a private folder is.
  dataDir = mkdtempSync(join(tmpdir(), 'weir-embedded-'));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

const start = (folder = dataDir) => startEmbeddedPostgres({ dataDir: folder, clock: systemClock });

test('keeps what was committed when the server was killed, and refuses a second user of the folder', async () => {
  const first = await start();
  const pool = openPool({ url: first.url });
  await pool.query('CREATE TABLE kept (n int8)');
  await pool.query('INSERT INTO kept VALUES (9007199254740993)');
  await expect(start()).rejects.toMatchObject({ code: 'DATA_FOLDER_IN_USE' });

  await pool.end();
  process.kill(runningPostmaster(join(dataDir, 'postgres'))?.pid ?? 0, 'SIGKILL');
  await first.ended;
  const second = await start();
  const again = openPool({ url: second.url });
  expect((await again.query('SELECT n FROM kept')).rows).toEqual([{ n: 9_007_199_254_740_993n }]);
  await again.end();
  await second.stop();
});

describe('a folder that cannot be used is named in one line:', () => {
  async function refusal(starting: Promise<unknown>): Promise<PostgresError> {
    const error = await starting.then(
      () => 'started',
      (cause: unknown) => cause,
    );
    expect(error).toBeInstanceOf(PostgresError);
    expect((error as PostgresError).message).not.toContain('\n');
    return error as PostgresError;
  }

  test('of another version', async () => {
    mkdirSync(join(dataDir, 'postgres'));
    writeFileSync(join(dataDir, 'postgres', 'PG_VERSION'), '15\n');
    const error = await refusal(start());
    expect(error).toMatchObject({ code: 'DATA_FOLDER_VERSION' });
    expect(error.message).toBe('the data folder holds PostgreSQL 15, this Weir brings 18; use another --data-dir');
  });

  test('a file', async () => {
    writeFileSync(join(dataDir, 'file'), '');
    expect(await refusal(start(join(dataDir, 'file')))).toMatchObject({ code: 'DATA_FOLDER_UNUSABLE' });
    expect(await refusal(start(join(dataDir, 'file', 'below')))).toMatchObject({ code: 'DATA_FOLDER_UNUSABLE' });
  });

  test('one whose password is gone', async () => {
    await (await start()).stop();
    rmSync(join(dataDir, 'postgres', 'weir-password'));
    const error = await refusal(start());
    expect(error).toMatchObject({ code: 'DATA_FOLDER_UNUSABLE' });
    expect(error.message).toContain('weir-password cannot be read: ENOENT');
    expect(runningPostmaster(join(dataDir, 'postgres'))).toBeUndefined();
  });

  test('one whose cluster is damaged', async () => {
    await (await start()).stop();
    rmSync(join(dataDir, 'postgres', 'global', 'pg_control'));
    const error = await refusal(start());
    expect(error).toMatchObject({ code: 'POSTGRES_FAILED' });
    expect(error.message).toMatch(/^PostgreSQL did not start: .*pg_control/);
  });

  test('one that PostgreSQL gives up, also when a client is turned away after the reason was logged', async () => {
    await (await start()).stop();
    const postgres = join(dataDir, 'gives-up');
    writeFileSync(
      postgres,
      `#!/bin/sh
echo '2026-01-01 00:00:00 GMT [2] FATAL:  recovery ended before configured recovery target was reached' >&2
echo '2026-01-01 00:00:00 GMT [1] LOG:  startup process (PID 2) exited with exit code 1' >&2
echo '2026-01-01 00:00:00 GMT [3] FATAL:  the database system is not accepting connections' >&2
echo '2026-01-01 00:00:00 GMT [3] DETAIL:  Hot standby mode is disabled.' >&2
exit 1
`,
      { mode: 0o755 },
    );
    const binaries = { ...(await findBinaries()), postgres };
    const error = await refusal(startEmbeddedPostgres({ dataDir, clock: systemClock, binaries }));
    expect(error.message).toMatch(/^PostgreSQL did not start: .*recovery target was reached$/);
  });

  test('one on a full disk', async () => {
    const full = { code: 'DISK_FULL', retriable: true };
    const needed = startEmbeddedPostgres({ dataDir, clock: systemClock, minimumFreeBytes: 2 ** 60 });
    expect(await refusal(needed)).toMatchObject({ ...full, message: `the disk of ${dataDir} has less than 1099511627776 MB free` });
    await onSmallDisk(async (folder) => {
      expect(await refusal(start(folder))).toMatchObject({ ...full, message: `the disk of ${folder} has less than 200 MB free` });
      // PostgreSQL itself reports a disk that fills later.
      const small = startEmbeddedPostgres({ dataDir: folder, clock: systemClock, minimumFreeBytes: 1 });
      const error = await refusal(small);
      expect(error).toMatchObject(full);
      expect(error.message).toMatch(/^the disk of .* is full: PostgreSQL could not be initialised: .*No space left on device/);
    });
  });
});

test.each([0o700, 0o711])('works in a folder of mode %o and below it, and closes its own secrets to others', async (mode) => {
  chmodSync(dataDir, mode);
  const folder = join(dataDir, 'closed', 'data');
  mkdirSync(join(dataDir, 'closed'), { mode });
  const server = await start(folder);
  const pool = openPool({ url: server.url });
  await pool.query('CREATE TABLE t (n int); CHECKPOINT');
  await pool.end();
  await server.stop();
  await (await start(folder)).stop();
  const modes = ['postgres', 'postgres/weir-password', 'postgres.log'].map((name) => statSync(join(folder, name)).mode & 0o077);
  expect(modes).toEqual([0, 0, 0]);
});

/** Runs `work` on a 16 MB disk; mounting one takes root. */
async function onSmallDisk(work: (folder: string) => Promise<void>): Promise<void> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return;
  const folder = join(dataDir, 'small');
  mkdirSync(folder);
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16m', 'tmpfs', folder]);
  try {
    await work(folder);
  } finally {
    execFileSync('umount', ['-l', folder]);
  }
}

test('programs in a folder closed to others run, as in a clone below a private folder', async () => {
  const { initdb } = await findBinaries();
  const copy = join(dataDir, 'programs');
  mkdirSync(copy, { mode: 0o700 });
  cpSync(dirname(dirname(initdb)), join(copy, 'native'), { recursive: true, verbatimSymlinks: true });
  const bin = join(copy, 'native', 'bin');
  const server = await startEmbeddedPostgres({
    dataDir: join(dataDir, 'data'),
    clock: systemClock,
    binaries: { initdb: join(bin, 'initdb'), postgres: join(bin, 'postgres') },
  });
  const pool = openPool({ url: server.url });
  expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  await pool.end();
  await server.stop();
});
