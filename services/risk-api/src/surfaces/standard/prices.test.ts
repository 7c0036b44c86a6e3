import { transfer, txid } from '@weir/chain-store/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadTransfers } from '../../index.ts';
import { type Answer, startInstance, get, type Instance, type TestService } from '../../testing/instance.ts';

let service: TestService;
let instance: Instance;
beforeAll(async () => {
  ({ service, instance } = await startInstance({ settings: { workers: 0 } }));
});
afterAll(() => service.stop());

const ask = async (query: Record<string, string>, api_key?: string): Promise<Answer> =>
  get(`${instance.url}/v1/prices`, { ...query, api_key: api_key ?? (await service.key({ surface: 'standard' })) });

it('tells the newest price that imported transfers give up to a day', async () => {
  const first = { ...transfer, amount: '1', usd_value: '2000', time: '2024-01-01T23:59:59Z' };
  const rows = [
    first,
    { ...first, txid: txid(2), amount: '3', usd_value: '6003' },
    // Neither a value of cents nor an unknown one is evidence of a price.
    { ...first, txid: txid(3), amount: '0.000000000000000001', usd_value: '0.01' },
    { ...first, txid: txid(4), amount: '5', usd_value: null },
    { ...first, txid: txid(5), amount: '2', usd_value: '4400.5', time: '2024-01-03T00:00:00Z' },
    // A token with the coin's name on another chain.
    { ...first, txid: 'a'.repeat(64), chain: 'bitcoin', from_address: 'x', to_address: 'y', coin: 'ETH', amount: '1', usd_value: '9' },
  ];
  await loadTransfers(service.database.pool, rows);
  const old = { status: 200, body: { success: true, data: { coin: 'ETH', usd: '2000', day: '2024-01-01' } } };
  expect(await ask({ coin: 'ETH', day: '2024-01-02' })).toMatchObject(old);
  expect((await ask({ coin: 'ETH' })).body.data).toEqual({ coin: 'ETH', usd: '2200.25', day: '2024-01-03' });
  expect((await ask({ coin: 'ETH', day: '2023-12-31' })).body.data).toBeNull();
  expect((await ask({ coin: 'BTC' })).body.data).toBeNull();
  // A repetition changes nothing; a value that becomes known counts.
  await loadTransfers(service.database.pool, rows);
  expect(await ask({ coin: 'ETH', day: '2024-01-02' })).toMatchObject(old);
  await loadTransfers(service.database.pool, [{ ...first, txid: txid(4), amount: '5', usd_value: '10896' }]);
  expect((await ask({ coin: 'ETH', day: '2024-01-02' })).body.data.usd).toBe('2001');
});

it('one row with a wrong value does not set the price of its day', async () => {
  const time = '2025-03-01T10:00:00Z';
  const rows = Array.from({ length: 40 }, (_, n) => ({
    ...transfer,
    txid: txid(100 + n),
    amount: '2',
    usd_value: String(4_000 + 2 * n),
    time,
  }));
  await loadTransfers(service.database.pool, rows);
  await loadTransfers(service.database.pool, [{ ...transfer, txid: txid(98), amount: '2', usd_value: '999999999999', time }]);
  const { usd } = (await ask({ coin: 'ETH', day: '2025-03-01' })).body.data;
  expect(Number(usd)).toBeGreaterThanOrEqual(2_000);
  expect(Number(usd)).toBeLessThan(2_040);
});

it('importing a transfer again with the right value replaces a wrong price', async () => {
  const wrong = { ...transfer, txid: txid(200), amount: '1', usd_value: '999999', time: '2025-04-01T10:00:00Z' };
  const price = async () => (await ask({ coin: 'ETH', day: '2025-04-01' })).body.data;
  await loadTransfers(service.database.pool, [wrong]);
  expect(await price()).toMatchObject({ usd: '999999' });
  await loadTransfers(service.database.pool, [{ ...wrong, usd_value: '2000' }]);
  expect(await price()).toEqual({ coin: 'ETH', usd: '2000', day: '2025-04-01' });
});

it('takes a key and nothing from its limits, and refuses what is no coin or day', async () => {
  const once = await service.key({ surface: 'standard', perDay: 1 });
  for (let n = 0; n < 3; n += 1) expect((await ask({ coin: 'ETH' }, once)).status).toBe(200);
  expect(await ask({ coin: 'ETH' }, 'nobody')).toMatchObject({ status: 400, body: { msg: 'InvalidApiKey' } });
  expect(await ask({ coin: 'NONE' })).toMatchObject({ status: 400, body: { msg: 'UnsupportedToken' } });
  for (const day of ['yesterday', '2024-02-30', '0000-01-01'])
    expect(await ask({ coin: 'ETH', day })).toMatchObject({ status: 400, body: { msg: 'InvalidParameter' } });
});
