import { request } from 'node:http';
import { loadConfig } from '@weir/service-kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { riskApiSchema } from '../config.ts';
import type { RiskApiSettings } from '../config.ts';
import { createTestService, get, type TestService } from '../testing/instance.ts';
import { startProcess } from '../testing/process.ts';

const target = { coin: 'ETH', address: '0x28C6c06298d514Db089934071355E5743bf21d60' };

let service: TestService;
beforeAll(async () => {
  service = await createTestService();
});
afterAll(() => service.stop());

describe('a surface that is switched off', () => {
  it('is not there, and not described', async () => {
    const { url } = await service.start({ settings: { surfaces: 'sandbox', workers: 0 } });
    const api_key = await service.key({ surface: 'sandbox' });
    expect((await get(`${url}/sandbox/v3/risk_score`, { ...target, api_key })).status).toBe(200);
    expect((await fetch(`${url}/v2/risk_score`)).status).toBe(404);
    const paths = Object.keys((await get(`${url}/openapi.json`)).body.paths);
    expect(paths).toHaveLength(5);
    // Reports are served beside every surface.
    expect(paths.filter((path) => !path.startsWith('/sandbox/'))).toEqual(['/v1/risk_report']);

    const standard = await service.start({ settings: { surfaces: 'standard', workers: 0 } });
    for (const path of ['/sandbox/v3/risk_score', '/sandbox/targets']) expect((await fetch(standard.url + path)).status).toBe(404);
  });

  it.each([
    ['standard', /sandbox|x402|payment/i],
    ['sandbox', /standard API|x402|payment/i],
    ['x402', /standard API|sandbox|api_key|X-API-Key|InvalidApiKey/i],
  ])('is not mentioned where %s alone is on', async (surfaces, others) => {
    const { url } = await service.start({ settings: { surfaces, workers: 0 } });
    const { tags, info, components } = (await get(`${url}/openapi.json`)).body;
    expect(tags.map(({ name }: { name: string }) => name)).toEqual([surfaces, 'reports']);
    expect(info.description).not.toMatch(others);
    expect('securitySchemes' in components).toBe(surfaces !== 'x402');
    // Without the calls, whose remarks compare them with those of other surfaces.
    expect((await get(`${url}/docs`)).body.replace(/<noscript>.*<\/noscript>/s, '')).not.toMatch(others);
  });

  it.each(['', 'standard,', 'standard,standard', 'X402', 'Standard'])('cannot be named %j', (surfaces) => {
    expect(() => loadConfig<RiskApiSettings>(riskApiSchema as never, {}, { surfaces })).toThrow('WEIR_RISK_SURFACES is wrong');
  });
});

describe('a listener of its own', () => {
  it('has the sandbox alone, and the other has the rest', async () => {
    const own = await startProcess(service.database.url, { WEIR_RISK_SANDBOX_LISTEN: '127.0.0.1:0' });
    const api_key = await service.key({ surface: 'sandbox' });
    const path = '/sandbox/v3/risk_score';
    expect((await get(`${own.sandboxUrl}${path}`, { ...target, api_key })).status).toBe(200);
    expect((await get(own.url + path, { ...target, api_key })).status).toBe(404);
    expect((await get(`${own.sandboxUrl}/v2/risk_score`)).status).toBe(404);
    expect((await get(`${own.url}/v2/risk_score`)).body.msg).toBe('InvalidApiKey');
    own.child.kill('SIGTERM');
    expect(await own.exit).toBe(0);
  });

  it('has the pay-per-call API alone, and the other has the rest', async () => {
    const own = await startProcess(service.database.url, { WEIR_RISK_X402_LISTEN: '127.0.0.1:0' });
    expect((await fetch(`${own.x402Url}/x402/address_labels`)).status).toBe(503);
    expect((await fetch(`${own.url}/x402/address_labels`)).status).toBe(404);
    expect((await fetch(`${own.x402Url}/v2/risk_score`)).status).toBe(404);
    expect((await get(`${own.url}/v2/risk_score`)).body.msg).toBe('InvalidApiKey');
    own.child.kill('SIGTERM');
    expect(await own.exit).toBe(0);
  });

  it.each(['8080', 'host:', 'host:port', 'a b:1', '::1:80'])('cannot be %j', (sandboxListen) => {
    expect(() => loadConfig<RiskApiSettings>(riskApiSchema as never, {}, { sandboxListen })).toThrow('WEIR_RISK_SANDBOX_LISTEN is wrong');
  });
});

describe('the address of a report', () => {
  const urlOf = async (url: string, host: string): Promise<string> => {
    const api_key = await service.key({ surface: 'sandbox' });
    const path = `/sandbox/v3/risk_score?${new URLSearchParams({ ...target, api_key }).toString()}`;
    const text = await new Promise<string>((resolve, reject) => {
      const call = request(url + path, { headers: { host } }, (response) => {
        let body = '';
        response.on('data', (chunk) => {
          body += chunk;
        });
        response.on('end', () => resolve(body));
      });
      call.on('error', reject);
      call.end();
    });
    // The HTTP server itself rejects an invalid host, without a body.
    return text === '' ? 'refused' : JSON.parse(text).data.risk_report_url;
  };

  it('is where the caller found the service, when that is a host and a port', async () => {
    const { url } = await service.start({ settings: { workers: 0 } });
    expect(await urlOf(url, 'risk.example:8443')).toMatch(/^http:\/\/risk\.example:8443\/v1\/risk_report\?access_token=/);
    expect(await urlOf(url, '[::1]:80')).toMatch(/^http:\/\/\[::1\]:80\/v1/);
    expect(await urlOf(url, 'weir_risk-api_1:4100')).toMatch(/^http:\/\/weir_risk-api_1:4100\/v1/);
    for (const host of ['evil.example/path', 'a b', 'user@evil.example', 'x"onclick', '.', 'host:123456', 'a?b', '-', '_'])
      expect(['', 'refused']).toContain(await urlOf(url, host));
  });

  it('is the one that was set', async () => {
    const { url } = await service.start({ settings: { workers: 0, publicUrl: 'https://risk.example/weir/' } });
    expect(await urlOf(url, 'elsewhere.example')).toMatch(/^https:\/\/risk\.example\/weir\/v1\/risk_report\?access_token=/);
  });
});
