import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ManualClock, systemClock } from '@weir/clock';
import { type EmbeddedPostgres, migrate, openPool, startEmbeddedPostgres } from '@weir/postgres';
import { connectRedis } from '@weir/redis';
import { Redis } from 'ioredis';
import { expect, vi } from 'vitest';
import { openBudget, rateBudgetMigrations } from '../index.ts';
import { drive, measure } from '../sends.testing.ts';
import { testWithRig as test } from './rig.testing.ts';

const limits = { perSecond: 50, perDay: 1_000_000 };

test('while Redis is away a take is refused at once with an error that can be retried, and goes on when it is back', async ({ rig }) => {
  const client = await rig.client('away', limits);
  await client.take('deposit');
  await rig.server.kill();
  // Redis is still unavailable, so a call that waited for it would never return.
  await expect(client.take('deposit')).rejects.toMatchObject({ code: 'REDIS_UNAVAILABLE', retriable: true });
  await expect(client.refund('deposit')).rejects.toMatchObject({ code: 'REDIS_UNAVAILABLE' });
  await expect(client.pause('day', 5_000)).rejects.toMatchObject({ code: 'REDIS_UNAVAILABLE' });
  // The row has the count and the pause.
  const left = await client.remaining();
  expect(left.day.withdrawal).toBeLessThan(limits.perDay);
  expect(left.pausedUntil).not.toBeNull();
  await rig.server.restart({ keepData: false });
  await vi.waitFor(async () => expect((await client.take('deposit')).granted).toBe(true), { timeout: 15_000, interval: 50 });
});

test('a Redis that hangs holds a take up for a second, and what it gives when it wakes is no more than the limit', async ({ rig }) => {
  const clients = [await rig.client('hangs', limits), await rig.client('hangs', limits)];
  const admin = new Redis(rig.server.url);
  const pid = Number(/process_id:(\d+)/.exec(await admin.info('server'))?.[1]);
  admin.disconnect();
  const driven = drive(clients, limits);
  await vi.waitFor(() => expect(driven.sent.length).toBeGreaterThan(60), { timeout: 10_000 });
  process.kill(pid, 'SIGSTOP');
  try {
    await vi.waitFor(() => expect(driven.failures.length).toBeGreaterThan(3), { timeout: 10_000 });
  } finally {
    process.kill(pid, 'SIGCONT');
  }
  expect(driven.failures.every((error) => (error as { code?: string }).code === 'REDIS_UNAVAILABLE')).toBe(true);
  const before = driven.sent.length;
  await vi.waitFor(() => expect(driven.sent.length).toBeGreaterThan(before + 70), { timeout: 15_000 });
  await driven.stop();
  expect(measure(driven.sent, limits.perSecond).shortestMs).toBeGreaterThan(1_000);
});

test.for([
  {
    what: 'evicts',
    args: ['--maxmemory', '100mb', '--maxmemory-policy', 'allkeys-lru'],
    says: /maxmemory-policy allkeys-lru .* set it to noeviction/,
  },
  { what: 'is a cluster', args: ['--cluster-enabled', 'yes'], says: /cluster mode/ },
])('a Redis that $what is refused when it is opened, with a line for the operator', async ({ args, says }, { rig }) => {
  const unsuitable = await rig.another({ args });
  const opening = connectRedis({ url: unsuitable.url, clock: systemClock });
  await expect(opening).rejects.toMatchObject({ code: 'REDIS_UNSUITABLE', retriable: false, message: expect.stringMatching(says) });
});

test('a password that is missing or wrong, and nobody at the address, are told apart', async ({ rig }) => {
  const admin = new Redis(rig.server.url);
  await admin.config('SET', 'requirepass', 'sesame');
  const withPassword = (password: string): string => Object.assign(new URL(rig.server.url), { password }).toString();
  await expect(connectRedis({ url: rig.server.url, clock: systemClock })).rejects.toMatchObject({
    code: 'REDIS_UNSUITABLE',
    message: /has none/,
  });
  const refused = await connectRedis({ url: withPassword('wrong'), clock: systemClock }).catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: 'REDIS_UNSUITABLE', message: expect.stringMatching(/refuses the user or the password/) });
  expect(String((refused as Error).stack)).not.toContain('wrong');
  const opened = await connectRedis({ url: withPassword('sesame'), clock: systemClock });
  opened.disconnect();
  admin.disconnect();
  await expect(connectRedis({ url: 'redis://127.0.0.1:1', clock: systemClock })).rejects.toMatchObject({
    code: 'REDIS_UNAVAILABLE',
    retriable: true,
  });
});

test('who takes connections and says nothing is not waited for without end', async () => {
  const mute = createServer();
  await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
  const { port } = mute.address() as { port: number };
  const clock = new ManualClock();
  const opening = connectRedis({ url: `redis://127.0.0.1:${port}`, clock });
  const refused = expect(opening).rejects.toMatchObject({ code: 'REDIS_UNAVAILABLE' });
  await clock.advance(15_000);
  await refused;
  mute.close();
});

test('a Redis whose memory is full takes nothing, and is named as such', async ({ rig }) => {
  const client = await rig.client('full', limits);
  await client.take('deposit');
  const admin = new Redis(rig.server.url);
  await admin.config('SET', 'maxmemory', '1');
  await expect(client.take('deposit')).rejects.toMatchObject({ code: 'REDIS_UNWRITABLE', retriable: true });
  await admin.config('SET', 'maxmemory', '0');
  admin.disconnect();
  expect((await client.take('deposit')).granted).toBe(true);
});

test('a lane that does not exist is refused', async ({ rig }) => {
  const client = await rig.client('lanes', limits);
  await client.take('deposit');
  await expect(client.take('other' as never)).rejects.toThrow('no such lane');
  await expect(client.refund('other' as never)).rejects.toThrow('no such lane');
});

test('neither the upstream nor its key is in the name of a key', async ({ rig }) => {
  const client = await rig.client('risk.example.com secret', limits);
  await client.take('deposit');
  const admin = new Redis(rig.server.url);
  expect(await admin.keys('*')).toEqual([expect.stringMatching(/^weir:budget:[0-9a-f]{32}$/)]);
  admin.disconnect();
});

test('the budget is on Redis when there is one, and on PostgreSQL when there is none', async ({ rig }) => {
  const { pool } = rig.database;
  const onRedis = await openBudget({ redisUrl: rig.server.url, pool, name: 'tier', limits, clock: systemClock });
  expect((await onRedis.take('deposit')).granted).toBe(true);
  const admin = new Redis(rig.server.url);
  expect(await admin.dbsize()).toBe(1);
  admin.disconnect();
  await onRedis.close();
  await expect(onRedis.take('deposit')).rejects.toMatchObject({ code: 'REDIS_UNAVAILABLE' });
  const onPostgres = await openBudget({ redisUrl: '', pool, name: 'other tier', limits, clock: systemClock });
  expect((await onPostgres.take('deposit')).granted).toBe(true);
  await onPostgres.close();
});

test('while PostgreSQL is away what it has reserved is used up and nothing more; when it is back, it goes on', async ({ rig }) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'weir-budget-'));
  let postgres: EmbeddedPostgres | undefined = await startEmbeddedPostgres({ dataDir, clock: systemClock });
  const gate = await openGate(() => Number(new URL(postgres?.url ?? 'http://x:1').port));
  const pool = openPool({ url: Object.assign(new URL(postgres.url), { port: String(gate.port), search: '' }).toString(), max: 4 });
  try {
    await migrate(pool, 'rate-budget', rateBudgetMigrations);
    const budget = await openBudget({ redisUrl: rig.server.url, pool, name: 'database', limits, clock: systemClock });
    const driven = drive([budget], limits);
    await vi.waitFor(() => expect(driven.sent.length).toBeGreaterThan(100), { timeout: 10_000 });
    const stopping = postgres;
    postgres = undefined;
    gate.cut();
    // Not after the stop, which may take longer than what is reserved lasts.
    const before = driven.sent.length;
    await stopping.stop();
    await vi.waitFor(() => expect(driven.failures.length).toBeGreaterThan(0), { timeout: 10_000 });
    expect(driven.failures[0]).toMatchObject({ code: 'DATABASE_UNAVAILABLE', retriable: true });
    const withoutDatabase = driven.sent.length - before;
    postgres = await startEmbeddedPostgres({ dataDir, clock: systemClock });
    const sent = driven.sent.length;
    await vi.waitFor(() => expect(driven.sent.length).toBeGreaterThan(sent + 70), { timeout: 15_000 });
    await driven.stop();
    process.stdout.write(`${withoutDatabase} sends while PostgreSQL was away\n`);
    expect(withoutDatabase).toBeGreaterThan(0);
    // Two lanes' blocks.
    expect(withoutDatabase).toBeLessThanOrEqual(100);
    expect(measure(driven.sent, limits.perSecond).shortestMs).toBeGreaterThan(1_000);
    const { rows } = await pool.query<{ used: number }>('SELECT used_withdrawal + used_deposit AS used FROM budget.upstreams');
    expect(rows[0]!.used).toBeGreaterThanOrEqual(driven.sent.length);
    await budget.close();
  } finally {
    await pool.end();
    await gate.close();
    await postgres?.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
});

interface Gate {
  readonly port: number;
  cut(): void;
  close(): Promise<void>;
}

/** A port that stays the same, while each restart gives the server behind it another. */
async function openGate(target: () => number): Promise<Gate> {
  const open = new Set<Socket>();
  const server: Server = createServer((near) => {
    const far = connect({ host: '127.0.0.1', port: target() });
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        open.delete(one);
        other.destroy();
      });
    }
    near.pipe(far).pipe(near);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const cut = (): void => {
    for (const socket of open) socket.destroy();
  };
  return {
    port: (server.address() as { port: number }).port,
    cut,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      cut();
      await closed;
    },
  };
}
