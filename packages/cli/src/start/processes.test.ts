import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findRunning } from '@weir/installation';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { freePorts, type Live, makeFolder, startWeir, weir } from '../testing/weir.ts';

const folder = makeFolder();
const place = ['--data-dir', folder.path];
let port = 0;
let live: Live;

async function start(): Promise<void> {
  live = startWeir(['start', '--port', String(port), '--no-sample', '--processes', '2', ...place]);
  await live.said('Ready after');
}

beforeAll(async () => {
  port = await freePorts();
  await start();
});
afterAll(async () => {
  await live.end('SIGKILL');
  folder.remove();
});

const isReady = (at: number): Promise<boolean> =>
  fetch(`http://127.0.0.1:${at}/readyz`).then(
    (answer) => answer.ok,
    () => false,
  );

async function furtherPid(): Promise<number> {
  const { stdout } = await promisify(execFile)('pgrep', ['-P', String(findRunning(folder.path)?.pid), '-f', 'weir-pipeline']);
  const pids = stdout.trim().split('\n').map(Number);
  expect(pids).toHaveLength(1);
  return pids[0] ?? 0;
}

/** Posts a deposit at a process and waits for its decision. */
async function screen(at: number, id: string): Promise<void> {
  const token = JSON.parse(readFileSync(join(folder.path, 'dev-credentials.json'), 'utf8')).tokens;
  const headers = { authorization: `Bearer ${token.ingest}`, 'content-type': 'application/json' };
  const body = JSON.stringify({
    deposit_id: id,
    coin: 'ETH',
    from_address: '0x098B716B8Aaf21512996dC57EB0615e2383E2f96',
    to_address: '0x28C6c06298d514Db089934071355E5743bf21d60',
    amount: '1.5',
  });
  const posted = await fetch(`http://127.0.0.1:${at}/v1/deposits`, { method: 'POST', headers, body });
  expect(posted.status).toBe(202);
  const { screening_id } = (await posted.json()) as { screening_id: string };
  await vi.waitFor(
    async () => {
      const url = `http://127.0.0.1:${port}/v1/screenings/${screening_id}`;
      const answer = await fetch(url, { headers: { authorization: `Bearer ${token.auditor}` } });
      expect(((await answer.json()) as { decisions: unknown[] }).decisions).toHaveLength(1);
    },
    { timeout: 60_000, interval: 100 },
  );
}

test('a further process shares the work, is started again when it ends, and ends with Weir', async () => {
  await screen(port, 'd-1');
  await screen(port + 1, 'd-2');
  const killed = await furtherPid();
  process.kill(killed, 'SIGKILL');
  await vi.waitFor(() => expect(live.output()).toContain('a process of the pipeline is started again: it ended with SIGKILL'), 30_000);
  await vi.waitFor(async () => expect(await isReady(port + 1)).toBe(true), 60_000);
  expect(await furtherPid()).not.toBe(killed);
  await screen(port + 1, 'd-3');

  expect(await live.end('SIGTERM')).toBe(0);
  expect(await isReady(port + 1)).toBe(false);
});

test('SIGKILL to Weir ends its further processes', async () => {
  await start();
  const further = await furtherPid();
  await live.end('SIGKILL');
  await vi.waitFor(() => expect(() => process.kill(further, 0)).toThrow('ESRCH'), 60_000);
});

test('a number of processes that cannot be is refused', async () => {
  const { code, stderr } = await weir(['start', '--processes', '65', ...place]);
  expect([code, stderr]).toEqual([1, 'weir: setting WEIR_PROCESSES is wrong: must be a whole number from 1 to 64\n']);
});
