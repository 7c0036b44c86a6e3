import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestService, get, type TestService } from '../testing/instance.ts';
import { type Process, startProcess } from '../testing/process.ts';

const path = '/v1/address_labels';
const target = { coin: 'ETH', address: '0x28C6c06298d514Db089934071355E5743bf21d60' };
const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const traceparent = `00-${traceId}-00f067aa0ba902b7-01`;

let service: TestService;
let own: Process;
let api_key = '';
let written = '';

beforeAll(async () => {
  service = await createTestService();
  api_key = await service.key({ surface: 'standard' });
  own = await startProcess(service.database.url);
  own.child.stderr?.on('data', (chunk: Buffer) => {
    written += chunk.toString();
  });
});
afterAll(async () => {
  own.child.kill('SIGTERM');
  await own.exit;
  await service.stop();
});

/** The log line of a request, once it is written. */
function lineOf(requestId: string): Record<string, unknown> | undefined {
  const lines = written.split('\n').filter((line) => line.startsWith('{') && line.endsWith('}'));
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>).find(({ request_id }) => request_id === requestId);
}

describe('the service by itself', () => {
  it('names a request and its trace as the caller does, in its answer and in its log', async () => {
    const { status, headers } = await get(own.url + path, { ...target, api_key }, { traceparent, 'x-request-id': 'r-1' });
    expect([status, headers.get('x-request-id')]).toEqual([200, 'r-1']);
    await expect
      .poll(() => lineOf('r-1'), { timeout: 10_000 })
      .toEqual({
        level: 'info',
        time: expect.any(String),
        service: 'risk-api',
        method: 'GET',
        operation: 'v1_address_labels',
        status: 200,
        duration_ms: expect.any(Number),
        request_id: 'r-1',
        trace_id: traceId,
        msg: 'request',
      });
  });

  it('gives a request an id where the caller has none, and no trace where there is none', async () => {
    const { status, headers } = await get(own.url + path, target, { 'x-request-id': 'a b' });
    const id = headers.get('x-request-id') ?? '';
    expect([status, id]).toEqual([400, expect.stringMatching(/^[0-9a-f-]{36}$/)]);
    await expect.poll(() => lineOf(id), { timeout: 10_000 }).toMatchObject({ status: 400 });
    expect(lineOf(id)).not.toHaveProperty('trace_id');
  });

  it('has the metrics of every service, and a trace in a bucket', async () => {
    await get(own.url + path, { ...target, api_key }, { traceparent });
    const text = async (accept: string): Promise<string> => (await fetch(`${own.url}/metrics`, { headers: { accept } })).text();
    const plain = await text('text/plain');
    expect(plain).toMatch(/^weir_build_info\{version="[\d.]+",node="v\d+/m);
    for (const state of ['busy', 'idle', 'waiting'])
      expect(plain).toMatch(new RegExp(`^weir_pool_connections\\{state="${state}"\\} \\d+$`, 'm'));
    for (const name of ['nodejs_eventloop_lag_seconds', 'nodejs_gc_duration_seconds']) expect(plain).toContain(`# TYPE ${name} `);
    expect(plain).not.toContain('trace_id');
    const labels = 'le="[^"]+",operation="v1_address_labels"';
    const bucket = `^weir_risk_api_duration_seconds_bucket\\{${labels}\\} \\d+ # \\{trace_id="${traceId}"\\} `;
    expect(await text('application/openmetrics-text; version=1.0.0')).toMatch(new RegExp(bucket, 'm'));
  });
});
