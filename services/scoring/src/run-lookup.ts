import type { Clock } from '@weir/clock';
import type { ReasonCode } from '@weir/contracts';
import { followTask, type Final, type Meaning, meaningOf, type Retry, type Task } from '@weir/risk-client';
import type { RiskProvider, TransferFacts } from '@weir/risk-provider';
import type { Lookup } from './lookups.ts';
import { type Result, resultOf } from './result.ts';

export type LookupResult =
  /** `expiresAt` (Unix ms) is null for a result that is not kept. */
  | { readonly kind: 'done'; readonly result: Result; readonly expiresAt: number | null }
  /** To be retried. `keepTask`: the task is still valid and is followed then. */
  | { readonly kind: 'limited'; readonly window: 'second' | 'day'; readonly retryAfterMs: number; readonly keepTask: boolean }
  | { readonly kind: 'again'; readonly lastError: ReasonCode | null; readonly keepTask: boolean };

export interface LookupDeps {
  readonly provider: RiskProvider;
  /** Its results are not kept: the deciding provider is asked again as soon as it is back. */
  readonly isFallback: boolean;
  readonly clock: Clock;
  readonly pollMs: number;
  readonly maxAnswerAgeMs: number;
  readonly maxResultAgeMs: number;
  saveTask(lookup: Lookup, taskId: string): Promise<void>;
  recordError(lookup: Lookup, lastError: ReasonCode): Promise<void>;
  /** Reports an unusable answer about a running task. `stop` gives the task up. */
  onRetry(lookup: Lookup, meaning: Retry): 'stop' | undefined;
  /** Reports whether the API is available, by the answer to a create or the end of a task. */
  onAnswer(lookup: Lookup, meaning: Meaning): void;
}

/** A task that runs longer is given up and created anew; the API documents 1 to 10 seconds. */
const longestTaskMs = 120_000;

/** Creates a lookup's task and follows it to its end. The call is sent before this function returns; `arrived` is called on its answer. */
export async function create(deps: LookupDeps, lookup: Lookup, signal: AbortSignal, arrived: () => void): Promise<LookupResult> {
  const answer = await deps.provider.ask({ ...lookup, facts: neededFacts(deps.provider, lookup) }, signal);
  // An aborted call may still be running.
  if (answer.kind !== 'unavailable') arrived();
  if (answer.kind !== 'created') {
    const meaning = meaningOf(answer, { now: deps.clock.now(), maxAgeMs: deps.maxAnswerAgeMs });
    deps.onAnswer(lookup, meaning);
    return meaning.kind === 'final' ? doneOf(deps, lookup, meaning) : lookupResultOf(meaning, false);
  }
  deps.onAnswer(lookup, { kind: 'running' });
  if (!answer.has_result) await deps.saveTask(lookup, answer.task_id);
  return follow(deps, lookup, answer, signal);
}

/** Polls a task steadily while it runs, less often while its answers are unusable. Queries cost no budget. */
export async function follow(deps: LookupDeps, lookup: Lookup, task: Task, signal: AbortSignal): Promise<LookupResult> {
  const { provider, clock, pollMs, maxAnswerAgeMs } = deps;
  const end = await followTask({ queryTask: (taskId, cut) => provider.follow(taskId, cut) }, task, {
    clock,
    pollMs,
    maxAgeMs: maxAnswerAgeMs,
    limitMs: longestTaskMs,
    signal,
    onRetry: async (meaning) => {
      await deps.recordError(lookup, meaning.reason);
      return deps.onRetry(lookup, meaning);
    },
  });
  switch (end.kind) {
    case 'final':
      deps.onAnswer(lookup, end);
      return doneOf(deps, lookup, end);
    case 'task_lost':
      deps.onAnswer(lookup, end);
      return { kind: 'again', lastError: null, keepTask: false };
    case 'gave_up':
      if (end.last.kind === 'running') return { kind: 'again', lastError: 'UPSTREAM_UNAVAILABLE', keepTask: false };
      return lookupResultOf(end.last, end.last.kind === 'limited');
    case 'aborted':
      return { kind: 'again', lastError: null, keepTask: true };
  }
}

/** A provider gets the facts that it needs, and not those that another one needs. */
function neededFacts(provider: RiskProvider, lookup: Lookup): TransferFacts {
  const needed: readonly string[] = provider.needs(lookup);
  return Object.fromEntries(Object.entries(lookup.facts).filter(([name]) => needed.includes(name)));
}

function doneOf({ provider, isFallback, clock, maxResultAgeMs }: LookupDeps, lookup: Lookup, final: Final): LookupResult {
  // A result that depends on the transfer answers no other one.
  const isKept = 'scannedMs' in final && !isFallback && provider.needs(lookup).length === 0;
  const expiresAt = isKept ? final.scannedMs + maxResultAgeMs : 0;
  return { kind: 'done', result: resultOf(final, provider.name), expiresAt: expiresAt > clock.now() ? expiresAt : null };
}

function lookupResultOf(meaning: Retry, keepTask: boolean): LookupResult {
  if (meaning.kind === 'limited') return { kind: 'limited', window: meaning.window, retryAfterMs: meaning.retryAfterMs, keepTask };
  return { kind: 'again', lastError: meaning.reason, keepTask };
}
