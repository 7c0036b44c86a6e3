import { expect, test } from 'vitest';
import { z } from 'zod';
import { createDescribedApp, createLogger, createMetrics, everybody, operation } from '../index.ts';

const screeningId = '16fd2706-8baf-533b-a82b-bb81c2b3ee25';
const traceId = screeningId.replaceAll('-', '');

/** Requests take 20 ms each. */
function observed(level = 'info') {
  const lines: Record<string, unknown>[] = [];
  const logger = createLogger({ service: 'weir', level, destination: { write: (line: string) => void lines.push(JSON.parse(line)) } });
  const metrics = createMetrics();
  let nowMs = 0;
  const clock = { now: () => nowMs, monotonic: () => (nowMs += 20), sleep: () => Promise.resolve() };
  const answer = { status: 200, description: 'x', schema: z.unknown(), example: 1 };
  const shared = { tag: 'x', summary: 'x', admission: everybody, answers: [answer] };
  const operations = [
    operation({
      ...shared,
      name: 'post_thing',
      method: 'POST',
      path: '/v1/things/{screening_id}',
      service: 'scoring',
      respond: (c) => {
        c.set('caller', { id: 'a', name: 'a', role: 'gate' });
        return c.json({});
      },
    }),
    operation({
      ...shared,
      name: 'get_thing',
      method: 'GET',
      path: '/v1/things/{screening_id}',
      isPolled: true,
      respond: (c) => c.json({}),
    }),
    operation({
      ...shared,
      name: 'get_fault',
      method: 'GET',
      path: '/v1/fault',
      isPolled: true,
      respond: () => {
        throw new TypeError('a defect');
      },
    }),
  ];
  const health = { unavailable: async () => [], expose: (accept?: string) => metrics.expose(accept) };
  const app = createDescribedApp({ clock, logger, metrics, operations, health });
  const requests = (): Record<string, unknown>[] => lines.filter(({ msg }) => msg === 'request');
  return { app, lines, requests };
}

test('a request is one line, with the names of its operation, service, caller, screening and trace', async () => {
  const { app, requests } = observed();
  const answer = await app.request(`/v1/things/${screeningId}`, { method: 'POST', headers: { 'x-request-id': 'r-1' } });
  expect(answer.headers.get('x-request-id')).toBe('r-1');
  expect(requests()).toEqual([
    {
      level: 'info',
      time: expect.any(String),
      service: 'scoring',
      method: 'POST',
      route: '/v1/things/{screening_id}',
      status: 200,
      role: 'gate',
      duration_ms: 20,
      request_id: 'r-1',
      trace_id: traceId,
      screening_id: screeningId,
      msg: 'request',
    },
  ]);
});

test("the caller's trace is named, and a request id that is none is replaced", async () => {
  const { app, requests } = observed();
  const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
  const headers = { traceparent, 'x-request-id': 'a b\u00e9' };
  const answer = await app.request('/v1/things/x', { method: 'POST', headers });
  const id = answer.headers.get('x-request-id');
  expect(id).toMatch(/^[0-9a-f-]{36}$/);
  expect(requests()[0]).toMatchObject({ request_id: id, trace_id: '4bf92f3577b34da6a3ce929d0e0e4736' });
  expect(requests()[0]).not.toHaveProperty('screening_id');
});

test('what callers repeat is written at debug, unless it fails', async () => {
  const { app, requests } = observed('debug');
  for (const path of [`/v1/things/${screeningId}`, '/healthz', '/readyz', '/metrics', '/docs', '/v1/fault', '/nowhere/sesame'])
    await app.request(path);
  await app.request('/v1/fault', { method: 'DELETE' });
  expect(requests().map(({ level, route, status }) => [level, route, status])).toEqual([
    ['debug', '/v1/things/{screening_id}', 200],
    ['debug', '/healthz', 200],
    ['debug', '/readyz', 200],
    ['debug', '/metrics', 200],
    ['debug', 'page', 200],
    ['info', '/v1/fault', 500],
    ['info', 'none', 404],
    ['info', '/v1/fault', 405],
  ]);
  expect(JSON.stringify(requests())).not.toContain('sesame');
});

test('each operation has a histogram, and its buckets a trace in OpenMetrics', async () => {
  const { app } = observed();
  await app.request(`/v1/things/${screeningId}`, { method: 'POST' });
  const metrics = async (accept: string): Promise<string> => {
    const answer = await app.request('/metrics', { headers: { accept } });
    expect(answer.headers.get('content-type')).toContain(accept.split(';')[0]);
    return answer.text();
  };
  const labels = 'method="POST",route="/v1/things/{screening_id}",status="200",role="gate"';
  const sample = `weir_http_request_duration_seconds_bucket{le="0.025",${labels}} 1`;
  for (const form of ['text/plain', 'application/openmetrics-text; version=1.0.0', 'text/plain']) {
    const text = await metrics(form);
    const isOpen = form !== 'text/plain';
    expect(text).toContain(isOpen ? `${sample} # {trace_id="${traceId}"} 0.02 ` : `${sample}\n`);
    expect(text).toContain(isOpen ? '# TYPE weir_auth_failures counter' : '# TYPE weir_auth_failures_total counter');
    expect(text.endsWith('# EOF\n')).toBe(isOpen);
    expect(text).toMatch(/^weir_build_info\{version="[\d.]+",node="v\d+/m);
  }
});
