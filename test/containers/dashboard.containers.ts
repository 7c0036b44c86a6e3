import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { askPrometheus, numbersSince } from './stack/prometheus.ts';
import { publishLine } from './stack/publish.ts';
import { decisionOf, freshAddress, postDeposit, until } from './stack/requests.ts';
import { projectRoot, Stack } from './stack/stack.ts';

const stack = Stack.join();
const beganAt = Date.now() / 1_000;

interface Panel {
  readonly title: string;
  readonly targets?: readonly { readonly expr: string }[];
}

const file = join(projectRoot, 'deploy', 'grafana', 'generated', 'risk-decisions.json');
const { panels } = JSON.parse(readFileSync(file, 'utf8')) as { panels: readonly Panel[] };
/** Grafana's substitution when every kind is selected. */
const expressions = panels.flatMap(({ title, targets }) =>
  (targets ?? []).map(({ expr }) => [title, expr.replaceAll('$kind', '.+').replaceAll('$__rate_interval', '1m')] as const),
);

describe('the dashboard Risk decisions', () => {
  beforeAll(makeEvents, 240_000);

  test.each(expressions)('%s: %s', async (_title, expression) => {
    const numbers = await until(`data for ${expression}`, async () => {
      const found = await numbersSince(stack, expression, beganAt);
      return found.length > 0 ? found : undefined;
    });
    expect(numbers.every((value) => value >= 0)).toBe(true);
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

/** Produces data for each expression: decisions, an upstream outage, an unreadable record, and decisions again. */
async function makeEvents(): Promise<void> {
  const { tokens } = await stack.credentials();
  const decide = async (): Promise<void> => {
    const screening = await postDeposit(stack, tokens['ingest'] ?? '', randomUUID(), freshAddress(randomBytes));
    await decisionOf(stack, tokens['auditor'] ?? '', screening);
  };
  await decide();
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
