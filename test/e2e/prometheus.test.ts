import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '@weir/clock';
import { connectToRunning } from '@weir/postgres';
import { createLogger, openPipeline } from '@weir/service-kit';
import { publishTo } from '@weir/service-kit/testing';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { weir } from '../../packages/cli/src/testing/weir.ts';
import { expressions } from '../support/dashboards.ts';
import type { Installation } from '../support/stack/installation.ts';
import { type EvmChain, startEvmChain } from '../support/local-chains/index.ts';
import { type Prometheus, startPrometheus } from '../support/stack/prometheus.ts';
import { askerOf, startWithUpstream, type WithUpstream } from './with-upstream.ts';

const root = join(import.meta.dirname, '..', '..');

/** What this run does not have: no webhooks, payments, published lists or TLS, and nothing that the log refuses. */
const absent =
  /outcome=~"limited_|weir_(webhook_deliveries|payment|label_list|token_over_share|token_limited|outbox_refused|stage_fallbacks|audit_conflicts|tls_certificate)/;

let running: WithUpstream;
let evm: EvmChain;
let prometheus: Prometheus;

beforeAll(async () => {
  evm = await startEvmChain();
  running = await startWithUpstream({ WEIR_CHAIN_NODES: `base=${evm.url}`, WEIR_CHAIN_CONFIRMATIONS: 'base=0' });
  const { installation } = running;
  const targets = [installation.url, installation.riskUrl].map((url) => ({ url }));
  prometheus = await startPrometheus(targets, join(root, 'deploy', 'prometheus', 'rules.yml'));
  await makeEvents(installation);
});
afterAll(async () => {
  await prometheus.stop();
  await running.close();
  await evm.close();
});

const address = (n: number): string => `0x${n.toString(16).padStart(40, 'a')}`;
const within = { timeout: 60_000, interval: 100 };
let last = 0;

/**
 * Deposits and a withdrawal of each level, a candidate policy that disagrees, a review by two people, and what goes wrong: a bad token and
 * body, an outage, a dead letter.
 */
async function makeEvents(installation: Installation): Promise<void> {
  const ask = askerOf(() => installation);
  await fillRiskService(installation);
  const deposit = async (): Promise<string> => {
    last += 1;
    const body = { deposit_id: `d-${last}`, coin: 'ETH', from_address: address(last), to_address: address(0), amount: '1', usd_value: '9' };
    return (await ask('ingest', 'POST', '/v1/deposits', body)).body.screening_id as string;
  };
  const decided = (id: string): Promise<unknown> =>
    vi.waitFor(async () => expect((await ask('auditor', 'GET', `/v1/screenings/${id}`)).body.decisions).toHaveLength(1), within);
  const { upstream } = running;
  const policy = readFileSync(join(root, 'packages', 'domain', 'policy', 'default-policy.yaml'), 'utf8');
  const candidate = join(installation.dataDir, 'candidate.yaml');
  writeFileSync(candidate, policy.replaceAll('High: review', 'High: block'));
  expect((await weir(['policy', 'shadow', candidate, '--data-dir', installation.dataDir])).code).toBe(0);
  upstream.answer(() => ({ data: { score: 80, risk_level: 'High' } }));
  const held = await deposit();
  await decided(held);
  upstream.answer(() => ({ data: { score: 3, risk_level: 'Low' } }));
  const terms = { coin: 'ETH', to_address: address(99), amount: '1.5' };
  const { body: allowed } = await ask('gate', 'POST', '/v1/withdrawals', { withdrawal_id: 'w-1', ...terms });
  await ask('gate', 'POST', '/v1/permits/redeem', { permit: allowed.permit, chain: 'ethereum', ...terms });
  await ask('ingest', 'POST', '/v1/deposits', { deposit_id: 'x' });
  await fetch(`${installation.url}/v1/screenings`, { headers: { authorization: 'Bearer nonsense' } });
  await fetch(`${installation.riskUrl}/v2/risk_score?coin=ETH&address=${address(1)}`);
  const [ann, ben] = [await installation.addPerson('reviewer', 'Ann'), await installation.addPerson('approver', 'Ben')];
  const by = async (token: string, path: string, body: object): Promise<any> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    return (await fetch(`${installation.url}/v1/reviews/${held}/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })).json();
  };
  const { resolution_id } = await vi.waitFor(async () => {
    const answer = await by(ann, 'resolutions', { action: 'allow', reason: 'our own' });
    expect(answer).toHaveProperty('resolution_id');
    return answer;
  }, within);
  await by(ben, 'approvals', { resolution_id, approve: true });
  const logger = createLogger({ service: 'test', level: 'silent' });
  const databaseUrl = connectToRunning(installation.dataDir) ?? expect.fail('the database does not run');
  const pipeline = await openPipeline({ databaseUrl, clock: systemClock, logger, poolSize: 2, retentionMs: 3_600_000 });
  await publishTo(pipeline, 'deposits.detected', Buffer.from('no record'));
  await pipeline.close();
  await upstream.away();
  const waiting = await deposit();
  await value('sum(weir_upstream_requests_total{outcome=~"unavailable_.+"})');
  await upstream.back();
  await decided(waiting);
  await value('sum(weir_dead_letters_total)');
  await value('sum(weir_resolutions_total)');
}

/** A label, a transfer, and an answer of our own risk service. */
async function fillRiskService({ dataDir, riskUrl }: Installation): Promise<void> {
  const [thief, payee] = [address(7), address(8)];
  writeFileSync(join(dataDir, 'labels.csv'), `chain,address,name,category\nethereum,${thief},A thief,theft\n`);
  const transfer = `ethereum,ETH,0x${'a'.repeat(64)},2026-01-31T09:12:23Z,${thief},${payee},1,2500`;
  writeFileSync(join(dataDir, 'transfers.csv'), `chain,coin,txid,time,from_address,to_address,amount,usd\n${transfer}\n`);
  for (const args of [
    ['labels', 'import', join(dataDir, 'labels.csv'), '--format', 'csv', '--source', 'test'],
    ['transfers', 'import', join(dataDir, 'transfers.csv'), '--format', 'csv'],
    ['watch', 'add', address(9), '--chain', 'base'],
  ]) {
    const { code, stderr } = await weir([...args, '--data-dir', dataDir]);
    expect({ code, said: code === 0 ? '' : stderr }).toEqual({ code: 0, said: '' });
  }
  const { standard_api_key: key } = JSON.parse(readFileSync(join(dataDir, 'dev-credentials.json'), 'utf8')) as { standard_api_key: string };
  await vi.waitFor(async () => {
    const answer = await fetch(`${riskUrl}/v2/risk_score?coin=ETH&address=${payee}`, { headers: { 'x-api-key': key } });
    expect(answer.status).toBe(200);
  }, within);
}

/** Once there is one. */
function value(query: string): Promise<number> {
  return vi.waitFor(async () => {
    const { result } = await prometheus.ask<{ result: readonly { value: [number, string] }[] }>('query', { query });
    return Number((result[0] ?? expect.fail(`no data for ${query}`)).value[1]);
  }, within);
}

test('Prometheus scrapes both ports as OpenMetrics', async () => {
  await vi.waitFor(async () => {
    const { activeTargets } = await prometheus.ask<{ activeTargets: readonly { health: string; lastError: string }[] }>('targets');
    expect(activeTargets.map(({ health, lastError }) => [health, lastError])).toEqual([
      ['up', ''],
      ['up', ''],
    ]);
  }, within);
  const ports = [running.installation.url, running.installation.riskUrl];
  const types = ports.map(async (url) =>
    (await fetch(`${url}/metrics`, { headers: { accept: 'application/openmetrics-text' } })).headers.get('content-type'),
  );
  expect(await Promise.all(types)).toEqual(ports.map(() => expect.stringContaining('application/openmetrics-text')));
});

test.each(expressions)('%s: %s', async (_, query) => {
  const read = async (): Promise<readonly unknown[]> => (await prometheus.ask<{ result: readonly unknown[] }>('query', { query })).result;
  if (absent.test(query)) return expect(await read()).toEqual(expect.any(Array));
  await vi.waitFor(async () => expect((await read()).length).toBeGreaterThan(0), within);
});

test('every rule is evaluated without an error', async () => {
  const { groups } = await prometheus.ask<{
    groups: readonly { rules: readonly { name: string; health: string; lastError?: string }[] }[];
  }>('rules');
  const rules = groups.flatMap((group) => group.rules);
  expect(rules.length).toBeGreaterThan(60);
  expect(rules.filter(({ health }) => health !== 'ok')).toEqual([]);
});
