import { systemClock } from '@weir/clock';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestService, get, type Instance, post, resultOf, type TestService } from '../testing/instance.ts';
import { startProcess } from '../testing/process.ts';
import { redisTier } from '../testing/queue-tier.ts';
import { queueName } from './jobs.ts';

let tier: Awaited<ReturnType<typeof redisTier>>;
beforeAll(async () => {
  tier = await redisTier();
});
afterAll(() => tier.close());

let service: TestService;
let key: string;
beforeEach(async () => {
  await tier.server.restart({ keepData: false });
  service = await createTestService(tier);
  await service.start({ settings: { workers: 0 } }).then((first) => first.stop());
  key = await service.key({ surface: 'standard' });
});
/** On a busy machine a worker may renew its run late, which must not pass for its death. */
const requeueAfterMs = 4_000;
const held = new Set<() => Promise<void>>();
afterEach(async () => {
  for (const release of held) await release();
  await service.stop();
});

const address = (n: number): string => `0xa${n.toString(16).padStart(39, '0')}`;
const runs = async () =>
  (await service.database.pool.query('SELECT state, attempts, count(*)::int FROM risk.runs GROUP BY 1, 2 ORDER BY 1, 2')).rows;
const readiness = async ({ url }: Instance) => {
  const { status, body } = await get(`${url}/readyz`);
  return [status, body];
};
async function create({ url }: Pick<Instance, 'url'>, n: number): Promise<string> {
  const { status, body } = await post(`${url}/v3/risk_score_create_task`, { coin: 'ETH', address: address(n), api_key: key });
  expect([status, body.msg]).toEqual([200, '']);
  return body.data.task_id as string;
}

const createMany = (instance: Pick<Instance, 'url'>, from: number, count: number): Promise<string[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => create(instance, from + i)));

async function expectResults({ url }: Pick<Instance, 'url'>, taskIds: readonly string[], limitMs = 120_000): Promise<void> {
  for (const taskId of taskIds)
    expect(await resultOf(url, key, taskId, limitMs)).toMatchObject({ success: true, msg: '', data: { score: 3 } });
}

/** Locks the labels, so that no score completes until the returned function is called. */
async function holdLabels(): Promise<() => Promise<void>> {
  const client = await service.database.pool.connect();
  await client.query('BEGIN');
  await client.query('LOCK TABLE chain.labels IN ACCESS EXCLUSIVE MODE');
  const release = async (): Promise<void> => {
    held.delete(release);
    await client.query('COMMIT');
    client.release();
  };
  held.add(release);
  return release;
}

test.for([
  { what: 'back with its file', keepData: true },
  { what: 'back with nothing', keepData: false },
])('Redis killed in the middle of runs, and $what: those end all the same, what waited is run, nothing twice', async ({ keepData }) => {
  const instance = await service.start({ settings: { workers: 2, requeueAfterMs, maintenanceMs: 500 } });
  const release = await holdLabels();
  const taskIds = await createMany(instance, 1, 12);
  await expect.poll(runs, { timeout: 5_000 }).toContainEqual({ state: 'running', attempts: 1, count: 2 });
  await tier.server.kill();
  await release();
  await expect.poll(runs, { timeout: 10_000 }).toContainEqual({ state: 'done', attempts: 1, count: 12 });
  await tier.server.restart({ keepData });
  await expect
    .poll(() => readiness(instance), { timeout: 10_000 })
    .toMatchObject([200, { status: 'ready', unavailable: [], degraded: [] }]);
  await expectResults(instance, [...taskIds, ...(await createMany(instance, 100, 6))]);
  const releaseAgain = await holdLabels();
  const jobs = await tier.jobs(service.database);
  const last = await create(instance, 200);
  expect(await tier.jobs(service.database)).toBe(jobs + 1);
  await releaseAgain();
  await expectResults(instance, [last]);
  expect(await runs()).toEqual([{ state: 'done', attempts: 1, count: 19 }]);
});

test('while Redis is away tasks are made and scores computed here; it is told, and nobody is turned away for it', async () => {
  const instance = await service.start({ settings: { workers: 2 } });
  expect(await readiness(instance)).toMatchObject([200, { status: 'ready', unavailable: [], degraded: [] }]);
  await tier.server.kill();
  await expectResults(instance, await createMany(instance, 1, 20));
  const now = await get(`${instance.url}/v2/risk_score`, { coin: 'ETH', address: address(50), api_key: key });
  expect(now).toMatchObject({ status: 200, body: { data: { score: 3 } } });
  expect(await readiness(instance)).toMatchObject([200, { status: 'ready', unavailable: [], degraded: ['redis'] }]);
  expect((await get(`${instance.url}/healthz`)).status).toBe(200);
  expect(await runs()).toEqual([{ state: 'done', attempts: 1, count: 21 }]);
  expect(instance.logs()).toContain('REDIS_UNAVAILABLE');
});

test('a process without workers takes tasks while Redis is away; one with workers finds them', async () => {
  const front = await service.start({ settings: { workers: 0, maintenanceMs: 3_600_000 } });
  const worker = await service.start({ settings: { workers: 1, requeueAfterMs, maintenanceMs: 200 } });
  await tier.server.kill();
  await expectResults(front, await createMany(front, 1, 5));
  expect(await runs()).toEqual([{ state: 'done', attempts: 1, count: 5 }]);
  expect(front.logs()).toContain('a run could not be queued; it will be queued again');
  await worker.stop();
});

test('Redis wiped in the middle: runs under way end once, jobs that were lost are put in again', async () => {
  const both = [
    await service.start({ settings: { workers: 1, requeueAfterMs, maintenanceMs: 300 } }),
    await service.start({ settings: { workers: 1, requeueAfterMs, maintenanceMs: 300 } }),
  ] as const;
  const release = await holdLabels();
  const taskIds = [...(await createMany(both[0], 1, 10)), ...(await createMany(both[1], 11, 10))];
  await expect.poll(runs, { timeout: 5_000 }).toContainEqual({ state: 'running', attempts: 1, count: 2 });
  expect(await tier.jobs(service.database)).toBe(20);
  await tier.server.flushAll();
  expect(await tier.jobs(service.database)).toBeLessThan(20);
  await release();
  // Maintenance finds them without a query.
  await expect.poll(runs, { timeout: 15_000 }).toEqual([{ state: 'done', attempts: 1, count: 20 }]);
  await expectResults(both[1], taskIds);
  await expectResults(both[0], await createMany(both[0], 100, 4));
});

test('a run whose job comes to other workers too, as when its lock has run out, stays with the first', async () => {
  const both = [await service.start({ settings: { workers: 2 } }), await service.start({ settings: { workers: 2 } })] as const;
  const release = await holdLabels();
  const taskId = await create(both[0], 1);
  await expect.poll(runs, { timeout: 5_000 }).toEqual([{ state: 'running', attempts: 1, count: 1 }]);
  const { rows } = await service.database.pool.query<{ id: string }>('SELECT id FROM risk.runs');
  const connection = new Redis(tier.redisUrl, { maxRetriesPerRequest: null });
  const queue = new Queue(queueName, { connection, prefix: 'weir' });
  for (let copy = 2; copy < 8; copy += 1)
    await queue.add('score', { runId: rows[0]?.id }, { jobId: `${rows[0]?.id}-${copy}`, removeOnComplete: true });
  // Workers take the copies and leave them; the first still works.
  await expect.poll(() => tier.jobs(service.database), { timeout: 10_000 }).toBe(1);
  expect(await runs()).toEqual([{ state: 'running', attempts: 1, count: 1 }]);
  await queue.close();
  connection.disconnect();
  await release();
  await expectResults(both[1], [taskId]);
  expect(await runs()).toEqual([{ state: 'done', attempts: 1, count: 1 }]);
});

test('a Redis that hangs for longer than a worker may hold a job holds nobody up, and no run gets a second worker', async () => {
  const both = [await service.start({ settings: { workers: 2 } }), await service.start({ settings: { workers: 2 } })] as const;
  const release = await holdLabels();
  const before = await createMany(both[0], 1, 3);
  await expect.poll(runs, { timeout: 5_000 }).toContainEqual({ state: 'running', attempts: 1, count: 3 });
  const admin = new Redis(tier.redisUrl);
  const pid = Number(/process_id:(\d+)/.exec(await admin.info('server'))?.[1]);
  admin.disconnect();
  process.kill(pid, 'SIGSTOP');
  const begin = systemClock.monotonic();
  const during: string[] = [];
  try {
    await release();
    // The runs end while Redis is unavailable. Their job locks expire before Redis resumes.
    while (systemClock.monotonic() - begin < 17_000) {
      during.push(await create(both[during.length % 2 === 0 ? 0 : 1], 100 + during.length));
      await expectResults(both[0], during.slice(-1));
      await systemClock.sleep(500);
    }
    await expectResults(both[0], before);
  } finally {
    process.kill(pid, 'SIGCONT');
  }
  process.stdout.write(`${during.length} tasks made and answered while Redis hung\n`);
  await expectResults(both[1], await createMany(both[1], 1_000, 4));
  expect(await runs()).toEqual([{ state: 'done', attempts: 1, count: before.length + during.length + 4 }]);
});

test('two processes on one Redis that comes and goes: every task ends, each run once, and both stop in order without it', async () => {
  const env = { REDIS_URL: tier.redisUrl, WEIR_TASK_REQUEUE_MS: '5000', WEIR_RISK_MAINTENANCE_MS: '500' };
  const both = [await startProcess(service.database.url, env), await startProcess(service.database.url, env)] as const;
  const taskIds: string[] = [];
  const faults = [
    () => tier.server.flushAll(),
    () => tier.server.restart({ keepData: true }),
    () => tier.server.restart({ keepData: false }),
  ];
  for (const [round, fault] of faults.entries()) {
    const made = both.map((one, at) => createMany(one, 1_000 * (round + 1) + 100 * at, 40));
    await fault();
    taskIds.push(...(await Promise.all(made)).flat());
  }
  await expectResults(both[0], taskIds);
  await expect.poll(runs, { timeout: 5_000 }).toEqual([{ state: 'done', attempts: 1, count: 240 }]);
  await tier.server.kill();
  for (const one of both) one.child.kill('SIGTERM');
  expect(await Promise.all(both.map((one) => one.exit))).toEqual([0, 0]);
});

test('a Redis that is away or will not do is told when the service starts', async () => {
  await tier.server.kill();
  const starting = service.start();
  await expect(starting).rejects.toMatchObject({ code: 'REDIS_UNAVAILABLE', retriable: true });
});
