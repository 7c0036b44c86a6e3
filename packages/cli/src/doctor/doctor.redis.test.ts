import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Installation, makeInstallation } from '../../../../test/support/stack/installation.ts';
import { startRedis, type TestRedis } from '../../../../test/support/stack/redis.ts';
import { importChainData } from '../testing/chain-data.ts';
import { weir } from '../testing/weir.ts';
import type { Finding } from './finding.ts';
import { examineRedis } from './redis.ts';

let redis: TestRedis;
let other: TestRedis;
let installation: Installation;
beforeAll(async () => {
  [redis, other] = await Promise.all([startRedis({ own: true }), startRedis({ own: true, args: ['--appendonly', 'no'] })]);
  installation = await makeInstallation({ env: { REDIS_URL: redis.url } });
  await installation.start();
  await importChainData(['--data-dir', installation.dataDir]);
});
afterAll(async () => {
  await installation.remove();
  await Promise.all([redis.stop(), other.stop()]);
});

const said = (findings: readonly Finding[]): string[] => findings.map(({ check, state, detail }) => `${check} ${state}: ${detail}`);

async function examine(url: string): Promise<{ code: number | null; found: string[] }> {
  const { code, stdout } = await weir(['doctor', '--json', '--data-dir', installation.dataDir], {
    env: { REDIS_URL: url, WEIR_PORT: new URL(installation.url).port },
  });
  const { checks } = JSON.parse(stdout) as { checks: Finding[] };
  return { code, found: said(checks.filter(({ check }) => check.startsWith('redis'))) };
}

const readiness = async (base: string): Promise<[number, unknown]> => {
  const answer = await fetch(`${base}/readyz`, { signal: AbortSignal.timeout(60_000) });
  return [answer.status, await answer.json()];
};

async function deposit(id: string): Promise<number> {
  const body = { deposit_id: id, coin: 'ETH', from_address: `0x${'a'.repeat(40)}`, to_address: `0x${'b'.repeat(40)}`, amount: '1' };
  const headers = { authorization: `Bearer ${installation.token('ingest')}`, 'content-type': 'application/json' };
  return (await fetch(`${installation.url}/v1/deposits`, { method: 'POST', headers, body: JSON.stringify(body) })).status;
}

test('a Redis that suits and keeps its file is all right', async () => {
  expect(await examine(redis.url)).toEqual({
    code: 0,
    found: [
      expect.stringMatching(/^redis ok: Redis \d+\.[\d.]+, noeviction; holds the rate budget and the queue of scores$/),
      expect.stringMatching(/^redis memory ok: \d+ MB used, no limit$/),
      'redis files ok: append-only file',
    ],
  });
});

test('one without a file is worth a note; what evicts, is full, is a replica or asks for a password is wrong, with what to do', async () => {
  const examineOther = async (redisUrl = other.url): Promise<string[]> => said(await examineRedis({ redisUrl }));
  const plain = await examineOther();
  expect(plain).toContainEqual(expect.stringMatching(/^redis files note: no append-only file; nothing is lost .*: set appendonly to yes$/));
  const admin = new Redis(other.url);
  try {
    await admin.config('SET', 'maxmemory', '1mb');
    expect(await examineOther()).toContainEqual(expect.stringMatching(/^redis memory wrong: \d+ MB of 1 MB used; .*: raise maxmemory$/));
    await admin.config('SET', 'maxmemory-policy', 'allkeys-lru');
    expect(await examineOther()).toEqual([
      'redis wrong: Redis has maxmemory-policy allkeys-lru and would evict keys; set it to noeviction',
    ]);
    await admin.config('SET', 'maxmemory-policy', 'noeviction');
    await admin.config('SET', 'maxmemory', '0');
    await admin.replicaof('127.0.0.1', Number(new URL(redis.url).port));
    await vi.waitFor(async () => expect(await admin.info('replication')).toContain('master_link_status:up'), { timeout: 10_000 });
    expect(await examineOther()).toEqual(['redis wrong: it is a replica and takes no writes; let REDIS_URL lead to the primary']);
    await admin.config('SET', 'requirepass', 'hush');
    const wrongPassword = Object.assign(new URL(other.url), { password: 'sesame' }).toString();
    expect(await examineOther(wrongPassword)).toEqual(['redis wrong: Redis refuses the user or the password of REDIS_URL']);
  } finally {
    admin.disconnect();
  }
});

test('one that is away is wrong; everything on one machine says so, and still takes transfers in', async () => {
  expect(await readiness(installation.url)).toMatchObject([200, { status: 'ready', unavailable: [], degraded: [] }]);
  await redis.kill();
  const degraded = [200, { status: 'ready', unavailable: [], degraded: ['redis'] }];
  await vi.waitFor(async () => expect(await readiness(installation.url)).toEqual(degraded), { timeout: 10_000 });
  expect(await readiness(installation.riskUrl)).toEqual(degraded);
  expect(await deposit('redis-is-away')).toBe(202);
  expect(await examine(redis.url)).toEqual({ code: 1, found: ['redis wrong: Redis cannot be reached'] });
  await redis.restart({ keepData: true });
  await vi.waitFor(async () => expect((await readiness(installation.url))[1]).toEqual({ status: 'ready', unavailable: [], degraded: [] }), {
    timeout: 10_000,
  });
});
