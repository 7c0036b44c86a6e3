import type { Clock } from '@weir/clock';
import type { Outcome, ReasonCode } from '@weir/contracts';
import type { CreateAnswer, QueryAnswer, Refusal, RiskClient, RiskResult, Unavailable } from '@weir/risk-client';
import { DayIsOver, type Pacer } from './pacer.ts';
import { type Question, targetOf } from './question.ts';

/** What came of a question, typed as in the pipeline: only `SCORED` has a level. */
export interface Answer {
  readonly outcome: Outcome;
  /** Why there is no result. */
  readonly reasons: readonly ReasonCode[];
  readonly result: RiskResult | null;
  /** Unix seconds. */
  readonly scannedTs: number | null;
  readonly evidenceSha256: string | null;
  /** For a person: what went wrong. */
  readonly said: string;
  /** No other question would be answered now either. */
  readonly hopeless: boolean;
}

export interface AskOptions {
  readonly client: RiskClient;
  readonly pacer: Pacer;
  readonly clock: Clock;
  readonly pollMs: number;
  /** A result older than this is no evidence for today. */
  readonly maxAgeMs: number;
  /** How long an answer is waited for, from the first create on. */
  readonly waitMs: number;
  readonly signal: AbortSignal;
}

/** What to do after an answer of the API. */
type Step =
  | { readonly kind: 'done'; readonly answer: Answer }
  | { readonly kind: 'again'; readonly trouble: ReasonCode; readonly said: string; readonly waitMs?: number }
  | { readonly kind: 'poll' }
  | { readonly kind: 'recreate' };

/** Creates a task and follows it, by the rules of the pipeline, until there is an answer or the time is up. */
export async function ask(options: AskOptions, question: Question): Promise<Answer> {
  const { client, pacer, clock, signal } = options;
  let end: number | undefined;
  let failures = 0;
  let last: { trouble: ReasonCode | undefined; said: string } = { trouble: undefined, said: 'the task still runs' };
  const left = (): number => (end ?? clock.monotonic() + options.waitMs) - clock.monotonic();
  let task: { id: string; scannedTs: number | null } | undefined;
  while (left() > 0 && !signal.aborted) {
    let step: Step;
    if (task === undefined) {
      const created = await create(pacer, () => {
        end ??= clock.monotonic() + options.waitMs;
        return client.createTask(targetOf(question), signal);
      });
      if (created.kind === 'created') {
        task = { id: created.taskId, scannedTs: created.scannedTs };
        if (!created.hasResult) await clock.sleep(options.pollMs, signal);
        continue;
      }
      step = afterRefusal(created, left());
    } else {
      step = afterQuery(await client.queryTask(task.id, signal), task.scannedTs, left(), options);
    }
    if (step.kind === 'done') return step.answer;
    if (step.kind === 'poll') await clock.sleep(options.pollMs, signal);
    else {
      failures += 1;
      if (step.kind === 'again') last = step;
      const pauseMs = (step.kind === 'again' ? step.waitMs : undefined) ?? retryDelayMs(failures);
      // While the API is away, or asks for a pause, nobody else creates either.
      if (task === undefined) await pacer.pause('second', Math.min(pauseMs, Math.max(left(), 0)));
      if (step.kind === 'recreate') task = undefined;
      await clock.sleep(Math.min(pauseMs, Math.max(left(), 0)), signal);
    }
  }
  const reasons: ReasonCode[] = last.trouble === undefined ? ['DEADLINE_PASSED'] : [last.trouble, 'DEADLINE_PASSED'];
  return without('UNAVAILABLE', reasons, `no answer within ${options.waitMs / 1_000} s: ${last.said}`);
}

async function create(pacer: Pacer, call: () => Promise<CreateAnswer>): Promise<CreateAnswer> {
  try {
    return await pacer.send(call);
  } catch (error) {
    if (error instanceof DayIsOver) return { kind: 'limited', window: 'day', retryAfterMs: Number.POSITIVE_INFINITY };
    throw error;
  }
}

function afterQuery(answer: QueryAnswer, createdScannedTs: number | null, leftMs: number, { clock, maxAgeMs }: AskOptions): Step {
  if (answer.kind === 'running') return { kind: 'poll' };
  if (answer.kind === 'not_found') return { kind: 'recreate' };
  if (answer.kind !== 'scored' && answer.kind !== 'no_data') return afterRefusal(answer, leftMs);
  const { result, rawSha256 } = answer;
  const scannedTs = result.scannedTs ?? createdScannedTs;
  if (scannedTs !== null && scannedTs * 1_000 + maxAgeMs <= clock.now())
    return { kind: 'again', trouble: 'UPSTREAM_UNREADABLE', said: 'its result is stale' };
  const outcome = answer.kind === 'scored' ? 'SCORED' : 'NO_DATA';
  return { kind: 'done', answer: { outcome, reasons: [], result, scannedTs, evidenceSha256: rawSha256, said: '', hopeless: false } };
}

function afterRefusal(refusal: Refusal, leftMs: number): Step {
  if (refusal.kind === 'limited') return afterLimit(refusal, leftMs);
  if (refusal.kind === 'unavailable') return { kind: 'again', trouble: troubleOf(refusal), said: refusal.detail };
  const said = `the risk API says ${refusal.code}`;
  if (refusal.kind === 'unsupported') return { kind: 'done', answer: without('UNSUPPORTED', ['UNSUPPORTED_COIN'], said) };
  if (refusal.kind === 'invalid') return { kind: 'done', answer: without('INVALID', ['INVALID_TRANSFER'], said) };
  return { kind: 'done', answer: without('UNAVAILABLE', ['UPSTREAM_REJECTED'], `the risk API refuses us: ${refusal.code}`, true) };
}

function afterLimit({ window, retryAfterMs }: Extract<Refusal, { kind: 'limited' }>, leftMs: number): Step {
  const said = `the limit of a ${window} is reached`;
  const isOver = window === 'day' || retryAfterMs > leftMs;
  if (isOver) return { kind: 'done', answer: without('UNAVAILABLE', ['BUDGET_EXHAUSTED'], said, true) };
  return { kind: 'again', trouble: 'BUDGET_EXHAUSTED', said, waitMs: retryAfterMs };
}

function troubleOf({ reason }: Unavailable): ReasonCode {
  return reason === 'UNREADABLE' ? 'UPSTREAM_UNREADABLE' : 'UPSTREAM_UNAVAILABLE';
}

export function without(
  outcome: Exclude<Outcome, 'SCORED' | 'NO_DATA'>,
  reasons: readonly ReasonCode[],
  said: string,
  hopeless = false,
): Answer {
  return { outcome, reasons, result: null, scannedTs: null, evidenceSha256: null, said, hopeless };
}

/** 1, 2, 4 … 30 s, as in the pipeline. */
function retryDelayMs(failures: number): number {
  return Math.min(1_000 * 2 ** Math.min(failures - 1, 20), 30_000);
}
