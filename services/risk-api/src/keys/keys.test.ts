import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApiKey, listApiKeys } from '../index.ts';
import { startInstance, get, post, type Instance, type TestService } from '../testing/instance.ts';
import { create, sandboxGet, failure, standardKey, unlimitedSandboxKey } from '../testing/calls.ts';

const eth = '0x098B716B8Aaf21512996dC57EB0615e2383E2f96';

let service: TestService;
let instance: Instance;
let keys: { standard: string; sandbox: string };

beforeAll(async () => {
  ({ service, instance, keys } = await startInstance({ keys: { standard: standardKey, sandbox: unlimitedSandboxKey } }));
});
afterAll(() => service.stop());

describe('API keys', () => {
  it.each(['query or body', 'header'])('are taken from the %s', async (where) => {
    const inHeader = where === 'header';
    const given = { coin: 'ETH', address: eth };
    const headers = inHeader ? { 'x-api-key': keys.sandbox } : {};
    const field = inHeader ? {} : { api_key: keys.sandbox };
    expect(await get(instance.url + sandboxGet, { ...given, ...field }, headers)).toMatchObject({ status: 200, body: { success: true } });
    expect(await post(`${instance.url}/sandbox${create}`, { ...given, ...field }, headers)).toMatchObject({
      status: 200,
      body: { success: true },
    });
  });

  it('two different ones are none; repeated parameters are wrong', async () => {
    const url = `${instance.url}${sandboxGet}?coin=ETH&address=${eth}&api_key=${keys.sandbox}`;
    expect(
      await get(instance.url + sandboxGet, { coin: 'ETH', address: eth, api_key: keys.standard }, { 'x-api-key': keys.sandbox }),
    ).toMatchObject({ status: 400, body: { msg: 'InvalidApiKey' } });
    expect((await (await fetch(`${url}&coin=TRX`)).json()) as object).toEqual(failure('InvalidParameter'));
  });

  it('are stored as a hash only', async () => {
    const { rows } = await service.database.pool.query('SELECT * FROM risk.api_keys');
    expect(JSON.stringify(rows)).not.toContain(keys.standard);
    expect(keys.standard).toMatch(/^[\w-]{43}$/);
  });

  it('appear in no log line and no metric, whichever way they come', async () => {
    await get(instance.url + sandboxGet, { coin: 'ETH', address: eth, api_key: keys.sandbox });
    await get(`${instance.url}/nothing/here`, { api_key: keys.sandbox });
    await get(`${instance.url}/${keys.sandbox}`);
    await post(instance.url + create, { coin: 'ETH', address: eth, api_key: keys.standard }, { 'x-api-key': keys.standard });
    const metrics = (await get(`${instance.url}/metrics`)).body as string;
    expect(metrics).toContain('weir_risk_api_requests_total{operation="v3_risk_score_create_task",status="200"}');
    expect(instance.logs()).toContain('"operation":"other"');
    for (const text of [instance.logs(), metrics]) {
      for (const secret of [keys.sandbox, keys.standard, eth.toLowerCase()]) expect(text.toLowerCase()).not.toContain(secret.toLowerCase());
    }
  });

  it('that are made without a word on limits have those of the sandbox, on the standard surface too', async () => {
    await createApiKey(service.database.pool, { surface: 'standard', name: 'plain' });
    const known = (await listApiKeys(service.database.pool)).find(({ name }) => name === 'plain');
    expect([known?.perSecond, known?.perDay]).toEqual([10, 10_000]);
  });
});
