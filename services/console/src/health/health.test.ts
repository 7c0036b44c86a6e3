import { ManualClock } from '@weir/clock';
import { healthRoutes, loadConfig, Readiness, type RunningServer, serve } from '@weir/service-kit';
import { Hono } from 'hono';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { forwardSchema } from '../forward/config.ts';
import { openTestApi, type TestApi } from '../routes.testing.ts';
import { healthSchema } from './config.ts';
import { partsOf, unseen } from './parts.ts';
import { systemHealthOperations } from './routes.ts';
import type { PartView } from './view.ts';

const clock = new ManualClock();
const servers: RunningServer[] = [];
let decisionLacks: readonly string[] = [];
let api: TestApi;

async function listen(app: Hono): Promise<string> {
  const server = await serve(app, { host: '127.0.0.1', port: 0 });
  servers.push(server);
  return `http://127.0.0.1:${server.port}`;
}

const expose = async () => ({ type: 'text/plain', text: '' });

beforeAll(async () => {
  const readiness = new Readiness();
  readiness.set('console', { unavailable: async () => [], expose });
  const decision = await listen(healthRoutes({ unavailable: async () => decisionLacks, expose }));
  const scoring = await listen(
    healthRoutes({ unavailable: async () => [], degraded: async () => ['upstream'], warnings: () => ['the list is old'], expose }),
  );
  const stranger = await listen(new Hono().get('/readyz', (c) => c.html('<h1>Welcome</h1>')));
  const parts = [
    { service: 'decision', url: decision },
    { service: 'scoring', url: scoring },
    { service: 'audit-writer', url: stranger },
    // Nobody listens there.
    { service: 'withdrawal-gate', url: 'http://127.0.0.1:1' },
  ] as const;
  api = await openTestApi((_, access) => systemHealthOperations({ readiness, parts, access, clock }));
});
afterAll(async () => {
  await Promise.all(servers.map((server) => server.close(0)));
  await api.close();
});

async function health(): Promise<PartView[]> {
  const answer = await api.get('/v1/system-health', 'token-reviewer');
  expect(answer.status).toBe(200);
  return ((await answer.json()) as { items: PartView[] }).items;
}

const none = { unavailable: [], degraded: [], warnings: [] };

test('tells the state of each service in its own process, and of those that are away', async () => {
  expect(await health()).toEqual([
    { service: 'console', state: 'ready', ...none },
    { service: 'decision', state: 'ready', ...none },
    { service: 'scoring', state: 'ready', unavailable: [], degraded: ['upstream'], warnings: ['the list is old'] },
    { service: 'audit-writer', state: 'away', ...none },
    { service: 'withdrawal-gate', state: 'away', ...none },
  ]);
});

test('a service that loses its database is shown within five seconds, and is not asked for each caller', async () => {
  await clock.advance(5_000);
  await health();
  decisionLacks = ['database'];
  expect((await health())[1]).toMatchObject({ state: 'ready' });
  await clock.advance(5_000);
  expect((await health())[1]).toEqual({ service: 'decision', state: 'not_ready', ...none, unavailable: ['database'] });
});

test('machines of the exchange do not read it', async () => {
  expect((await api.get('/v1/system-health', 'token-ingest')).status).toBe(403);
});

test('where services run by themselves, those without an address are named', () => {
  const settings = loadConfig(
    { ...forwardSchema, ...healthSchema },
    { WEIR_GATE_URL: 'http://127.0.0.1:2', WEIR_AUDIT_URL: 'http://127.0.0.1:3' },
  );
  expect(partsOf(settings)).toEqual([
    { service: 'withdrawal-gate', url: 'http://127.0.0.1:2' },
    { service: 'audit-writer', url: 'http://127.0.0.1:3' },
  ]);
  expect(unseen(settings)).toEqual(['WEIR_INGEST_URL is not set: the console does not show the health of deposit-ingest']);
});
