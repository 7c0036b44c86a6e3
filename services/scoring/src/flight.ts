import type { Clock } from '@weir/clock';
import type { ReasonCode } from '@weir/contracts';
import type { RiskClient, Target } from '@weir/risk-client';
import type { Lookup } from './lookups.ts';
import { afterQuery, afterRefusal, retryDelayMs, type Step } from './outcome.ts';

/** How a flight ended. */
export type Landing =
  | Extract<Step, { kind: 'done' }>
  /** To be asked again. `keepTask`: the task is still good and is followed then. */
  | (Extract<Step, { kind: 'limited' }> & { readonly keepTask: boolean })
  | { readonly kind: 'again'; readonly trouble: ReasonCode | null; readonly keepTask: boolean };

export interface FlightDeps {
  readonly client: RiskClient;
  readonly clock: Clock;
  readonly provider: string;
  readonly pollMs: number;
  readonly maxAgeMs: number;
  saveTask(lookup: Lookup, taskId: string): Promise<void>;
  noteTrouble(lookup: Lookup, trouble: ReasonCode): Promise<void>;
  /** Told what the answer to a create, or a task's end, says about the API being there. */
  heard(lookup: Lookup, step: Step): void;
}

/** A task that still runs after this is given up and created anew; the API speaks of 1 to 10 seconds. */
const longestTaskMs = 120_000;

/** Creates the task of a lookup and follows it to its end. The call of create is started before this returns; `arrived` is told when it was answered. */
export async function create(deps: FlightDeps, lookup: Lookup, signal: AbortSignal, arrived: () => void): Promise<Landing> {
  const answer = await deps.client.createTask(targetOf(lookup), signal);
  // A call that was broken off may still be under way.
  if (answer.kind !== 'unavailable') arrived();
  if (answer.kind !== 'created') {
    const step = afterRefusal(answer, deps.provider);
    deps.heard(lookup, step);
    return step.kind === 'done' ? step : { ...asLanding(step), keepTask: false };
  }
  deps.heard(lookup, { kind: 'poll' });
  if (!answer.hasResult) await deps.saveTask(lookup, answer.taskId);
  return follow(deps, lookup, { taskId: answer.taskId, createdScannedTs: answer.scannedTs, hasResult: answer.hasResult }, signal);
}

/** Follows a task, asking at a steady pace while it runs and less often while the answers cannot be used. Querying costs no budget. */
export async function follow(
  deps: FlightDeps,
  lookup: Lookup,
  task: { taskId: string; createdScannedTs: number | null; hasResult: boolean },
  signal: AbortSignal,
): Promise<Landing> {
  const { clock } = deps;
  const end = clock.monotonic() + longestTaskMs;
  let failures = 0;
  if (!task.hasResult) await clock.sleep(deps.pollMs, signal);
  while (!signal.aborted) {
    const answer = await deps.client.queryTask(task.taskId, signal);
    if (signal.aborted) break;
    const step = afterQuery(answer, {
      provider: deps.provider,
      now: clock.now(),
      maxAgeMs: deps.maxAgeMs,
      createdScannedTs: task.createdScannedTs,
    });
    if (step.kind === 'done' || step.kind === 'recreate') deps.heard(lookup, step);
    if (step.kind === 'done') return step;
    if (step.kind === 'recreate') return { kind: 'again', trouble: null, keepTask: false };
    if (step.kind === 'again') failures += 1;
    if (step.kind !== 'poll') await deps.noteTrouble(lookup, step.kind === 'again' ? step.trouble : 'BUDGET_EXHAUSTED');
    const wait = waitMs(step, failures, deps.pollMs);
    if (clock.monotonic() + wait > end) {
      return step.kind === 'poll'
        ? { kind: 'again', trouble: 'UPSTREAM_UNAVAILABLE', keepTask: false }
        : { ...asLanding(step), keepTask: step.kind === 'limited' };
    }
    await clock.sleep(wait, signal);
  }
  return { kind: 'again', trouble: null, keepTask: true };
}

function asLanding(step: Exclude<Step, { kind: 'done' }>): Exclude<Landing, { kind: 'done' }> {
  if (step.kind === 'limited') return { ...step, keepTask: false };
  return { kind: 'again', trouble: step.kind === 'again' ? step.trouble : null, keepTask: false };
}

function waitMs(step: Step, failures: number, pollMs: number): number {
  if (step.kind === 'again') return retryDelayMs(failures, false);
  return step.kind === 'limited' ? Math.max(step.retryAfterMs, pollMs) : pollMs;
}

function targetOf(lookup: Lookup): Target {
  return lookup.subjectType === 'txid'
    ? { coin: lookup.coin, txid: lookup.subject, direction: lookup.direction }
    : { coin: lookup.coin, address: lookup.subject };
}
