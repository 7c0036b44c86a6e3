import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { freePorts, type Live, makeFolder, startWeir } from '../../packages/cli/src/testing/weir.ts';

const root = join(import.meta.dirname, '..', '..');
const folder = makeFolder();
let weir: Live | undefined;
let exported = '';

beforeAll(async () => {
  const port = await freePorts();
  // A followed chain whose node is away.
  const env = { WEIR_CHAIN_NODES: 'base=http://127.0.0.1:9' };
  weir = startWeir(['start', '--port', String(port), '--data-dir', folder.path, '--no-sample'], { env });
  await vi.waitFor(async () => expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200), {
    timeout: 120_000,
    interval: 250,
  });
  const scrape = async (at: number): Promise<string> => (await fetch(`http://127.0.0.1:${at}/metrics`)).text();
  exported = (await Promise.all([port, port + 100].map(scrape))).join('\n');
});

afterAll(async () => {
  await weir?.end('SIGTERM');
  folder.remove();
});

/** Metrics that a start without the setting or the event does not register. */
const conditional = /^weir_label_list_|^weir_payment|^weir_tls_/;

test('a counter of which one event raises an alert is 0 before it, or the alert would miss the first', () => {
  const single = [
    'weir_permits_total{result="superseded"}',
    'weir_webhook_deliveries_total{result="given_up"}',
    'weir_auth_failures_total{reason="unavailable"}',
    'weir_audit_conflicts_total{topic="screenings.decided"}',
    'weir_audit_conflicts_total{topic="reviews.resolved.dlq"}',
    'weir_shadow_comparisons_total{first="Low",second="Severe",categories="different"}',
  ];
  expect(single.filter((series) => !exported.includes(`\n${series} 0\n`))).toEqual([]);
});

test('each service of a process says that it runs in it', () => {
  for (const stage of ['scoring', 'console']) expect(exported).toContain(`\nweir_stage_info{stage="${stage}"} 1\n`);
});

test('each metric of a dashboard or an alert is exported by a real run', () => {
  const files = globSync('{deploy/grafana/generated/*.json,deploy/prometheus/rules.yml}', { cwd: root });
  const texts = files.map((file) => readFileSync(join(root, file), 'utf8'));
  const used = new Set(texts.flatMap((text) => [...text.matchAll(/\b(?:weir|nodejs|process)_[a-z0-9_]+\b/g)].map(([name]) => name)));
  const known = new Set([...exported.matchAll(/^# TYPE (\S+)/gm)].map(([, name = '']) => name));
  const names = [...used].map((name) => (known.has(name) ? name : name.replace(/_(bucket|count|sum)$/, '')));
  expect(used.size).toBeGreaterThan(60);
  expect(names.filter((name) => !known.has(name) && !conditional.test(name))).toEqual([]);
});
