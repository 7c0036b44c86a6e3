import { systemClock } from '@weir/clock';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestService, get, type Instance, post, resultOf, type TestService } from './instance.ts';
import type { QueueTier } from './queue-tier.ts';

const target = { coin: 'ETH', address: '0x28C6c06298d514Db089934071355E5743bf21d60' };
/** Long enough for a score on a busy machine. */
const scoreLimitMs = 2_000;
const unavailable = { status: 503, body: { success: false, msg: 'ServiceUnavailable', data: {} } };

/** Contract of the workers, for either queue server. */
export function describeWork(open: () => Promise<QueueTier>): void {
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

  const create = async ({ url }: Instance) =>
    (await post(`${url}/v3/risk_score_create_task`, { ...target, api_key: key })).body.data.task_id as string;
  const query = ({ url }: Instance, task_id: string) => get(`${url}/v3/risk_score_query_task`, { task_id, api_key: key });
  const scoreNow = ({ url }: Instance) => get(`${url}/v2/risk_score`, { ...target, api_key: key });
  const runs = async () => (await service.database.pool.query('SELECT state, attempts FROM risk.runs')).rows;

  /** Locks the labels, so that no score completes until the returned function is called. */
  async function holdLabels(): Promise<() => Promise<void>> {
    const client = await service.database.pool.connect();
    await client.query('BEGIN');
    await client.query('LOCK TABLE chain.labels IN ACCESS EXCLUSIVE MODE');
    return async () => {
      await client.query('COMMIT');
      client.release();
    };
  }

  describe('a score that takes long', () => {
    it('stays with the worker that has it, however often others look for lost ones', async () => {
      // On a busy machine a renewal may be late by more than a second.
      const settings = { requeueAfterMs: 2_500, maintenanceMs: 100 };
      const both = [await service.start({ settings }), await service.start({ settings })] as const;
      const release = await holdLabels();
      const taskId = await create(both[0]);
      const end = systemClock.monotonic() + 2 * settings.requeueAfterMs;
      while (systemClock.monotonic() < end) expect((await query(both[1], taskId)).body.msg).toBe('TaskUnderRunning');
      expect(await runs()).toEqual([{ state: 'running', attempts: 1 }]);
      await release();
      expect(await resultOf(both[0].url, key, taskId)).toMatchObject({ msg: '', data: { score: 3 } });
      expect(await runs()).toEqual([{ state: 'done', attempts: 1 }]);
    });

    it('fails at its limit, is told so once, and is computed again', async () => {
      const instance = await service.start({ settings: { scoreLimitMs } });
      const release = await holdLabels();
      const taskId = await create(instance);
      await expect.poll(runs, { timeout: 5_000 }).toEqual([{ state: 'failed', attempts: 1 }]);
      await release();
      expect(await query(instance, taskId)).toMatchObject(unavailable);
      expect(await resultOf(instance.url, key, taskId)).toMatchObject({ msg: '', data: { score: 3 } });
      expect(instance.logs()).toContain(`a score took longer than ${scoreLimitMs} ms`);
    });

    it('that ended its process every time is not begun for ever', async () => {
      const idle = await service.start({ settings: { workers: 0 } });
      const taskId = await create(idle);
      await service.database.pool.query('UPDATE risk.runs SET attempts = 5');
      await service.start();
      await expect.poll(runs, { timeout: 5_000 }).toEqual([{ state: 'failed', attempts: 6 }]);
      expect(await query(idle, taskId)).toMatchObject(unavailable);
      expect((await resultOf(idle.url, key, taskId)).data.score).toBe(3);
    });
  });

  describe('a score that is wanted at once', () => {
    it('is one computation for all who want it, on whichever replica and by whichever call', async () => {
      const both = [await service.start(), await service.start()] as const;
      const release = await holdLabels();
      const wanted = [scoreNow(both[0]), scoreNow(both[1]), get(`${both[1].url}/v1/risk_score`, { ...target, api_key: key })];
      await expect.poll(runs, { timeout: 5_000 }).toEqual([{ state: 'running', attempts: 1 }]);
      const taskId = await create(both[1]);
      await release();
      for (const answer of await Promise.all(wanted))
        expect(answer).toMatchObject({ status: 200, body: { data: { score: 3, coverage: 'none' } } });
      expect((await resultOf(both[0].url, key, taskId)).data.score).toBe(3);
      expect(await runs()).toEqual([{ state: 'done', attempts: 1 }]);
    });

    it('that does not come in time, or fails, is unavailable; the cache answers afterwards', async () => {
      const patient = await service.start({ settings: { scoreLimitMs } });
      const hasty = await service.start({ settings: { syncWaitMs: 100, workers: 0 } });
      const release = await holdLabels();
      expect(await scoreNow(hasty)).toMatchObject(unavailable);
      expect(await scoreNow(patient)).toMatchObject(unavailable);
      await release();
      expect(await scoreNow(patient)).toMatchObject({ status: 200 });
      await service.database.pool.query('ALTER TABLE chain.labels RENAME TO gone');
      expect(await scoreNow(hasty)).toMatchObject({ status: 200, body: { data: { score: 3 } } });
    });

    it("takes nothing when the key's limit is reached, also when the cache has it", async () => {
      const instance = await service.start();
      await scoreNow(instance);
      const once = await service.key({ surface: 'standard', perDay: 1 });
      const call = () => get(`${instance.url}/v2/risk_score`, { ...target, api_key: once });
      expect([(await call()).status, (await call()).body.msg]).toEqual([200, 'ExceededDailyRateLimit']);
    });
  });

  describe('a v2 task', () => {
    it('is seen by the key that made it, and by the target alone', async () => {
      const instance = await service.start();
      const other = await service.key({ surface: 'standard' });
      await post(`${instance.url}/v2/risk_score_create_task`, { ...target, api_key: key });
      const ask = (api_key: string, coin = 'USDT-ERC20') => get(`${instance.url}/v2/risk_score_query_task`, { ...target, coin, api_key });
      await expect.poll(async () => (await ask(key)).body.msg, { timeout: 5_000 }).toBe('');
      expect((await ask(other)).body).toEqual({ success: true, msg: 'TaskNotFound', data: {} });
      expect((await ask(key, 'BNB')).body.msg).toBe('TaskNotFound');
    });
  });
}
