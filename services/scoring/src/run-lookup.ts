import type { Clock } from '@weir/clock';
import type { ReasonCode } from '@weir/contracts';
import { followTask, type Meaning, meaningOfRefusal, type Retry, type RiskClient, type Target, type Task } from '@weir/risk-client';
import type { Lookup } from './lookups.ts';
import { type Result, resultOf } from './result.ts';

export type LookupResult =
  /** `expiresAt` (Unix ms) is null for a result that is not kept. */
  | { readonly kind: 'done'; readonly result: Result; readonly expiresAt: number | null }
  /** To be retried. `keepTask`: the task is still valid and is followed then. */
  | { readonly kind: 'limited'; readonly window: 'second' | 'day'; readonly retryAfterMs: number; readonly keepTask: boolean }
  | { readonly kind: 'again'; readonly lastError: ReasonCode | null; readonly keepTask: boolean };

export interface LookupDeps {
  readonly client: RiskClient;
  readonly clock: Clock;
  readonly provider: string;
  readonly pollMs: number;
  readonly maxAnswerAgeMs: number;
  readonly maxResultAgeMs: number;
  saveTask(lookup: Lookup, taskId: string): Promise<void>;
  recordError(lookup: Lookup, lastError: ReasonCode): Promise<void>;
  /** Reports whether the API is available, by the answer to a create or the end of a task. */
  onAnswer(lookup: Lookup, meaning: Meaning): void;
}

/** A task that runs longer is given up and created anew; the API documents 1 to 10 seconds. */
const longestTaskMs = 120_000;

/** Creates a lookup's task and follows it to its end. The call is sent before this function returns; `arrived` is called on its answer. */
export async function create(deps: LookupDeps, lookup: Lookup, signal: AbortSignal, arrived: () => void): Promise<LookupResult> {
  // This service has looked for a reusable result already.
  const answer = await deps.client.createTask(targetOf(lookup), signal, { noCache: true });
  // An aborted call may still be running.
  if (answer.kind !== 'unavailable') arrived();
  if (answer.kind !== 'created') {
    const meaning = meaningOfRefusal(answer);
    deps.onAnswer(lookup, meaning);
    return meaning.kind === 'final'
      ? { kind: 'done', result: resultOf(meaning, deps.provider), expiresAt: null }
      : lookupResultOf(meaning, false);
  }
  deps.onAnswer(lookup, { kind: 'running' });
  if (!answer.has_result) await deps.saveTask(lookup, answer.task_id);
  return follow(deps, lookup, answer, signal);
}

/** Polls a task steadily while it runs, less often while its answers are unusable. Queries cost no budget. */
export async function follow(deps: LookupDeps, lookup: Lookup, task: Task, signal: AbortSignal): Promise<LookupResult> {
  const { client, clock, pollMs, maxAnswerAgeMs, maxResultAgeMs, provider } = deps;
  const end = await followTask(client, task, {
    clock,
    pollMs,
    maxAgeMs: maxAnswerAgeMs,
    limitMs: longestTaskMs,
    signal,
    onRetry: async ({ reason }) => {
      await deps.recordError(lookup, reason);
      return undefined;
    },
  });
  switch (end.kind) {
    case 'final': {
      deps.onAnswer(lookup, end);
      const expiresAt = 'scannedMs' in end ? end.scannedMs + maxResultAgeMs : 0;
      return { kind: 'done', result: resultOf(end, provider), expiresAt: expiresAt > clock.now() ? expiresAt : null };
    }
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

function lookupResultOf(meaning: Retry, keepTask: boolean): LookupResult {
  if (meaning.kind === 'limited') return { kind: 'limited', window: meaning.window, retryAfterMs: meaning.retryAfterMs, keepTask };
  return { kind: 'again', lastError: meaning.reason, keepTask };
}

function targetOf(lookup: Lookup): Target {
  return lookup.subject_type === 'txid'
    ? { coin: lookup.coin, txid: lookup.subject, direction: lookup.direction }
    : { coin: lookup.coin, address: lookup.subject };
}
