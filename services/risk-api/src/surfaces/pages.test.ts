import { Agent, request } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sandboxTargets } from './sandbox/targets.ts';
import { startInstance, get, type Instance, type TestService } from '../testing/instance.ts';
import { create, query, sandboxGet, failure, unlimitedSandboxKey } from '../testing/calls.ts';

const eth = '0x098B716B8Aaf21512996dC57EB0615e2383E2f96';

let service: TestService;
let instance: Instance;
let keys: { sandbox: string };

beforeAll(async () => {
  ({ service, instance, keys } = await startInstance({ keys: { sandbox: unlimitedSandboxKey } }));
});
afterAll(() => service.stop());

describe('pages and methods', () => {
  it.each([
    ['GET', create, 404],
    ['POST', query, 404],
    ['DELETE', create, 404],
    ['PUT', '/', 404],
    ['GET', '/', 404],
    ['GET', '/v3/risk_score_query_task/', 404],
  ])('%s %s: %i', async (method, path, status) => {
    const response = await fetch(instance.url + path, { method });
    expect({ status: response.status, body: await response.json() }).toEqual({ status, body: failure('PageNotFound') });
  });

  it('HEAD is a GET without a body; OPTIONS tells the methods', async () => {
    const head = await fetch(`${instance.url}${sandboxGet}?coin=ETH&address=${eth}&api_key=${keys.sandbox}`, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
    expect((await fetch(`${instance.url}${sandboxGet}`, { method: 'HEAD' })).status).toBe(400);
    expect((await fetch(instance.url + create, { method: 'HEAD' })).status).toBe(404);
    const options = await fetch(instance.url + create, { method: 'OPTIONS' });
    expect([options.status, options.headers.get('allow')]).toEqual([204, 'POST, OPTIONS']);
    expect((await fetch(`${instance.url}/nothing`, { method: 'OPTIONS' })).status).toBe(404);
  });

  it('a body without a length is cut at the limit too', async () => {
    const answer = await new Promise<{ status: number; text: string }>((resolve, reject) => {
      const call = request(
        instance.url + create,
        { method: 'POST', headers: { 'content-type': 'application/json', 'transfer-encoding': 'chunked' } },
        (response) => {
          let text = '';
          response.on('data', (chunk) => {
            text += chunk;
          });
          response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
        },
      );
      call.on('error', reject);
      call.write('{"x":"');
      call.end(`${'x'.repeat(20_000)}"}`);
    });
    expect([answer.status, JSON.parse(answer.text)]).toEqual([413, failure('PayloadTooLarge')]);
  });

  it('a pooled client loses no request after one that was too large, on any surface', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const call = (method: string, path: string, body: string) =>
      new Promise<{ status: number; connection: string | undefined; text: string }>((resolve, reject) => {
        const headers = { 'content-type': 'application/json', 'content-length': body.length };
        request(instance.url + path, { method, agent, headers }, (answer) => {
          const { statusCode: status = 0, headers: told } = answer;
          readText(answer).then((read) => resolve({ status, connection: told.connection, text: read }), reject);
        })
          .on('error', reject)
          .end(body);
      });
    for (const path of [create, `/sandbox${create}`, '/x402/risk_score_create_task']) {
      const [refused, next] = await Promise.all([call('POST', path, 'x'.repeat(200_000)), call('GET', '/healthz', '')]);
      expect(next.status).toBe(200);
      expect([refused.status, refused.connection, JSON.parse(refused.text)]).toEqual([413, 'close', failure('PayloadTooLarge')]);
    }
    agent.destroy();
  });

  it('no answer may be kept on the way', async () => {
    expect((await get(`${instance.url}${sandboxGet}`)).headers.get('cache-control')).toBe('no-store');
  });

  it('health, metrics and docs need no key', async () => {
    expect(await get(`${instance.url}/healthz`)).toMatchObject({ status: 200 });
    expect(await get(`${instance.url}/readyz`)).toMatchObject({ status: 200 });
    const docs = await get(`${instance.url}/docs`);
    for (const { address, txid } of sandboxTargets) expect(docs.body).toContain(address ?? txid);
    expect(docs.body).toContain('POST /v3/risk_score_create_task');
  });
});
