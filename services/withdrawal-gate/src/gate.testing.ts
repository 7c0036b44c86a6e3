import { type Action, type ScreeningDecided, screeningId, type WithdrawalRequested } from '@weir/contracts';
import { createApp, createLogger, roles, type RunningServer, serve, storeToken } from '@weir/service-kit';
import { caughtUp, openTestStack, type TestRole, type TestService, type TestStack, publishTo } from '@weir/service-kit/testing';
import { afterEach, beforeEach, expect } from 'vitest';
import { intakeMigrations } from '@weir/intake';
import { gateMigrations, startWithdrawalGate, type WithdrawalGateSettings } from './index.ts';

export const gateRole: TestRole = { service: 'withdrawal-gate', modules: { intake: intakeMigrations, gate: gateMigrations } };

export const mixedCase = '0x28C6c06298d514Db089934071355E5743bf21d60';
export const lowerCase = mixedCase.toLowerCase();

export const withdrawal: WithdrawalRequested = {
  withdrawal_id: 'w-1',
  chain: null,
  coin: 'USDT-ERC20',
  to_address: mixedCase,
  amount: '10.0',
  usd_value: '10',
  user_id: 'u-1',
  memo: null,
  requested_at: Date.now(),
};

/** The terms of the permit of `withdrawal`. */
export const terms = { chain: 'ethereum', coin: 'USDT-ERC20', to_address: lowerCase, amount: '10' };

type GateSettings = WithdrawalGateSettings & { redisUrl: string; kafkaBrokers: string };

export function gateSettings(over: Partial<GateSettings> = {}): GateSettings {
  return {
    withdrawalDeadlineMs: 60_000,
    permitTtlMs: 300_000,
    allowMaxAgeMs: 900_000,
    permitIssuer: 'weir',
    permitKeyRotationMs: 2_592_000_000,
    permitKeySecret: 'permit-key-secret '.repeat(2),
    permitJournal: '',
    permitJournalKeepDays: 0,
    gateMaxWaiters: 1_000,
    gateMaxUnreadMs: 15_000,
    redisUrl: '',
    kafkaBrokers: '',
    ...over,
  };
}

export function decided(id: string, revision: number, action: Action, over: Partial<ScreeningDecided> = {}): ScreeningDecided {
  const kind = over.kind ?? 'withdrawal';
  return {
    screening_id: screeningId(kind, id),
    revision,
    kind,
    action,
    reason_codes: ['LEVEL_LOW'],
    rule: null,
    policy_hash: 'c0ffee',
    shadow: null,
    shadow_policy_hash: null,
    history: [],
    resolution_id: null,
    names_sanctioned: false,
    supersedes: revision === 1 ? null : revision - 1,
    outcome: 'SCORED',
    score: 3,
    risk_level: 'Low',
    requested_at: 1,
    decided_at: Date.now(),
    transfer: {
      kind,
      source_id: id,
      ...terms,
      txid: null,
      from_address: null,
      usd_value: '10',
      user_id: 'u-1',
      memo: null,
      occurred_at: 0,
    },
    ...over,
  };
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: any;
}

/** A listening replica of the gate, with its callers. */
export interface TestGate extends TestService {
  readonly url: string;
  ask(
    method: string,
    path: string,
    options?: { body?: unknown; role?: string; headers?: Record<string, string>; signal?: AbortSignal },
  ): Promise<Answer>;
  post(over?: Record<string, unknown>, prefer?: string): Promise<Answer>;
  get(id: string): Promise<Answer>;
  redeem(permit: string, over?: Record<string, unknown>): Promise<Answer>;
  /** Posts the withdrawal and publishes decisions of revision 1, 2, …. */
  settle(id: string, ...actions: readonly Action[]): Promise<void>;
  /** Publishes decisions and waits until the gate has read them. */
  decide(...decisions: readonly ScreeningDecided[]): Promise<void>;
}

/** Starts a replica on the stack. Call `close` before the stack's. */
export async function openGate(
  stack: TestStack,
  over: Partial<GateSettings> = {},
  pipelineOver: object = {},
): Promise<TestGate & { close(): Promise<void> }> {
  const replica = await stack.service((pipeline) => startWithdrawalGate({ ...pipeline, ...pipelineOver }, gateSettings(over)), {
    role: gateRole,
  });
  for (const role of roles) await storeToken(stack.db.pool, `token-${role}`, role, role);
  const server = await listen(replica);
  const url = `http://127.0.0.1:${server.port}`;
  const ask: TestGate['ask'] = async (method, path, { body, role = 'gate', headers = {}, signal } = {}) => {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { ...(role === '' ? {} : { authorization: `Bearer token-${role}` }), 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
    return { status: answer.status, headers: answer.headers, body: await answer.json() };
  };
  const post: TestGate['post'] = (given = {}, prefer = 'wait=0') => {
    const { requested_at: _, chain: __, ...rest } = withdrawal;
    return ask('POST', '/v1/withdrawals', { body: { ...rest, ...given }, headers: { prefer } });
  };
  const decide: TestGate['decide'] = async (...decisions) => {
    await publishTo(replica.pipeline, 'screenings.decided', ...decisions);
    await caughtUp(replica.pipeline, 'withdrawal-gate.decisions');
  };
  return {
    ...replica,
    url,
    ask,
    post,
    get: (id) => ask('GET', `/v1/withdrawals/${encodeURIComponent(id)}`),
    redeem: (permit, given = {}) => ask('POST', '/v1/permits/redeem', { body: { permit, ...terms, ...given } }),
    decide,
    settle: async (id, ...actions) => {
      expect((await post({ withdrawal_id: id })).status).toBeLessThan(300);
      await decide(...actions.map((action, n) => decided(id, n + 1, action)));
    },
    close: () => server.close(0),
  };
}

async function listen({ service }: TestService): Promise<RunningServer> {
  const app = createApp(createLogger({ service: 'test', level: 'silent' }), service.operations);
  return serve(app, { host: '127.0.0.1', port: 0 });
}

/** A new stack for each test of the file, with the gates that it opens. */
export function stackForEachTest(): {
  readonly stack: TestStack;
  readonly open: (...args: OpenGateArguments) => ReturnType<typeof openGate>;
} {
  let stack: TestStack;
  const gates: Awaited<ReturnType<typeof openGate>>[] = [];
  beforeEach(async () => {
    stack = await openTestStack({ roles: [gateRole] });
  });
  afterEach(async () => {
    for (const gate of gates.splice(0)) await gate.close();
    await stack.close();
  });
  return {
    get stack() {
      return stack;
    },
    open: async (...args) => {
      const gate = await openGate(stack, ...args);
      gates.push(gate);
      return gate;
    },
  };
}

type OpenGateArguments = [over?: Partial<GateSettings>, pipelineOver?: object];
