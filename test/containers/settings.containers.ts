import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { projectRoot, type ServiceConfig, Stack } from './stack/stack.ts';

const stack = Stack.join();

/** The services of docker-compose.yml beside these files. */
async function servicesWith(files: Readonly<Record<string, string>>): Promise<Record<string, ServiceConfig>> {
  const folder = mkdtempSync(join(tmpdir(), 'weir-settings-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  copyFileSync(join(projectRoot, 'docker-compose.yml'), join(folder, 'docker-compose.yml'));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  const json = await stack.compose(['--file', join(folder, 'docker-compose.yml'), '--profile', '*', 'config', '--format', 'json']);
  return (JSON.parse(json) as { services: Record<string, ServiceConfig> }).services;
}

test('weir.env reaches each service and the command line, and neither jobs nor stores', async () => {
  const services = await servicesWith({ 'weir.env': 'WEIR_REQUIRED_CHAINS=ethereum\nOTEL_EXPORTER_OTLP_ENDPOINT=http://collector:4318\n' });
  const having = Object.entries(services).filter(([, { environment }]) => environment?.['WEIR_REQUIRED_CHAINS'] === 'ethereum');
  expect(having.map(([name]) => name).sort()).toEqual([
    'audit-writer',
    'chain-follower',
    'console',
    'decision',
    'deposit-ingest',
    'lists',
    'retention',
    'risk-api',
    'scoring',
    'weir',
    'withdrawal-gate',
  ]);
  for (const [name, { environment }] of having) expect(environment?.['OTEL_EXPORTER_OTLP_ENDPOINT'], name).toBe('http://collector:4318');
});

test('a secret in the file of one service reaches that service alone', async () => {
  const { scoring, ...others } = await servicesWith({
    'weir.env': 'WEIR_SECOND_ROLE=shadow\n',
    'weir.scoring.env': 'WEIR_SECOND_API_KEY=for-scoring-alone\n',
  });
  expect(scoring?.environment).toMatchObject({ WEIR_SECOND_ROLE: 'shadow', WEIR_SECOND_API_KEY: 'for-scoring-alone' });
  expect(JSON.stringify(others)).not.toContain('for-scoring-alone');
});

test('docker-compose.yml wins over both files, and .env sets what it names', async () => {
  const files = { 'weir.env': 'WEIR_LOG_LEVEL=error\nWEIR_TLS_PORT=1\n', 'weir.decision.env': 'WEIR_TLS_PORT=2\n' };
  const { decision } = await servicesWith({ ...files, '.env': 'WEIR_LOG_LEVEL=debug\n' });
  expect(decision?.environment).toMatchObject({ WEIR_LOG_LEVEL: 'debug', WEIR_TLS_PORT: '4443' });
});
