import { systemClock } from '@weir/clock';
import { Redis } from 'ioredis';
import { expect, vi } from 'vitest';
import { type Lane, lanes, postgresBudget, type RateBudget } from '../index.ts';
import { drive, type Driven, measure } from '../sends.testing.ts';
import { type Rig, testWithRig as test } from './rig.testing.ts';

const limits = { perSecond: 50, perDay: 1_000_000 };

const fourClients = (rig: Rig): Promise<RateBudget[]> => Promise.all(Array.from({ length: 4 }, () => rig.client('lost', limits)));

async function untilSent(driven: Driven, more: number): Promise<void> {
  const wanted = driven.sent.length + more;
  await vi.waitFor(() => expect(driven.sent.length).toBeGreaterThanOrEqual(wanted), { timeout: 15_000, interval: 5 });
}

test.for([
  { what: 'wiped', strike: (rig: Rig) => rig.server.flushAll(), times: 2, backInMs: 5_000 },
  { what: 'killed and back with its file', strike: (rig: Rig) => rig.server.restart({ keepData: true }), times: 1, backInMs: 8_000 },
  { what: 'killed and back with nothing', strike: (rig: Rig) => rig.server.restart({ keepData: false }), times: 1, backInMs: 8_000 },
])(
  'Redis $what in the middle of a burst by four senders: never more than the limit in a second, and it goes on',
  async ({ what, strike, times, backInMs }, { rig }) => {
    const driven = drive(await fourClients(rig), limits);
    for (let round = 0; round < times; round++) {
      await untilSent(driven, 70);
      const struckAt = systemClock.monotonic();
      await strike(rig);
      // Grants of the moment before may still be sent.
      await vi.waitFor(() => expect(driven.sent.at(-1)! - struckAt).toBeGreaterThan(500), { timeout: backInMs, interval: 5 });
      process.stdout.write(`${what}: ${(driven.sent.find((at) => at > struckAt + 500)! - struckAt).toFixed(0)} ms without a send\n`);
    }
    await untilSent(driven, 70);
    await driven.stop();
    expect(measure(driven.sent, limits.perSecond).shortestMs).toBeGreaterThan(1_000);
  },
);

test.for([
  { what: 'wiped three times', strike: (rig: Rig) => rig.server.flushAll(), at: [60, 150, 260] },
  { what: 'killed, with its file of before', strike: (rig: Rig) => rig.server.restart({ keepData: true }), at: [150] },
])('a day is never exceeded, nor any share of it, by a Redis that is $what', async ({ strike, at }, { rig }) => {
  const day = { perSecond: 1_000, perDay: 400 };
  const clients = [await rig.client('day', day), await rig.client('day', day)] as const;
  const granted: Record<Lane, number> = { withdrawal: 0, deposit: 0, rescreen: 0 };
  const total = (): number => granted.withdrawal + granted.deposit + granted.rescreen;
  const stop = new AbortController();
  const take = async (budget: RateBudget): Promise<void> => {
    for (let turn = 0; !stop.signal.aborted; turn++) {
      const lane = lanes[turn % lanes.length]!;
      const grant = await budget.take(lane, 1 + (turn % 4)).catch(() => undefined);
      if (grant?.granted) granted[lane] += grant.count;
      else await systemClock.sleep(2, stop.signal);
    }
  };
  const takers = Promise.all(clients.map(take));
  const patience = { timeout: 15_000, interval: 1 };
  for (const share of at) {
    await vi.waitFor(() => expect(total()).toBeGreaterThanOrEqual(share), patience);
    await strike(rig);
  }
  const left = { withdrawal: 0, deposit: 0, rescreen: 0 };
  await vi.waitFor(async () => expect((await clients[0].remaining()).day).toEqual(left), patience);
  stop.abort();
  await takers;
  expect(total()).toBeLessThanOrEqual(400);
  expect(granted.deposit + granted.rescreen).toBeLessThanOrEqual(400 - 134);
  expect(granted.rescreen).toBeLessThanOrEqual(40);
  // Each loss wastes at most a block of 4 per lane, and a grant of 4 per client that did not receive it.
  expect(total()).toBeGreaterThanOrEqual(400 - at.length * (3 * 4 + 2 * 4));
});

test('what a Redis that was lost had granted of the day is not granted again', async ({ rig }) => {
  const day = { perSecond: 1_000, perDay: 200 };
  const client = await rig.client('rebuilt', day);
  await takeAll(client, 'deposit', 100);
  await rig.server.flushAll();
  const other = await rig.client('rebuilt', day);
  const taken = await takeAll(other, 'withdrawal');
  expect(taken).toBeLessThanOrEqual(100);
  // The reservation ahead is wasted: at most a hundredth of the day.
  expect(taken).toBeGreaterThanOrEqual(98);
});

test('a Redis that comes back older than it was grants nothing of the day twice', async ({ rig }) => {
  const day = { perSecond: 1_000, perDay: 40 };
  const client = await rig.client('older', day);
  await takeAll(client, 'withdrawal', 10);
  const admin = new Redis(rig.server.url);
  const [key] = await admin.keys('*');
  const older = await admin.dumpBuffer(key!);
  await takeAll(client, 'withdrawal', 20);
  admin.disconnect();
  await rig.server.restart({ keepData: true });
  const back = new Redis(rig.server.url);
  await back.restore(key!, 0, older, 'REPLACE');
  back.disconnect();
  const other = await rig.client('older', day);
  const taken = await takeAll(other, 'withdrawal');
  expect(taken).toBeLessThanOrEqual(10);
  expect(taken).toBeGreaterThanOrEqual(9);
});

async function takeAll(budget: RateBudget, lane: Lane, most = Number.POSITIVE_INFINITY): Promise<number> {
  for (let taken = 0; ; ) {
    if (taken >= most) return taken;
    const grant = await budget.take(lane, Math.min(most - taken, 10));
    if (grant.granted) taken += grant.count;
    else if (grant.window === 'day') return taken;
    else await systemClock.sleep(grant.waitMs);
  }
}

test('of many that find the state gone at once, one rebuilds it', async ({ rig }) => {
  const clients = await Promise.all(Array.from({ length: 8 }, () => rig.client('herd', limits)));
  await clients[0]!.take('deposit');
  const epoch = async (): Promise<string> => {
    const { rows } = await rig.database.pool.query<{ epoch: string }>(`SELECT epoch::text FROM budget.upstreams WHERE name = 'herd'`);
    return rows[0]!.epoch;
  };
  const before = await epoch();
  await rig.server.flushAll();
  const epochs = new Set<string>();
  await vi.waitFor(
    async () => {
      const grants = await Promise.all(clients.map((client) => client.take('deposit')));
      const now = await epoch();
      if (now !== before) epochs.add(now);
      expect(grants.some((grant) => grant.granted)).toBe(true);
    },
    { timeout: 10_000, interval: 1 },
  );
  expect(epochs.size).toBe(1);
});

test('a promoted replica, which may be behind, grants nothing before the lease of the primary has ended and a window has passed', async ({
  rig,
}) => {
  const replica = await rig.another();
  const admin = new Redis(replica.url);
  try {
    await admin.replicaof('127.0.0.1', Number(new URL(rig.server.url).port));
    await vi.waitFor(async () => expect(await admin.info('replication')).toContain('master_link_status:up'), { timeout: 10_000 });
    const client = await rig.client('failover', limits);
    expect((await client.take('deposit', 2)).granted).toBe(true);
    const onReplica = await rig.client('failover', limits, replica.url);
    await expect(onReplica.take('deposit')).rejects.toMatchObject({ code: 'REDIS_UNWRITABLE', retriable: true });
    await admin.replicaof('no', 'one');
    // The replica does not have this one.
    expect((await client.take('deposit')).granted).toBe(true);
    const lastOfPrimary = systemClock.monotonic();
    await rig.server.kill();
    await vi.waitFor(async () => expect((await onReplica.take('deposit')).granted).toBe(true), { timeout: 15_000, interval: 20 });
    expect(systemClock.monotonic() - lastOfPrimary).toBeGreaterThan(1_570);
    expect((await onReplica.remaining()).day.withdrawal).toBeLessThanOrEqual(limits.perDay - 4);
  } finally {
    admin.disconnect();
  }
});

test('two Redis servers on one database, as when REDIS_URL is being changed, never grant at the same time', async ({ rig }) => {
  const second = await rig.another();
  const old = await Promise.all([rig.client('moved', limits), rig.client('moved', limits)]);
  const fresh = await Promise.all([rig.client('moved', limits, second.url), rig.client('moved', limits, second.url)]);
  const onOld = drive(old, limits);
  await untilSent(onOld, 30);
  const onNew = drive(fresh, limits);
  await untilSent(onOld, 60);
  expect(onNew.sent).toHaveLength(0);
  await onOld.stop();
  await untilSent(onNew, 60);
  await onNew.stop();
  expect(measure([...onOld.sent, ...onNew.sent], limits.perSecond).shortestMs).toBeGreaterThan(1_000);
  expect(onNew.sent[0]! - onOld.sent.at(-1)!).toBeGreaterThan(1_570);
});

test('replicas with and without Redis on one database never grant at the same time, and count one day', async ({ rig }) => {
  const without = postgresBudget({ pool: rig.database.pool, name: 'tiers', limits });
  expect((await without.take('deposit', 3)).granted).toBe(true);
  const withRedis = await rig.client('tiers', limits);
  const onRedis = drive([withRedis], limits);
  await untilSent(onRedis, 60);
  const refused = await without.take('deposit');
  expect(refused).toMatchObject({ granted: false, window: 'second' });
  await onRedis.stop();
  const used = limits.perDay - (await without.remaining()).day.withdrawal;
  expect(used).toBeGreaterThanOrEqual(onRedis.sent.length + 1);
  // Other adapters may not refund the reservation of Redis.
  await without.refund('deposit', 50);
  expect((await without.remaining()).day.withdrawal).toBe(limits.perDay - used);
  const onPostgres = drive([without], limits);
  await untilSent(onPostgres, 60);
  expect(await withRedis.take('deposit', 1)).toMatchObject({ granted: false, window: 'second' });
  await onPostgres.stop();
  expect(measure([...onRedis.sent, ...onPostgres.sent], limits.perSecond).shortestMs).toBeGreaterThan(1_000);
});

test('a pause outlives the Redis that was told of it', async ({ rig }) => {
  const client = await rig.client('paused', limits);
  await client.take('deposit');
  await client.pause('day', 60_000);
  await rig.server.flushAll();
  await vi.waitFor(async () => expect(await client.take('withdrawal')).toMatchObject({ granted: false, window: 'day' }), {
    timeout: 10_000,
    interval: 20,
  });
  expect((await client.remaining()).pausedUntil).toBeGreaterThan(systemClock.now() + 30_000);
});

test('scripts that Redis has forgotten are sent again', async ({ rig }) => {
  const client = await rig.client('scripts', limits);
  await client.take('deposit');
  const admin = new Redis(rig.server.url);
  await admin.script('FLUSH');
  admin.disconnect();
  expect((await client.take('deposit')).granted).toBe(true);
});
