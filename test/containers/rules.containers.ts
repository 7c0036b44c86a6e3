import { join } from 'node:path';
import { expect, test } from 'vitest';
import { projectRoot, Stack } from './stack/stack.ts';

const stack = Stack.join();

async function promtool(...args: readonly string[]): Promise<string> {
  const image = (await stack.services())['prometheus']?.image ?? '';
  const folder = `${join(projectRoot, 'deploy', 'prometheus')}:/rules:ro`;
  return stack.docker([
    'run',
    '--rm',
    '--network',
    'none',
    '--volume',
    folder,
    '--volume',
    `${stack.place.project}_authority:/secrets/authority:ro`,
    '--volume',
    `${stack.place.project}_prometheus-secrets:/secrets/prometheus:ro`,
    '--workdir',
    '/rules',
    '--entrypoint',
    'promtool',
    image,
    ...args,
  ]);
}

test('the configuration and the rules are ones that Prometheus takes', async () => {
  expect(await promtool('check', 'config', 'prometheus.yml')).toContain('SUCCESS');
});

// promtool computes a file on one processor.
test.concurrent.each(['rules.test.yml', 'slo.test.yml'])('each alert comes when it should and not before: %s', async (file) => {
  expect(await promtool('test', 'rules', file)).toContain('SUCCESS');
});
