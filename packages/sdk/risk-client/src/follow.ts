import { type Final, type Meaning, meaningOf, type Retry, retryDelayMs, type Task } from './meaning.ts';
import type { Clock, QueryAnswer } from './types.ts';

export interface FollowOptions {
  readonly clock: Clock;
  /** Between two queries of a running task. Constant: tasks are short, so a backoff only adds delay. */
  readonly pollMs: number;
  /** A result computed longer ago is rejected as stale. */
  readonly maxAgeMs: number;
  readonly limitMs: number;
  readonly signal?: AbortSignal;
  /** Called for each unusable answer before the next query. `stop` ends following. */
  readonly onRetry?: (meaning: Retry) => Promise<'stop' | undefined> | 'stop' | undefined;
}

export type Followed =
  | Final
  | Extract<Meaning, { kind: 'task_lost' }>
  /** `limitMs` has passed, or `onRetry` stopped. `last`: the meaning of the last answer. */
  | { readonly kind: 'gave_up'; readonly last: Retry | Extract<Meaning, { kind: 'running' }> }
  | { readonly kind: 'aborted' };

/** Polls a task until it has a result or following ends. Backs off after unusable answers. Rejects only when `onRetry` does. */
export async function followTask(
  client: { queryTask(taskId: string, signal?: AbortSignal): Promise<QueryAnswer> },
  task: Task,
  options: FollowOptions,
): Promise<Followed> {
  const { clock, pollMs, maxAgeMs, signal, onRetry } = options;
  const end = clock.monotonic() + options.limitMs;
  let failures = 0;
  if (!task.has_result) await clock.sleep(pollMs, signal);
  while (signal?.aborted !== true) {
    const answer = await client.queryTask(task.task_id, signal);
    if (signal?.aborted) break;
    const meaning = meaningOf(answer, { now: clock.now(), maxAgeMs, createdScannedTs: task.scanned_ts });
    if (meaning.kind === 'final' || meaning.kind === 'task_lost') return meaning;
    if (meaning.kind === 'retry') failures += 1;
    if (meaning.kind !== 'running' && (await onRetry?.(meaning)) === 'stop') return { kind: 'gave_up', last: meaning };
    const waitMs = waitAfter(meaning, failures, pollMs);
    if (clock.monotonic() + waitMs > end) return { kind: 'gave_up', last: meaning };
    await clock.sleep(waitMs, signal);
  }
  return { kind: 'aborted' };
}

function waitAfter(meaning: Retry | Extract<Meaning, { kind: 'running' }>, failures: number, pollMs: number): number {
  if (meaning.kind === 'retry') return retryDelayMs(failures);
  return meaning.kind === 'limited' ? Math.max(meaning.retryAfterMs, pollMs) : pollMs;
}
