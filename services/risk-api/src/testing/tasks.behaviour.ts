import { ManualClock } from '@weir/clock';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestService, get, type Instance, post, resultOf, type TestService } from './instance.ts';
import { startProcess } from './process.ts';
import type { QueueTier } from './queue-tier.ts';

/** Contract of tasks, for either queue server. */
export function describeTasks(open: () => Promise<QueueTier>): void {
  let tier: QueueTier;
  beforeAll(async () => {
    tier = await open();
  });
  afterAll(() => tier.close());

  let service: TestService;
  let key: string;
  beforeEach(async () => {
    service = await createTestService(tier);
    await service.start({ settings: { workers: 0 } }).then((first) => first.stop());
    key = await service.key({ surface: 'standard' });
  });
  afterEach(() => service.stop());

  const eth = '0x28C6c06298d514Db089934071355E5743bf21d60';
  const ethTx = '0x37d411e434f6a5124a5e615f767dcbfc668d68355f8baac2ec5fd7ff4050ee94';
  const create = async (instance: Pick<Instance, 'url'>, subject: Record<string, string>, apiKey = key) =>
    (await post(`${instance.url}/v3/risk_score_create_task`, { ...subject, api_key: apiKey })).body.data;
  const query = async (instance: Instance, taskId: string) =>
    (await get(`${instance.url}/v3/risk_score_query_task`, { task_id: taskId, api_key: key })).body;
  const runs = async () => (await service.database.pool.query<{ count: number }>('SELECT count(*)::int FROM risk.runs')).rows[0]?.count;

  describe('creating a task', () => {
    it('joins the one that runs, whatever the coin and on whichever replica, and no other', async () => {
      const [one, two] = [await service.start({ settings: { workers: 0 } }), await service.start({ settings: { workers: 0 } })];
      const first = await create(one, { coin: 'ETH', address: eth });
      expect(first).toEqual({ has_result: false, scanned_ts: 0, task_id: expect.stringMatching(/^[0-9a-f]{32}$/) });
      expect(await create(two, { coin: 'USDT-ERC20', address: eth.toLowerCase() })).toEqual(first);
      expect(await query(two, first.task_id)).toEqual({ success: true, msg: 'TaskUnderRunning', data: {} });
      expect(await runs()).toBe(1);
      const others = [
        await create(one, { coin: 'BNB', address: eth }),
        await create(one, { coin: 'ETH', txid: ethTx }),
        await create(one, { coin: 'ETH', txid: ethTx, direction: 'withdraw' }),
      ];
      expect(new Set([first, ...others].map(({ task_id }) => task_id)).size).toBe(4);
      expect((await create(one, { coin: 'ETH', txid: ethTx, direction: 'deposit' })).task_id).toBe(others[1].task_id);
    });

    it('many at once on two replicas start one run', async () => {
      const both = [await service.start(), await service.start()] as const;
      const created = await Promise.all(
        Array.from({ length: 30 }, (_, i) => create(both[i % 2 === 0 ? 0 : 1], { coin: 'ETH', address: eth })),
      );
      expect(new Set(created.map(({ task_id }) => task_id)).size).toBe(1);
      expect(await runs()).toBe(1);
      expect(await resultOf(both[0].url, key, created[0].task_id)).toMatchObject({ success: true, msg: '', data: { score: 3 } });
    });

    it('another key shares the run, and has a task of its own', async () => {
      const instance = await service.start({ settings: { workers: 0 } });
      const mine = await create(instance, { coin: 'ETH', address: eth });
      const other = await create(instance, { coin: 'ETH', address: eth }, await service.key({ surface: 'standard' }));
      expect(other.task_id).not.toBe(mine.task_id);
      expect(await runs()).toBe(1);
    });

    it('with Cache-Control: no-cache takes no result that is kept, and joins what runs', async () => {
      const instance = await service.start();
      const ask = async (headers: Record<string, string>) =>
        (await post(`${instance.url}/v3/risk_score_create_task`, { coin: 'ETH', address: eth, api_key: key }, headers)).body.data;
      await resultOf(instance.url, key, (await ask({})).task_id);
      expect(await ask({})).toMatchObject({ has_result: true });
      expect(await runs()).toBe(1);
      const anew = await ask({ 'cache-control': 'no-cache' });
      expect(anew).toMatchObject({ has_result: false });
      await resultOf(instance.url, key, anew.task_id);
      expect(await runs()).toBe(2);
    });

    it('answers from the cache while it is fresh, then computes anew', async () => {
      const clock = new ManualClock();
      const instance = await service.start({ clock, settings: { scoreCacheMs: 10_000 } });
      const first = await create(instance, { coin: 'ETH', address: eth });
      await resultOf(instance.url, key, first.task_id);
      const scanned_ts = Math.floor(clock.now() / 1000);
      await clock.advance(9_000);
      expect(await create(instance, { coin: 'USDC-ERC20', address: eth })).toEqual({
        has_result: true,
        scanned_ts,
        task_id: first.task_id,
      });
      await clock.advance(2_000);
      const anew = await create(instance, { coin: 'ETH', address: eth });
      expect(anew).toMatchObject({ has_result: false, scanned_ts: 0 });
      expect(anew.task_id).not.toBe(first.task_id);
      expect((await query(instance, first.task_id)).data.score).toBe(3);
    });
  });

  describe('a task', () => {
    it('is kept for its time after the last query, then swept', async () => {
      const clock = new ManualClock();
      const instance = await service.start({ clock, settings: { maintenanceMs: 3_600_000 } });
      const { task_id } = await create(instance, { coin: 'ETH', address: eth });
      await resultOf(instance.url, key, task_id);
      await clock.advance(23 * 3_600_000);
      expect((await query(instance, task_id)).msg).toBe('');
      await clock.advance(23 * 3_600_000);
      expect((await query(instance, task_id)).msg).toBe('');
      expect(await runs()).toBe(1);
      await clock.advance(24 * 3_600_000);
      expect((await query(instance, task_id)).msg).toBe('TaskNotFound');
      // Maintenance may still finish its last round while the clock moves, so it gets further hours until it has run.
      const anHourLater = async (): Promise<number | undefined> => {
        await clock.advance(3_600_000);
        return runs();
      };
      await expect.poll(anHourLater, { timeout: 5_000 }).toBe(0);
    });

    it('whose job was lost is handed out again when it is asked for', async () => {
      const clock = new ManualClock();
      const instance = await service.start({ clock, settings: { maintenanceMs: 3_600_000_000 } });
      const { task_id } = await create(await service.start({ clock, settings: { workers: 0 } }), { coin: 'ETH', address: eth });
      const later = async () => {
        await clock.advance(1_000);
        return query(instance, task_id);
      };
      await expect.poll(later, { timeout: 10_000 }).toMatchObject({ msg: '' });
      // The same run, as if its process had just died and its job were lost.
      await service.database.pool.query(`UPDATE risk.runs SET state = 'running', result = NULL, scanned_at = NULL, alive_at = $1`, [
        new Date(clock.now()),
      ]);
      expect((await query(instance, task_id)).msg).toBe('TaskUnderRunning');
      await clock.advance(5_000);
      await expect.poll(later, { timeout: 10_000 }).toMatchObject({ msg: '', data: { score: 3 } });
    });

    it('that waits long is not handed out again and again', async () => {
      const clock = new ManualClock();
      // Only queries drive this test: maintenance would interleave and might take a turn.
      const instance = await service.start({ clock, settings: { workers: 0, maintenanceMs: 3_600_000 } });
      const { task_id } = await create(instance, { coin: 'ETH', address: eth });
      for (let i = 0; i < 4; i += 1) {
        await clock.advance(6_000);
        expect((await query(instance, task_id)).msg).toBe('TaskUnderRunning');
      }
      expect((await service.database.pool.query('SELECT enqueued FROM risk.runs')).rows).toEqual([{ enqueued: 5 }]);
      expect(await tier.jobs(service.database)).toBe(1);
    });

    it('whose job was lost is handed out by another instance as it starts, unasked', async () => {
      const quiet = await service.start({ settings: { workers: 0 } });
      const { task_id } = await create(quiet, { coin: 'ETH', address: eth });
      await quiet.stop();
      await tier.loseJobs(service.database);
      await service.database.pool.query(`UPDATE risk.runs SET enqueued_at = enqueued_at - interval '6 seconds'`);
      await service.start();
      await expect
        .poll(async () => (await service.database.pool.query('SELECT state FROM risk.runs')).rows, { timeout: 10_000 })
        .toEqual([{ state: 'done' }]);
      expect(task_id).toMatch(/^[0-9a-f]{32}$/);
    });
  });

  describe('the process', () => {
    it('is killed with tasks under way, and the next one ends them all', async () => {
      const env = { WEIR_TASK_REQUEUE_MS: '1000', REDIS_URL: tier.redisUrl };
      const first = await startProcess(service.database.url, env);
      const created: string[] = [];
      const calls = Array.from({ length: 120 }, async (_, i) => {
        const data = await create(first, { coin: 'ETH', address: `0xa${(i + 1).toString(16).padStart(39, '0')}` }).catch(() => undefined);
        if (data !== undefined) created.push(data.task_id);
        if (created.length === 40) first.child.kill('SIGKILL');
      });
      await Promise.all(calls);
      expect(created.length).toBeGreaterThanOrEqual(40);
      await service.database.pool.query(
        `UPDATE risk.runs SET state = 'running', result = NULL, scanned_at = NULL WHERE id IN (SELECT id FROM risk.runs LIMIT 10)`,
      );
      const second = await startProcess(service.database.url, env);
      for (const taskId of created)
        expect(await resultOf(second.url, key, taskId)).toMatchObject({ success: true, msg: '', data: { coverage: 'none' } });
      second.child.kill('SIGTERM');
      expect(await second.exit).toBe(0);
    });
  });
}
