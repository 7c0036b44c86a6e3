import { randomBytes, randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { askPrometheus } from './stack/prometheus.ts';
import { decisionOf, freshAddress, postDeposit, until } from './stack/requests.ts';
import { Stack } from './stack/stack.ts';

const stack = Stack.join();

async function scaleDecision(replicas: number): Promise<void> {
  await stack.compose([
    'up',
    '--detach',
    '--no-build',
    '--no-deps',
    '--no-recreate',
    '--scale',
    `decision=${replicas}`,
    '--wait',
    'decision',
  ]);
}

test('a second replica shares the work, decides nothing twice, and is found by Prometheus', async () => {
  const { tokens } = await stack.credentials();
  onTestFinished(() => scaleDecision(1));
  await scaleDecision(2);
  const screenings = await Promise.all(
    Array.from({ length: 20 }, () => postDeposit(stack, tokens['ingest'] ?? '', randomUUID(), freshAddress(randomBytes))),
  );
  for (const screening of screenings) expect((await decisionOf(stack, tokens['auditor'] ?? '', screening)).decisions).toHaveLength(1);
  const perReplica = 'count by (instance) (weir_decisions_total{service="decision"})';
  await until('decisions of two replicas', async () => {
    const { result } = await askPrometheus<{ result: unknown[] }>(stack, 'query', { query: perReplica });
    return result.length === 2 ? true : undefined;
  });
});
