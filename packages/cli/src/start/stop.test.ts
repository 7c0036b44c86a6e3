import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { connectToRunning } from '@weir/postgres';
import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest';
import { runInTerminal, type Terminal } from '../testing/terminal.ts';
import { cleanEnvironment, freePorts, makeFolder } from '../testing/weir.ts';
import { findRunning } from '@weir/installation';

const root = join(import.meta.dirname, '..', '..', '..', '..');
const folder = makeFolder();
const dataDir = join(folder.path, 'data');
afterAll(() => folder.remove());

let terminal: Terminal;
beforeEach(async () => {
  const args = ['start', '--', '--port', String(await freePorts()), '--data-dir', dataDir, '--no-sample'];
  terminal = runInTerminal(['npm', ...args], { cwd: root, env: cleanEnvironment });
  await terminal.shows('Ready after');
});
afterEach(() => terminal.close());

const isServing = (): boolean => connectToRunning(dataDir) !== undefined;
const untilServerEnds = () => vi.waitFor(() => expect(isServing()).toBe(false), { timeout: 30_000, interval: 50 });
const weirPid = (): number => findRunning(dataDir)?.pid ?? 0;

test('Ctrl-C on npm start ends Weir in order, and its PostgreSQL before it', async () => {
  expect(isServing()).toBe(true);
  terminal.type('\u0003');
  await terminal.ended;
  expect(terminal.output()).toContain('Stopping …');
  // Only an orderly stop removes this file.
  expect(existsSync(join(dataDir, 'running.json'))).toBe(false);
  expect(existsSync(join(dataDir, 'postgres', 'postmaster.pid'))).toBe(false);
  const log = readFileSync(join(dataDir, 'postgres.log'), 'utf8');
  expect([log.includes('received fast shutdown request'), log.includes('immediate shutdown')]).toEqual([true, false]);
});

test.each<NodeJS.Signals>(['SIGINT', 'SIGTERM'])(
  '%s to the process of Weir ends it in order, and its PostgreSQL before it',
  async (signal) => {
    process.kill(weirPid(), signal);
    await terminal.ended;
    expect(existsSync(join(dataDir, 'running.json'))).toBe(false);
    expect(isServing()).toBe(false);
  },
);

test.each<NodeJS.Signals>(['SIGINT', 'SIGTERM'])('%s to the process group of npm start ends PostgreSQL too', async (signal) => {
  terminal.signalGroup(signal);
  await terminal.ended;
  await untilServerEnds();
  await vi.waitFor(() => expect(existsSync(join(dataDir, 'running.json'))).toBe(false), { timeout: 30_000, interval: 50 });
});

test('SIGKILL to the process of Weir ends PostgreSQL too', async () => {
  process.kill(weirPid(), 'SIGKILL');
  await untilServerEnds();
});

test('SIGKILL to the process group of npm start ends PostgreSQL too', async () => {
  terminal.signalGroup('SIGKILL');
  await untilServerEnds();
});

test('a terminal that is closed ends PostgreSQL too', async () => {
  await terminal.close();
  await untilServerEnds();
});
