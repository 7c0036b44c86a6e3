import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { expressions } from '../support/dashboards.ts';
import { createApprover, runWithFiles } from './stack/commands.ts';
import { askPrometheus, numbersSince } from './stack/prometheus.ts';
import { publishLine } from './stack/publish.ts';
import { askConsole, decisionOf, freshAddress, postDeposit, until } from './stack/requests.ts';
import { projectRoot, Stack } from './stack/stack.ts';

const stack = Stack.join();
const beganAt = Date.now() / 1_000;

/** These have no data here: the run makes no payments, imports no lists or prices, follows no chain, reaches no limit and refuses no event. */
const absent =
  /outcome=~"limited_|weir_(payment|label_list|prices|chain_behind|watched|token_over_share|token_limited|outbox_refused|stage_fallbacks)/;
/** At this pace the day may end early. */
const mayBeNegative = /deriv\(/;

describe('the dashboards', () => {
  beforeAll(makeEvents, 480_000);

  test.each(expressions)('%s: %s', async (_title, expression) => {
    if (absent.test(expression)) return expect(await numbersSince(stack, expression, beganAt)).toEqual(expect.any(Array));
    const numbers = await until(`data for ${expression}`, async () => {
      const found = await numbersSince(stack, expression, beganAt);
      return found.length > 0 ? found : undefined;
    });
    expect(mayBeNegative.test(expression) || numbers.every((value) => value >= 0)).toBe(true);
  });

  test('shows the errors and the dead letter that there were', async () => {
    const latest = async (expression: string): Promise<number> => Math.max(...(await numbersSince(stack, expression, beganAt)));
    expect(await latest('sum(weir_upstream_requests_total{outcome="unavailable_network"})')).toBeGreaterThan(0);
    expect(await latest('sum(weir_dead_letters_total{topic="deposits.detected"})')).toBe(1);
    expect(await latest('sum(increase(weir_decisions_total[5m]))')).toBeGreaterThan(0);
  });
});

test('every alert is loaded, evaluates, and Prometheus scrapes every service', async () => {
  const { groups } = await askPrometheus<{ groups: { rules: { name: string; health: string; lastError?: string }[] }[] }>(stack, 'rules');
  const rules = groups.flatMap((group) => group.rules);
  expect(rules.length).toBeGreaterThanOrEqual(12);
  expect(rules.filter(({ health }) => health !== 'ok')).toEqual([]);
  const { activeTargets } = await askPrometheus<{ activeTargets: { labels: { service?: string }; health: string }[] }>(stack, 'targets');
  const healthy = activeTargets.filter(({ health }) => health === 'up').flatMap(({ labels }) => labels.service ?? []);
  expect(healthy.sort()).toEqual(['audit-writer', 'console', 'decision', 'deposit-ingest', 'risk-api', 'scoring', 'withdrawal-gate']);
});

test.skipIf(stack.place.absent.includes('grafana'))('Grafana shows the dashboard, and its Prometheus answers', async () => {
  const password = await stack.compose(['exec', '-T', 'grafana', 'cat', '/secrets/grafana/admin-password']);
  const authorization = `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`;
  const ask = async (path: string): Promise<unknown> => {
    const response = await fetch(`${stack.url('WEIR_GRAFANA_PORT')}/api/${path}`, {
      headers: { authorization },
      signal: AbortSignal.timeout(15_000),
    });
    return response.json();
  };
  expect(await ask('dashboards/uid/weir-risk-decisions')).toMatchObject({
    dashboard: { title: 'Risk decisions' },
    meta: { provisioned: true },
  });
  expect(await ask('datasources/uid/weir-prometheus/health')).toMatchObject({ status: 'OK' });
});

/** Labels and transfers, and a candidate policy that would block what is held. */
async function fill(): Promise<void> {
  const [thief, payee] = [freshAddress(randomBytes), freshAddress(randomBytes)];
  const lines = (...all: string[]): string => `${all.join('\n')}\n`;
  const transfer = `ethereum,ETH,0x${randomBytes(32).toString('hex')},2026-01-31T09:12:23Z,${thief},${payee},1,2500`;
  const policy = readFileSync(join(projectRoot, 'packages', 'domain', 'policy', 'default-policy.yaml'), 'utf8');
  const files = {
    'labels.csv': lines('chain,address,name,category', `ethereum,${thief},A thief,theft`),
    'transfers.csv': lines('chain,coin,txid,time,from_address,to_address,amount,usd', transfer),
    'candidate.yaml': policy.replaceAll('NO_DATA: review', 'NO_DATA: block'),
  };
  await runWithFiles(stack, files, [
    ['labels', 'import', '/files/labels.csv', '--format', 'csv', '--source', 'test'],
    ['transfers', 'import', '/files/transfers.csv', '--format', 'csv'],
    ['policy', 'shadow', '/files/candidate.yaml'],
  ]);
}

/** A block, which two people agree on. */
async function resolve(screening: string, reviewer: string): Promise<void> {
  const approver = await createApprover(stack, 'Third');
  const [path, asked] = [`/v1/reviews/${screening}`, { action: 'block', reason: 'a check' }];
  const { resolution_id } = await askConsole<{ resolution_id: string }>(stack, reviewer, `${path}/resolutions`, asked);
  await askConsole(stack, approver, `${path}/approvals`, { resolution_id, approve: true });
}

/**
 * Produces data for each expression: decisions, one by people, an upstream outage, an unreadable record, a request and a token that are refused,
 * and decisions again.
 */
async function makeEvents(): Promise<void> {
  const { tokens } = await stack.credentials();
  await fill();
  await fetch(`${stack.url('WEIR_CONSOLE_PORT')}/v1/screenings`, { headers: { authorization: 'Bearer nonsense' } });
  const decide = async (): Promise<string> => {
    const screening = await postDeposit(stack, tokens['ingest'] ?? '', randomUUID(), freshAddress(randomBytes));
    await decisionOf(stack, tokens['auditor'] ?? '', screening);
    return screening;
  };
  await resolve(await decide(), tokens['reviewer'] ?? '');
  await stack.compose(['stop', 'risk-api']);
  await postDeposit(stack, tokens['ingest'] ?? '', randomUUID(), freshAddress(randomBytes));
  await seen('weir_upstream_requests_total{outcome="unavailable_network"}');
  await stack.compose(['start', 'risk-api']);
  await publishLine(stack, 'deposits.detected', 'not a deposit');
  await seen('weir_dead_letters_total');
  await until(
    'an answer of the risk API',
    () =>
      decide().then(
        () => true,
        () => undefined,
      ),
    90_000,
  );
  // Only now, for a process that starts again counts anew.
  await fetch(`${stack.url('WEIR_RISK_API_PORT')}/v2/risk_score?coin=ETH&address=${freshAddress(randomBytes)}`);
  // A rate needs two samples of the same series.
  for (let scrapes = 0; scrapes < 2; scrapes += 1) {
    const before = await lastScrape();
    await decide();
    await until('the next scrape', async () => ((await lastScrape()) > before ? true : undefined));
  }
}

async function seen(expression: string): Promise<void> {
  await until(expression, async () => ((await numbersSince(stack, expression, beganAt)).length > 0 ? true : undefined));
}

async function lastScrape(): Promise<number> {
  const { result } = await askPrometheus<{ result: { value: [number, string] }[] }>(stack, 'query', {
    query: 'max(timestamp(up{service="decision"}))',
  });
  return Number(result[0]?.value[1] ?? 0);
}
