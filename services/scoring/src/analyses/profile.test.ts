import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock } from '@weir/clock';
import { RiskClient } from '@weir/risk-client';
import { specifiedProvider } from '@weir/risk-provider';
import { createApp, createLogger } from '@weir/service-kit';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { PacedCalls } from './paced-calls.ts';
import { analysisOperations } from './routes.ts';
import { profileView } from './view.ts';

const address = `0x${'1'.repeat(40)}`;
const action = { action: 'Exchange', count: 3, proportion: 100 };
const answers: Readonly<Record<string, object>> = {
  '/v1/address_labels': { data: { label_list: ['Some Exchange'], label_type: 'exchange' } },
  '/v1/address_counterparty': { address_counterparty_list: [{ name: 'Some Mixer', amount: 5, percent: 100 }] },
  '/v1/address_action': { data: { received_txs: [action], spent_txs: [] } },
};
/** Paths that fail. Whatever has no answer is 404. */
let failing: readonly string[] = [];

/** Stands for the API of the provider. */
const api = createServer((request, response) => {
  const path = new URL(request.url ?? '', 'http://provider').pathname;
  const status = failing.includes(path) ? 500 : path in answers ? 200 : 404;
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(status === 200 ? { success: true, msg: '', ...answers[path] } : { success: false, msg: 'NotNow' }));
});
let app: ReturnType<typeof createApp>;

beforeAll(async () => {
  await new Promise((resolve) => api.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = api.address() as AddressInfo;
  const explorer = new RiskClient({ baseUrl: `http://127.0.0.1:${port}`, apiKey: randomUUID(), keyIn: 'spec' });
  const provider = specifiedProvider(explorer, { name: 'scripted', limits: { perSecond: 1_000, perDay: 1_000 } });
  const access = { callerOf: async () => ({ id: '1', role: 'auditor', name: 'A' }) as const, limit: () => undefined };
  // The rate budget has tests of its own.
  const calls = { run: (ask: () => unknown) => ask() } as unknown as PacedCalls;
  const operations = analysisOperations({ access, clock: systemClock, provider, explorer, calls, maxAnswerAgeMs: 3_600_000 });
  app = createApp(createLogger({ service: 'scoring', level: 'silent' }), operations);
});
afterAll(async () => {
  api.closeAllConnections();
  await new Promise((resolve) => api.close(resolve));
});
beforeEach(() => {
  failing = [];
});

async function profile(): Promise<{ status: number; body: any }> {
  const answer = await app.request(`/v1/analyses/profile?chain=ethereum&address=${address}`, { headers: { authorization: 'Bearer any' } });
  return { status: answer.status, body: await answer.json() };
}

const whole = {
  labels: ['Some Exchange'],
  label_type: 'exchange',
  overview: null,
  counterparties: [{ name: 'Some Mixer', amount: 5, percent: 100 }],
  received: [{ action: 'Exchange', count: 3, percent: 100 }],
  spent: [],
};

test('a profile has what each question brought', async () => {
  const { status, body } = await profile();
  expect([status, profileView.parse(body)]).toEqual([200, whole]);
});

test.each([
  ['/v1/address_labels', { labels: null, label_type: null }],
  ['/v1/address_counterparty', { counterparties: null }],
  ['/v1/address_action', { received: null, spent: null }],
])('where %s fails, that part is missing and the others are not', async (path, missing) => {
  failing = [path];
  const { status, body } = await profile();
  expect([status, profileView.parse(body)]).toEqual([200, { ...whole, ...missing }]);
});

test('where all fail, it is no profile', async () => {
  failing = Object.keys(answers);
  expect(await profile()).toMatchObject({ status: 503, body: { code: 'PROVIDER_AWAY' } });
});
