import { type Clock, systemClock } from '@weir/clock';
import { urlOfRole } from '@weir/postgres';
import type { TestDatabase } from '@weir/postgres/testing';
import { createLogger, roleOf, serve } from '@weir/service-kit';
import { createApiKey, createRiskApi, defaultSettings, type NewKey, type RiskApiSettings } from '../index.ts';
import { createRiskDatabase } from './database.ts';
import { checkDescribed, describeInstance } from './described.ts';

export interface Instance {
  readonly url: string;
  readonly logs: () => string;
  stop(): Promise<void>;
}

export interface TestService {
  readonly database: TestDatabase;
  start(options?: { settings?: Partial<RiskApiSettings>; clock?: Clock; databaseUrl?: string }): Promise<Instance>;
  key(plan: Omit<NewKey, 'name'>): Promise<string>;
  stop(): Promise<void>;
}

/** A test database, and any number of instances on it. Their runs wait on that Redis, or in the database. */
export async function createTestService({ redisUrl = '' }: { redisUrl?: string } = {}): Promise<TestService> {
  const database = await createRiskDatabase();
  const running: Instance[] = [];
  return {
    database,
    start: async ({ settings = {}, clock = systemClock, databaseUrl: ownerUrl = database.url } = {}) => {
      const databaseUrl = urlOfRole(ownerUrl, roleOf('risk-api'));
      const lines: string[] = [];
      const logger = createLogger({ service: 'risk-api', level: 'debug', destination: { write: (line) => void lines.push(line) } });
      const pool = database.openPool({ url: databaseUrl, onError: () => undefined });
      const api = await createRiskApi({
        pool,
        redisUrl,
        clock,
        logger,
        settings: { ...defaultSettings, ...settings },
      });
      const server = await serve(api.app, { host: '127.0.0.1', port: 0 });
      const url = `http://127.0.0.1:${server.port}`;
      const forget = describeInstance(url, api.descriptions);
      const instance: Instance = {
        url,
        logs: () => lines.join(''),
        stop: async () => {
          forget();
          const at = running.indexOf(instance);
          if (at >= 0) running.splice(at, 1);
          await server.close(500);
          await api.stop();
        },
      };
      running.push(instance);
      return instance;
    },
    // A test sets limits itself.
    key: (plan) =>
      createApiKey(database.pool, { ...(plan.surface === 'standard' ? { perSecond: null, perDay: null } : {}), ...plan, name: 'test' }),
    stop: async () => {
      while (running[0] !== undefined) await running[0].stop();
      await database.drop();
    },
  };
}

/** A service with one instance, and a key for each plan. */
export async function startInstance<K extends string = never>(
  options: { settings?: Partial<RiskApiSettings>; keys?: Readonly<Record<K, Omit<NewKey, 'name'>>> } = {},
): Promise<{ service: TestService; instance: Instance; keys: Record<K, string> }> {
  const service = await createTestService();
  const instance = await service.start(options.settings === undefined ? {} : { settings: options.settings });
  const plans = Object.entries<Omit<NewKey, 'name'>>(options.keys ?? {});
  const keys = await Promise.all(plans.map(async ([name, plan]) => [name, await service.key(plan)]));
  return { service, instance, keys: Object.fromEntries(keys) as Record<K, string> };
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // Tests inspect answers without trusting their type.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any;
}

export async function get(url: string, query: Record<string, string> = {}, headers: Record<string, string> = {}): Promise<Answer> {
  const response = await fetch(`${url}?${new URLSearchParams(query).toString()}`, { headers, signal: AbortSignal.timeout(120_000) });
  return read('GET', url, response);
}

export async function post(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await fetch(url, {
    method: 'POST',
    body: text,
    headers: { 'content-type': 'application/json', ...headers },
    signal: AbortSignal.timeout(120_000),
  });
  return read('POST', url, response);
}

/** An undocumented answer fails every test. */
async function read(method: string, url: string, response: Response): Promise<Answer> {
  const text = await response.text();
  const answer = { status: response.status, headers: response.headers, body: text.startsWith('{') ? JSON.parse(text) : text };
  checkDescribed(method, url, answer);
  return answer;
}

/** Polls a task until it has a result; fails after `limitMs`. */
export async function resultOf(url: string, apiKey: string, taskId: string, limitMs = 120_000): Promise<Answer['body']> {
  const end = systemClock.monotonic() + limitMs;
  for (;;) {
    const { body } = await get(`${url}/v3/risk_score_query_task`, { task_id: taskId, api_key: apiKey });
    if (body.msg !== 'TaskUnderRunning') return body;
    if (systemClock.monotonic() > end) throw new Error('the task did not end');
    await systemClock.sleep(25);
  }
}
