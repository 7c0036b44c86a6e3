import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@weir/clock';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { connectToRunning, type EmbeddedPostgres, openPool, startEmbeddedPostgres } from './index.ts';
import { runningPostmaster } from './postmaster.ts';

let dataDir: string;
let servers: EmbeddedPostgres[];
let children: ChildProcess[];
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'weir-takeover-'));
  servers = [];
  children = [];
});
afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  for (const server of servers) await server.stop();
  // A failed test may have left a server behind.
  const left = runningPostmaster(cluster());
  if (left !== undefined) process.kill(left.pid, 'SIGKILL');
  rmSync(dataDir, { recursive: true, force: true });
});

const cluster = () => join(dataDir, 'postgres');

async function start(): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres({ dataDir, clock: systemClock });
  servers.push(server);
  return server;
}

function writer(): { child: ChildProcess; lines: () => string[]; killed: () => Promise<void> } {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'server-process.ts'), dataDir], { stdio: ['ignore', 'pipe', 'pipe'] });
  children.push(child);
  let output = '';
  child.stdout?.on('data', (data) => (output += data));
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  return {
    child,
    lines: () => output.split('\n').slice(0, -1),
    killed: async () => {
      child.kill('SIGKILL');
      await closed;
    },
  };
}

/** Minimal Linux systems have no ps. */
function stateAndParentOf(pid: number): { state: string; parent: number } {
  const [state = '', parent] =
    process.platform === 'linux'
      ? readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ').slice(2)
      : execFileSync('ps', ['-o', 'state=,ppid=', '-p', String(pid)], { encoding: 'utf8' })
          .trim()
          .split(/ +/);
  return { state: state.slice(0, 1), parent: Number(parent) };
}

const parentOf = (pid: number): number => stateAndParentOf(pid).parent;

function childrenOf(pid: number): number[] {
  if (process.platform !== 'linux')
    return execFileSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' })
      .trim()
      .split('\n')
      .map(Number);
  const isChild = (other: number): boolean => {
    try {
      return parentOf(other) === pid;
    } catch {
      // It has ended meanwhile.
      return false;
    }
  };
  return readdirSync('/proc').map(Number).filter(isChild);
}

async function rows(url: string): Promise<number> {
  const pool = openPool({ url });
  const { rows: found } = await pool.query<{ count: bigint }>('SELECT count(*) FROM written');
  await pool.end();
  return Number(found[0]?.count);
}

test('a server ends soon after the process that started it is killed, and keeps every row that was committed', async () => {
  const { lines, killed } = writer();
  await vi.waitFor(() => expect(lines().length).toBeGreaterThan(20), { timeout: 20_000, interval: 10 });
  await killed();
  const committed = lines().length;
  await vi.waitFor(() => expect(runningPostmaster(cluster())).toBeUndefined(), { timeout: 20_000, interval: 10 });
  // The last row may be committed but not yet printed.
  expect([committed, committed + 1]).toContain(await rows((await start()).url));
});

test('a server whose guardian was killed too is taken over, with every row that was committed', async () => {
  const { child, lines, killed } = writer();
  await vi.waitFor(() => expect(lines().length).toBeGreaterThan(20), { timeout: 20_000, interval: 10 });
  const left = runningPostmaster(cluster());
  // Stopped first, so it cannot end the server when the guardian dies.
  child.kill('SIGSTOP');
  await vi.waitFor(() => expect(stateAndParentOf(child.pid ?? 0).state).toBe('T'), { interval: 1 });
  const guardian = parentOf(left?.pid ?? 0);
  // It has a child that ends the server when its input ends, also without it.
  for (const pid of childrenOf(guardian)) if (pid !== left?.pid) process.kill(pid, 'SIGKILL');
  process.kill(guardian, 'SIGKILL');
  await killed();
  const committed = lines().length;
  expect(runningPostmaster(cluster())).toEqual(left);
  const server = await start();
  expect(runningPostmaster(cluster())?.pid).not.toBe(left?.pid);
  expect([committed, committed + 1]).toContain(await rows(server.url));
});

test('a server whose guardian is killed ends', async () => {
  const server = await start();
  process.kill(parentOf(runningPostmaster(cluster())?.pid ?? 0), 'SIGKILL');
  await server.ended;
  expect(runningPostmaster(cluster())).toBeUndefined();
});

test('a server in use is joined, not taken over, however busy it is', async () => {
  const { child, lines } = writer();
  await vi.waitFor(() => expect(lines().length).toBeGreaterThan(0), { timeout: 20_000, interval: 10 });
  const url = connectToRunning(dataDir);
  const clients: pg.Client[] = [];
  for (let full = false; !full; ) {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => undefined);
    await client.connect().then(
      () => clients.push(client),
      () => (full = true),
    );
  }
  expect(clients.length).toBeGreaterThan(10);
  await expect(start()).rejects.toMatchObject({
    code: 'DATA_FOLDER_IN_USE',
    retriable: false,
    message: `the data folder ${dataDir} is in use by another Weir`,
  });
  const before = lines().length;
  await vi.waitFor(() => expect(lines().length).toBeGreaterThan(before));
  expect(child.exitCode).toBeNull();
  await Promise.all(clients.map((client) => client.end()));
  await expect(start()).rejects.toMatchObject({ code: 'DATA_FOLDER_IN_USE' });
});

test('the rest of a crash is cleared: a lock file whose number belongs to another program', async () => {
  const server = await start();
  const lock = readFileSync(join(cluster(), 'postmaster.pid'), 'utf8');
  await server.stop();
  expect(connectToRunning(dataDir)).toBeUndefined();
  writeFileSync(join(cluster(), 'postmaster.pid'), lock.replace(/^\d+/, String(process.pid)));
  await start();
  expect(servers.at(-1)?.url).toContain(connectToRunning(dataDir));
});

describe('an initialisation that was killed', () => {
  test('in its midst is begun anew', async () => {
    for (const stage of ['PG_VERSION', join('global', 'pg_control')]) {
      const { killed } = writer();
      const begun = () => readdirSync(dataDir).some((name) => name.startsWith('postgres.new-') && existsSync(join(dataDir, name, stage)));
      await vi.waitFor(() => expect(begun()).toBe(true), { timeout: 20_000, interval: 1 });
      await killed();
      expect(existsSync(cluster())).toBe(false);
    }
    const server = await start();
    const pool = openPool({ url: server.url });
    expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    await pool.end();
  });

  test('leaves nothing that is in the way: an empty folder, and files made aside', async () => {
    mkdirSync(cluster());
    mkdirSync(join(dataDir, 'postgres.new-0123456789ab', 'base'), { recursive: true });
    writeFileSync(join(dataDir, 'postgres.new-0123456789ab', 'PG_VERSION'), '18\n');
    writeFileSync(join(dataDir, 'postgres.new-0123456789ab.password'), 'of before');
    await start();
    expect(readdirSync(dataDir).toSorted()).toEqual(['postgres', 'postgres.log']);
  });

  test('by another that began at the same time leaves a folder that works', async () => {
    const begun = await Promise.allSettled([start(), start(), start()]);
    for (const server of servers.splice(0)) await server.stop();
    for (const { reason } of begun.filter((one) => one.status === 'rejected')) {
      expect(['POSTGRES_FAILED', 'DATA_FOLDER_IN_USE', 'DATA_FOLDER_UNUSABLE']).toContain((reason as { code: string }).code);
    }
    const pool = openPool({ url: (await start()).url });
    expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    await pool.end();
  });

  test('is not taken for somebody’s own folder of that name, which is left as it is', async () => {
    mkdirSync(join(cluster(), 'src'), { recursive: true });
    writeFileSync(join(cluster(), 'src', 'work'), 'mine');
    await expect(start()).rejects.toMatchObject({ code: 'DATA_FOLDER_UNUSABLE' });
    expect(readFileSync(join(cluster(), 'src', 'work'), 'utf8')).toBe('mine');
  });
});
