import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestService, get, type Instance, post, type TestService } from '../testing/instance.ts';
import { hashKey } from './keys.ts';

let service: TestService;
let replicas: readonly [Instance, Instance];

beforeAll(async () => {
  service = await createTestService();
  replicas = [await service.start({ settings: { workers: 0 } }), await service.start({ settings: { workers: 0 } })];
});
afterAll(() => service.stop());

const target = { coin: 'ETH', address: '0x28C6c06298d514Db089934071355E5743bf21d60' };
const call = (index: number, key: string) =>
  get(`${replicas[index % 2 === 0 ? 0 : 1].url}/sandbox/v3/risk_score`, { ...target, api_key: key });

async function admitAt(key: string, surface: string, at: Date): Promise<{ verdict: string; retry_after: number }> {
  const { rows } = await service.database.pool.query<{ verdict: string; retry_after: number }>(
    'SELECT * FROM risk.admit($1, $2, true, $3)',
    [hashKey(key), surface, at],
  );
  return rows[0] ?? { verdict: 'none', retry_after: 0 };
}

describe('the limit of a second', () => {
  it('lets exactly ten of sixty through that come at once at two replicas', async () => {
    const key = await service.key({ surface: 'sandbox' });
    const start = performance.now();
    const answers = await Promise.all(Array.from({ length: 60 }, (_, i) => call(i, key)));
    const refused = answers.filter(({ status }) => status === 429);
    const accepted = answers.filter(({ status }) => status === 200).length;
    // On a busy machine sixty calls may take longer than the second.
    expect(accepted).toBeGreaterThanOrEqual(10);
    expect(accepted).toBeLessThanOrEqual(10 * Math.ceil((performance.now() - start) / 1_000));
    expect(refused).toHaveLength(60 - accepted);
    for (const { body, headers } of refused) {
      expect(body).toEqual({ success: false, msg: 'ExceededRateLimit', data: {}, retry_after: 1 });
      expect(headers.get('retry-after')).toBe('1');
    }
  });

  it('holds in every sliding second under steady pressure, and is not wasted', async () => {
    const key = await service.key({ surface: 'sandbox', perSecond: 5 });
    const start = performance.now();
    let accepted = 0;
    // Continues until three seconds' worth of calls are accepted, whatever time that takes.
    const press = async (index: number): Promise<void> => {
      while (accepted < 16) if ((await call(index, key)).status === 200) accepted += 1;
    };
    await Promise.all([press(0), press(1), press(2), press(3)]);
    const { rows } = await service.database.pool.query<{ accepted: bigint }>('SELECT accepted FROM risk.key_usage WHERE key_sha256 = $1', [
      hashKey(key),
    ]);
    expect(Number(rows[0]?.accepted)).toBe(accepted);
    expect(Number(rows[0]?.accepted)).toBeLessThanOrEqual(5 * Math.ceil((performance.now() - start) / 1_000));
  });

  it('is exact to the microsecond, whatever the limit', async () => {
    for (const perSecond of [1, 3, 250]) {
      const key = await service.key({ surface: 'standard', perSecond });
      const start = Date.UTC(2031, 0, 1, 12);
      for (let i = 0; i < perSecond; i += 1) expect((await admitAt(key, 'standard', new Date(start + i))).verdict).toBe('ok');
      expect(await admitAt(key, 'standard', new Date(start + 999))).toEqual({ verdict: 'second', retry_after: 1 });
      expect((await admitAt(key, 'standard', new Date(start + 1_000))).verdict).toBe('ok');
      if (perSecond > 1) expect((await admitAt(key, 'standard', new Date(start + 1_000))).verdict).toBe('second');
    }
  });

  it('keeps no more rows than the limit, and holds when the plan is changed', async () => {
    const key = await service.key({ surface: 'standard', perSecond: 4 });
    const start = Date.UTC(2031, 0, 1, 12);
    for (let i = 0; i < 12; i += 1) expect((await admitAt(key, 'standard', new Date(start + i * 250))).verdict).toBe('ok');
    const { rows } = await service.database.pool.query('SELECT FROM risk.key_hits WHERE key_sha256 = $1', [hashKey(key)]);
    expect(rows).toHaveLength(4);
    await service.database.pool.query('UPDATE risk.api_keys SET per_second = 2 WHERE key_sha256 = $1', [hashKey(key)]);
    expect((await admitAt(key, 'standard', new Date(start + 2_800))).verdict).toBe('second');
    await service.database.pool.query('UPDATE risk.api_keys SET per_second = 5 WHERE key_sha256 = $1', [hashKey(key)]);
    expect((await admitAt(key, 'standard', new Date(start + 2_800))).verdict).toBe('ok');
  });
});

describe('a clock that is set back', () => {
  it('by little stands still, by more starts anew', async () => {
    const key = await service.key({ surface: 'standard', perSecond: 1 });
    const start = Date.UTC(2031, 0, 1, 12);
    const verdictAt = async (ms: number): Promise<string> => (await admitAt(key, 'standard', new Date(start + ms))).verdict;
    expect(await verdictAt(0)).toBe('ok');
    expect(await verdictAt(-500)).toBe('second');
    expect(await verdictAt(-3_600_000)).toBe('ok');
    expect(await verdictAt(-3_600_000 + 999)).toBe('second');
  });
});

describe('the limit of a day', () => {
  it('ends at midnight UTC, tells how long that is, and goes before the other', async () => {
    const key = await service.key({ surface: 'standard', perSecond: 2, perDay: 2 });
    const evening = Date.UTC(2031, 4, 5, 23, 59, 0);
    expect((await admitAt(key, 'standard', new Date(evening))).verdict).toBe('ok');
    expect((await admitAt(key, 'standard', new Date(evening))).verdict).toBe('ok');
    expect(await admitAt(key, 'standard', new Date(evening + 500))).toEqual({ verdict: 'day', retry_after: 60 });
    expect((await admitAt(key, 'standard', new Date(evening + 60_000))).verdict).toBe('ok');
  });

  it('answers with the code and the wait', async () => {
    const key = await service.key({ surface: 'sandbox', perSecond: null, perDay: 1 });
    expect((await call(0, key)).status).toBe(200);
    const { status, body, headers } = await call(1, key);
    expect({ status, body }).toEqual({
      status: 429,
      body: { success: false, msg: 'ExceededDailyRateLimit', data: {}, retry_after: expect.any(Number) },
    });
    expect(body.retry_after > 0 && body.retry_after <= 86_400).toBe(true);
    expect(headers.get('retry-after')).toBe(String(body.retry_after));
  });
});

describe('what counts', () => {
  it('wrong parameters count, refusals and unknown keys do not', async () => {
    const key = await service.key({ surface: 'sandbox', perSecond: 1, perDay: 3 });
    const wrong = await get(`${replicas[0].url}/sandbox/v3/risk_score`, { coin: 'BTC', api_key: key });
    expect(wrong.body.msg).toBe('InvalidParameter');
    expect((await call(0, key)).body.msg).toBe('ExceededRateLimit');
    const { rows } = await service.database.pool.query('SELECT accepted::int, accepted_today FROM risk.key_usage WHERE key_sha256 = $1', [
      hashKey(key),
    ]);
    expect(rows).toEqual([{ accepted: 1, accepted_today: 1 }]);
  });

  it('limits go before parameters', async () => {
    const key = await service.key({ surface: 'standard', perDay: 1 });
    const url = `${replicas[0].url}/v3/risk_score_create_task`;
    expect((await post(url, { api_key: key })).body.msg).toBe('InvalidParameter');
    expect((await post(url, { api_key: key })).body.msg).toBe('ExceededDailyRateLimit');
  });

  it('a standard query never does, a sandbox query does', async () => {
    const standard = await service.key({ surface: 'standard', perSecond: 1, perDay: 1 });
    for (let i = 0; i < 5; i += 1) {
      expect((await get(`${replicas[0].url}/v3/risk_score_query_task`, { task_id: 'x', api_key: standard })).body.msg).toBe('TaskNotFound');
    }
    const sandbox = await service.key({ surface: 'sandbox', perSecond: 1 });
    const query = () => get(`${replicas[0].url}/sandbox/v3/risk_score_query_task`, { task_id: 'x', api_key: sandbox });
    expect([(await query()).body.msg, (await query()).body.msg]).toEqual(['TaskNotFound', 'ExceededRateLimit']);
  });

  it('a revoked key is none', async () => {
    const key = await service.key({ surface: 'sandbox' });
    await service.database.pool.query('UPDATE risk.api_keys SET revoked_at = now() WHERE key_sha256 = $1', [hashKey(key)]);
    expect((await call(0, key)).body.msg).toBe('InvalidApiKey');
  });
});
