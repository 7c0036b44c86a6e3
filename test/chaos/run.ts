import { setTimeout as delay } from 'node:timers/promises';
import { type Findings, faultsOf, type History } from './checker.ts';
import { type Deployment, perSecond } from './deployment.ts';
import { perform } from './faults.ts';
import { Load } from './load.ts';
import type { Plan } from './plan.ts';
import type { Figures } from './upstream.ts';

export interface Outcome {
  readonly seed: number;
  readonly name: string;
  /** In order of injection, each with the second of the run. */
  readonly faults: readonly string[];
  readonly deposits: number;
  readonly withdrawals: number;
  readonly findings: Findings;
  readonly creates: number;
  readonly figures: Figures;
  readonly seconds: number;
  readonly wrong: readonly string[];
}

export interface RunOptions {
  readonly history: History;
  /** Every garbage record sent to this deployment so far. */
  readonly garbage: Set<string>;
  /** The exchange's ids by screening, of all runs. */
  readonly transfers: Map<string, string>;
  readonly say?: (line: string) => void;
}

/** Generous, because a busy machine settles late. The invariants do not depend on it. */
const settleLimitMs = 240_000;

export async function chaosRun(deployment: Deployment, plan: Plan, options: RunOptions): Promise<Outcome> {
  const began = performance.now();
  const seconds = (): number => Math.round((performance.now() - began) / 100) / 10;
  const faults: string[] = [];
  const say = (line: string): void => {
    faults.push(`${seconds()} s: ${line}`);
    options.say?.(`  ${seconds().toFixed(1)} s  ${line}`);
  };
  const before = await deployment.upstream.figures();
  const endedBefore = deployment.ended();
  const name = `${plan.seed}-${Math.round(began)}`;
  const load = new Load(deployment, { name, depositPosters: 4, pauseMs: 150, withdrawalEveryMs: 200, subjects: 160 });
  const watching = new AbortController();
  const watched = options.history.checkpoints.watch(watching.signal);
  const context = { deployment, random: plan.random, run: name, say, sentGarbage: options.garbage };
  const failed = await outcomeOf(async () => {
    await Promise.all(
      plan.scenarios.map(async ({ scenario, afterMs }) => {
        await delay(afterMs);
        for (const step of scenario.steps[deployment.tier]) await perform(step, context);
      }),
    );
    await delay(plan.tailMs);
  });
  const unacknowledged = await outcomeOf(() => load.stop());
  watching.abort();
  const unread = await outcomeOf(() => watched);
  for (const [screening, id] of load.acknowledged) options.transfers.set(screening, id);
  const findings = await options.history.read(load.acknowledged, options.garbage, settleLimitMs);
  // A sliding second may begin before the run, so include the last second's creates.
  const figures = await deployment.upstream.figures(Math.max(before.creates - perSecond, 0));
  const wrong = [
    ...failed,
    ...unacknowledged,
    ...unread,
    ...wordsOf(findings),
    ...(figures.mostInSecond > perSecond
      ? [
          `${figures.mostInSecond} creates in one second, ${perSecond} are allowed; ${perSecond + 1} within ${figures.tightestMs?.toFixed(1)} ms`,
        ]
      : []),
    ...(figures.limited > before.limited ? [`${figures.limited - before.limited} creates were answered with 429`] : []),
    ...endedSince(endedBefore, deployment.ended()),
  ];
  const { deposits, withdrawals } = load;
  const creates = figures.creates - before.creates;
  return { seed: plan.seed, name: plan.name, faults, deposits, withdrawals, findings, creates, figures, seconds: seconds(), wrong };
}

export function wordsOf(findings: Findings): string[] {
  return faultsOf(findings).map(([fault, ids]) => `${fault}: ${ids.length} (${ids.slice(0, 5).join(', ')})`);
}

async function outcomeOf(work: () => Promise<void>): Promise<string[]> {
  return work().then(
    () => [],
    (error: unknown) => [error instanceof Error ? error.message : String(error)],
  );
}

/** A supervisor restarts a service that exits after another part's failure. The exit is still a violation. */
export function endedSince(before: Readonly<Record<string, number>>, now: Readonly<Record<string, number>>): string[] {
  return Object.entries(now)
    .filter(([name, times]) => times > (before[name] ?? 0))
    .map(([name]) => `${name} ended by itself`);
}
