import { afterAll, beforeAll, test } from 'vitest';
import { History } from './checker.ts';
import type { Deployment, Tier } from './deployment.ts';
import { expectPassed } from './expect-passed.ts';
import { planOf } from './plan.ts';
import { startDeployment } from './start.ts';

/** Seed of the tests; `npm run chaos` uses others. */
export const seed = Number(process.env['WEIR_CHAOS_SEED'] ?? 20_261);

/** A short selection for every change. */
export function expectSelection(tier: Tier, names: readonly string[]): void {
  let deployment: Deployment;
  let history: History;
  const garbage = new Set<string>();

  beforeAll(async () => {
    deployment = await startDeployment(tier);
    history = new History(deployment);
  }, 600_000);
  afterAll(() => deployment?.close(), 240_000);

  for (const name of names) {
    test(`under load, ${name}: nothing is lost, decided twice, allowed without a result or asked beyond the budget`, async () => {
      await expectPassed(deployment, history, garbage, planOf(seed, name));
    }, 900_000);
  }
}
