import { expect, test } from 'vitest';
import { seededRandom } from '../support/stack/random.ts';
import { History } from './checker.ts';
import { type Part, services } from './deployment.ts';
import { expectPassed } from './expect-passed.ts';
import type { Step } from './scenarios.ts';
import { seed } from './selection.ts';
import { startDeployment } from './start.ts';

const kills = 12;
const whats: readonly (readonly Part[])[] = [['scoring'], ['postgres'], [...services, 'postgres']];

test('killed twelve times under load: nothing acknowledged is lost, nothing is decided twice', async () => {
  const random = seededRandom(seed);
  const steps = Array.from({ length: kills }, (): Step[] => {
    const parts = whats[Math.floor(random() * whats.length)] ?? services;
    return [
      { do: 'go on', forMs: [200, 2_200] },
      { do: 'kill', parts, which: 'both', awayMs: [0, 0] },
    ];
  }).flat();
  const scenario = { name: 'killed twelve times', steps: { embedded: steps, kafka: [] } };
  const deployment = await startDeployment('embedded');
  try {
    const plan = { seed, name: scenario.name, scenarios: [{ scenario, afterMs: 0 }], tailMs: 0, random };
    const outcome = await expectPassed(deployment, new History(deployment), new Set(), plan);
    expect(outcome.findings.decided).toBeGreaterThan(100);
  } finally {
    await deployment.close();
  }
}, 900_000);
