import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ManualClock, systemClock } from '@weir/clock';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@weir/postgres';
import {
  createApp,
  createLogger,
  openPipeline,
  type OpenPipeline,
  type RunningServer,
  type Service,
  serve,
  storeToken,
} from '@weir/service-kit';
import { caughtUp, openTestStack, publishTo } from '@weir/service-kit/testing';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { type Answer, decided, gateRole, gateSettings, openGate, terms, withdrawal } from './gate.testing.ts';
import { startWithdrawalGate } from './index.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'weir-gate-'));
const logger = createLogger({ service: 'test', level: 'silent' });
let postgres: EmbeddedPostgres;
let pipeline: OpenPipeline;
let service: Service;
let server: RunningServer;

const pidOf = (): number => Number(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0]);

/** The gate on a PostgreSQL of its own, which the test kills. */
async function start(): Promise<void> {
  postgres = await startEmbeddedPostgres({ dataDir, clock: systemClock });
  pipeline = await openPipeline({ databaseUrl: postgres.url, clock: systemClock, logger, retentionMs: 3_600_000 });
  service = await startWithdrawalGate(pipeline, gateSettings());
  const app = createApp(logger, service.operations);
  server = await serve(app, { host: '127.0.0.1', port: 0 });
  await storeToken(pipeline.pool, 'token-gate', 'gate', 'gate');
}
beforeAll(start);
afterAll(async () => {
  await server.close(0);
  await Promise.race([service.stop(), systemClock.sleep(20_000)]);
  await Promise.race([pipeline.close().catch(() => undefined), systemClock.sleep(20_000)]);
  await postgres.stop().catch(() => undefined);
  rmSync(dataDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
});
afterEach(() => vi.restoreAllMocks());

async function ask(method: string, path: string, body?: object, wait = 0): Promise<Answer> {
  const answer = await fetch(`http://127.0.0.1:${server.port}${path}`, {
    method,
    headers: { authorization: 'Bearer token-gate', 'content-type': 'application/json', prefer: `wait=${wait}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, headers: answer.headers, body: await answer.json() };
}
const { requested_at: _at, chain: _chain, ...given } = withdrawal;
const post = (id: string, wait = 0) => ask('POST', '/v1/withdrawals', { ...given, withdrawal_id: id }, wait);

test('PostgreSQL hung, then killed: 503 in bounded time, never allowed, and no permit', async () => {
  expect((await post('w-1')).status).toBe(202);
  await publishTo(pipeline, 'screenings.decided', decided('w-1', 1, 'allow'));
  await caughtUp(pipeline, 'withdrawal-gate.decisions');
  const { permit } = (await ask('GET', '/v1/withdrawals/w-1')).body;
  expect(permit).toEqual(expect.any(String));
  const calls = [
    () => ask('GET', '/v1/withdrawals/w-1'),
    () => post('w-1', 60),
    () => post('w-2', 60),
    () => ask('POST', '/v1/permits/redeem', { permit, ...terms }),
    () => ask('GET', '/.well-known/jwks.json'),
  ];
  // A hanging server never answers, so any answer proves a time limit.
  const refused = async (): Promise<void> => {
    for (const { status, body } of await Promise.all(calls.map((call) => call()))) {
      expect([status, body.code]).toEqual([503, 'UNAVAILABLE']);
      expect(JSON.stringify(body)).not.toMatch(/allowed|permit"/);
    }
  };
  // The whole process tree: a server that accepts and does not answer.
  const family = (): number[] => [pidOf(), ...childrenOf(pidOf())];
  const hung = family();
  for (const pid of hung) process.kill(pid, 'SIGSTOP');
  try {
    await refused();
  } finally {
    for (const pid of hung) process.kill(pid, 'SIGCONT');
  }
  // An earlier request may still have taken effect, but only once.
  await vi.waitFor(async () => expect((await ask('GET', '/v1/withdrawals/w-1')).status).toBe(200), 30_000);
  process.kill(pidOf(), 'SIGKILL');
  await vi.waitFor(async () => expect((await ask('GET', '/.well-known/jwks.json')).status).toBe(503), 20_000);
  await refused();
  await refused();
  expect(await pipeline.unavailable()).toContain('database');
});

function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);
}

test('with a clock that is a day off, either way, permits hold as long by the database', async () => {
  const stack = await openTestStack({ roles: [gateRole] });
  try {
    for (const [n, offMs] of [-86_400_000, 86_400_000].entries()) {
      const clock = { ...systemClock, now: () => systemClock.now() + offMs };
      const gate = await openGate(stack, { permitTtlMs: 3_000 }, { clock });
      const id = `odd-${n}`;
      await gate.settle(id, 'allow');
      const { permit, permit_expires_at } = (await gate.get(id)).body;
      expect(Math.abs(Date.parse(permit_expires_at) - Date.now() - 3_000)).toBeLessThan(2_900);
      expect((await gate.redeem(permit)).status).toBe(200);
      const other = `${id}-late`;
      await gate.settle(other, 'allow');
      const late = (await gate.get(other)).body.permit;
      await vi.waitFor(async () => expect((await gate.get(other)).body.permit).not.toBe(late), { timeout: 10_000, interval: 100 });
      expect((await gate.redeem(late)).status).toBe(410);
      await gate.close();
    }
  } finally {
    await stack.close();
  }
});

test('with a clock that stands still nobody is told more than "pending"', async () => {
  const stack = await openTestStack({ roles: [gateRole] });
  try {
    const gate = await openGate(stack, {}, { clock: new ManualClock(Date.now()) });
    const { status, body } = await gate.post({ withdrawal_id: 'still' });
    expect([status, body.status]).toEqual([202, 'pending']);
    await gate.close();
  } finally {
    await stack.close();
  }
});
