import { type DepositTarget, RiskClient } from '@weir/risk-client';
import { PayingClient } from '@weir/risk-client/pay';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Checked, startChecked } from './instance.ts';

const target = { coin: 'ETH', address: '0x098B716B8Aaf21512996dC57EB0615e2383E2f96' };
/** Of the sandbox. */
const asked: DepositTarget = target;
/** Subjects of the sample: one that was paid a known value, and one whose score has exposures. */
const paid = { coin: 'BTC', address: '1Eetu9mEjrFcJYd3Hxi88DoirHqKP35YJX', direction: 'backward' } as const;
const dealer = { coin: 'ETH', address: '0xe708f17240732bbfa1baa8513f66b665fbc7ce10' };

let checked: Checked;
beforeAll(async () => {
  checked = await startChecked();
});
afterAll(() => checked.stop());

type Surface = 'standard' | 'sandbox';

let last = '';

function clientOf(surface: Surface, fetch: typeof globalThis.fetch): RiskClient {
  const baseUrl = surface === 'standard' ? checked.url : `${checked.url}/sandbox`;
  return new RiskClient({
    baseUrl,
    apiKey: checked.keys[surface],
    keyIn: surface === 'standard' ? 'header' : 'spec',
    timeoutMs: 30_000,
    fetch,
  });
}

const keepingTheText: typeof fetch = async (...request) => {
  const response = await fetch(...request);
  last = await response.clone().text();
  return response;
};

const sayingItAgain: typeof fetch = async () => new Response(last, { headers: { 'content-type': 'application/json' } });

interface Call {
  readonly surface: Surface;
  readonly method: keyof RiskClient;
  readonly kind: string;
  readonly prepare?: (client: RiskClient) => Promise<string>;
  readonly run: (client: RiskClient, taskId: string) => Promise<{ kind: string }>;
}

async function taskOf(client: RiskClient, of: DepositTarget): Promise<string> {
  await client.riskScoreV2(of);
  const created = await client.createTask(of);
  return created.kind === 'created' ? created.task_id : created.kind;
}

/** Resolves with the cursor before the change of a score that was read, once the change is listed. */
async function changedAfter(client: RiskClient): Promise<string> {
  const before = await client.scoreChanges({});
  if (before.kind !== 'changes') return before.kind;
  await client.riskScoreV2(dealer);
  await checked.label(dealer.address);
  const told = async (): Promise<unknown> => client.scoreChanges({ after: before.next_cursor });
  await expect.poll(told, { timeout: 10_000 }).toMatchObject({ items: [{ subject: dealer.address }] });
  return before.next_cursor;
}

const standard = 'standard';
const sandbox = 'sandbox';

const calls: Readonly<Record<string, Call>> = {
  v1_address_labels: { surface: standard, method: 'addressLabels', kind: 'labels', run: (client) => client.addressLabels(target) },
  v1_address_counterparty: {
    surface: standard,
    method: 'addressCounterparty',
    kind: 'counterparties',
    run: (client) => client.addressCounterparty(dealer),
  },
  v1_address_action: { surface: standard, method: 'addressAction', kind: 'actions', run: (client) => client.addressAction(dealer) },
  v1_address_overview: { surface: standard, method: 'addressOverview', kind: 'overview', run: (client) => client.addressOverview(dealer) },
  v1_status: { surface: standard, method: 'status', kind: 'status', run: (client) => client.status() },
  v3_risk_score: { surface: standard, method: 'riskScore', kind: 'scored', run: (client) => client.riskScore(dealer) },
  v1_address_trace: {
    surface: standard,
    method: 'addressTrace',
    kind: 'trace',
    run: (client) => client.addressTrace(paid),
  },
  v1_transactions_investigation: {
    surface: standard,
    method: 'transactionsInvestigation',
    kind: 'transfers',
    run: (client) => client.transactionsInvestigation({ ...dealer, type: 'all', page: 1, startTimestamp: 0 }),
  },
  v1_risk_score: { surface: standard, method: 'riskScoreV1', kind: 'scored', run: (client) => client.riskScoreV1(dealer) },
  v2_risk_score: { surface: standard, method: 'riskScoreV2', kind: 'scored', run: (client) => client.riskScoreV2(dealer) },
  v2_risk_score_create_task: { surface: standard, method: 'createTaskV2', kind: 'started', run: (client) => client.createTaskV2(dealer) },
  v2_risk_score_query_task: { surface: standard, method: 'queryTaskV2', kind: 'scored', run: (client) => client.queryTaskV2(dealer) },
  v3_risk_score_create_task: { surface: standard, method: 'createTask', kind: 'created', run: (client) => client.createTask(dealer) },
  v3_risk_score_query_task: {
    surface: standard,
    method: 'queryTask',
    kind: 'scored',
    prepare: (client) => taskOf(client, dealer),
    run: (client, taskId) => client.queryTask(taskId),
  },
  v1_score_changes: {
    surface: standard,
    method: 'scoreChanges',
    kind: 'changes',
    prepare: changedAfter,
    run: (client, after) => client.scoreChanges({ after }),
  },
  v1_prices: { surface: standard, method: 'price', kind: 'price', run: (client) => client.price({ coin: 'BTC' }) },
  sandbox_v3_risk_score: { surface: sandbox, method: 'riskScore', kind: 'scored', run: (client) => client.riskScore(asked) },
  sandbox_v3_risk_score_create_task: { surface: sandbox, method: 'createTask', kind: 'created', run: (client) => client.createTask(asked) },
  sandbox_v3_risk_score_query_task: {
    surface: sandbox,
    method: 'queryTask',
    kind: 'scored',
    prepare: (client) => taskOf(client, asked),
    run: (client, taskId) => client.queryTask(taskId),
  },
  sandbox_targets: { surface: sandbox, method: 'targets', kind: 'targets', run: (client) => client.targets() },
};

/** `test/pay` checks the results of paid calls. */
const paidCalls: Readonly<Record<string, keyof PayingClient>> = {
  x402_address_labels: 'addressLabels',
  x402_address_overview: 'addressOverview',
  x402_risk_score: 'riskScore',
  x402_risk_score_create_task: 'createTask',
  x402_task: 'queryTask',
  x402_transactions_investigation: 'transactionsInvestigation',
  x402_address_action: 'addressAction',
  x402_address_trace: 'addressTrace',
  x402_address_counterparty: 'addressCounterparty',
};
/** The listing that wallets use for discovery, and methods of the paying client that are no calls. */
const [notPaid, notCalls] = [['x402_resources'], ['resume', 'spending']];
/** Their answers have no fields. */
const documents: Readonly<Record<string, keyof RiskClient>> = { v1_risk_report: 'riskReport' };
const notDescribed = ['readiness'];

interface Described {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { operationId: string }>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
}

async function description(): Promise<Described> {
  return (await fetch(`${checked.url}/openapi.json`)).json() as Promise<Described>;
}

it('every call that is described has a method of the client, and every method a call', async () => {
  const ids = Object.values((await description()).paths).flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId));
  expect([...Object.keys(calls), ...Object.keys(documents), ...Object.keys(paidCalls), ...notPaid].toSorted()).toEqual(ids.toSorted());
  const called = new Set(Object.values(calls).map(({ method }) => method));
  expect([...called, ...Object.values(documents), ...notDescribed].toSorted()).toEqual(methodsOf(RiskClient).toSorted());
  expect([...Object.values(paidCalls), ...notCalls].toSorted()).toEqual(methodsOf(PayingClient).toSorted());
});

function methodsOf(client: { readonly prototype: object }): string[] {
  return Object.getOwnPropertyNames(client.prototype).filter((name) => name !== 'constructor');
}

/** One reader serves all versions of a score and all answers with a timestamp, so it reads fields of other answers. */
const ofOthers = new Set(
  ['scanned_ts', 'retry_after', 'address_label', 'hop_dic', 'success', 'msg', 'data'].concat(
    'side',
    'counterparty',
    'path',
    'sources',
    'illicit_usd',
    'contradictions',
    'contributions',
    'counterfactuals',
  ),
);
/** A URL that grants access, which the client removes, what the vendor's own clients read, and what people read in the evidence. */
const notRead = new Set(
  ['risk_report_url', 'action_dic', 'level', 'side_percent', 'bound', 'sides', 'in', 'out'].concat([
    'transfers',
    'counted',
    'upper_score',
    'direct',
    'traced',
    'unread',
    'addresses',
    'path_left_out',
  ]),
);
/** Fields of a contradiction, which the subjects here do not have. The client's own tests read them. */
const ofContradictions = new Set(['standing', 'service', 'accusation', 'probability', 'categories', 'sources']);

describe('what the server answers', () => {
  it.each(Object.entries(calls))('to %s is read by the client, field by field', async (id, { surface, kind, prepare, run }) => {
    const client = clientOf(surface, keepingTheText);
    const taskId = (await prepare?.(client)) ?? '';
    expect((await run(client, taskId)).kind).toBe(kind);
    const own = fieldsOf(
      (await description()).components.schemas[`${id.replace(/(?:^|_)([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())}Answer`],
    );
    const read = new Set<string>();
    const parse = JSON.parse;
    const spy = vi.spyOn(JSON, 'parse').mockImplementation((text: string) => recorded(parse(text), read));
    await run(clientOf(surface, sayingItAgain), taskId).finally(() => spy.mockRestore());
    expect([...read].filter((name) => !own.has(name) && !ofOthers.has(name))).toEqual([]);
    expect([...own].filter((name) => !read.has(name) && !notRead.has(name) && !ofContradictions.has(name))).toEqual([]);
  });
});

/** Records the fields that are read. Names in the path by hop are data. */
function recorded(value: unknown, read: Set<string>, isData = false): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return new Proxy(value, {
    get: (of, name, receiver) => {
      const isField =
        typeof name === 'string' && !Array.isArray(of) && !isData && !(name in Object.prototype) && !['then', 'toJSON'].includes(name);
      if (isField) read.add(name);
      return recorded(Reflect.get(of, name, receiver), read, name === 'hop_dic');
    },
  });
}

function fieldsOf(schema: unknown): Set<string> {
  const found = new Set<string>();
  const walk = (part: unknown): void => {
    if (typeof part !== 'object' || part === null) return;
    const { properties } = part as { properties?: object };
    for (const name of Object.keys(properties ?? {})) found.add(name);
    for (const inner of Object.values(part)) walk(inner);
  };
  walk(schema);
  return found;
}
