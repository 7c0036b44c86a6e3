import { expect } from 'vitest';
import { History } from './checker.ts';
import type { Deployment } from './deployment.ts';
import type { Plan } from './plan.ts';
import { chaosRun, type Outcome } from './run.ts';

/** A failure lists the violations with ids. */
export async function expectPassed(deployment: Deployment, history: History, garbage: Set<string>, plan: Plan): Promise<Outcome> {
  const say = (line: string): void => void process.stdout.write(`${line}\n`);
  const outcome = await chaosRun(deployment, plan, { history, garbage, transfers: new Map(), say });
  const { name, seed, deposits, withdrawals, findings, creates, figures } = outcome;
  say(
    `seed ${seed} ${name}: ${deposits} deposits and ${withdrawals} withdrawals acknowledged, ${findings.decided} decided, ` +
      `${creates} creates, at most ${figures.mostInSecond} in a second`,
  );
  expect(outcome.wrong, `npm run chaos -- --runs 1 --seed ${seed} --tier ${deployment.tier} --scenario ${name}`).toEqual([]);
  expect(findings.decided).toBe(deposits + withdrawals);
  expect(findings.decided).toBeGreaterThan(20);
  expect(creates).toBeGreaterThan(10);
  return outcome;
}
