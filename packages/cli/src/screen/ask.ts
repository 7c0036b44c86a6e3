import { randomUUID } from 'node:crypto';
import type { Clock } from '@weir/clock';
import type { Outcome, ReasonCode } from '@weir/contracts';
import { type Final, followTask, meaningOf, type Retry, retryDelayMs, type RiskResult } from '@weir/risk-client';
import type { AskAnswer, Question as ProviderQuestion, RiskProvider } from '@weir/risk-provider';
import type { FactsOf } from '@weir/scoring';
import { DayIsOver, type Pacer } from './pacer.ts';
import type { Question } from './question.ts';

/** The result of a lookup, with the pipeline's outcomes: only `SCORED` has a level. */
export interface Answer {
  readonly outcome: Outcome;
  /** Why there is no result. */
  readonly reasons: readonly ReasonCode[];
  readonly result: RiskResult | null;
  /** Unix seconds. */
  readonly scanned_ts: number | null;
  readonly evidence_sha256: string | null;
  /** The error, for a person. */
  readonly said: string;
  /** Further lookups would fail in the same way. */
  readonly hopeless: boolean;
}

export interface AskOptions {
  readonly provider: RiskProvider;
  readonly factsOf: FactsOf;
  readonly pacer: Pacer;
  readonly clock: Clock;
  readonly pollMs: number;
  /** An older result is no evidence for today. */
  readonly maxAgeMs: number;
  /** Time limit of an answer, from the first create on. */
  readonly waitMs: number;
  readonly signal: AbortSignal;
}

/** Starts an assessment and follows it, by the rules of the pipeline, until an answer or the time limit. */
export async function ask(options: AskOptions, question: Question): Promise<Answer> {
  const { provider, pacer, clock, pollMs, maxAgeMs, signal } = options;
  const asked = questionFor(options, question);
  const missing = provider.needs(asked).filter((fact) => asked.facts[fact] === undefined);
  if (missing.length > 0)
    return without('INVALID', ['INVALID_TRANSFER'], `${provider.name} needs more about it: ${missing.map(sourceOf).join(', ')}`);
  let end: number | undefined;
  let failures = 0;
  let last: Retry | undefined;
  const left = (): number => (end ?? clock.monotonic() + options.waitMs) - clock.monotonic();
  const isHopeless = (meaning: Retry): boolean => (meaning.kind === 'limited' ? meaning.retryAfterMs > left() : meaning.cause === 'caller');
  const onRetry = (meaning: Retry): 'stop' | undefined => {
    last = meaning;
    return isHopeless(meaning) ? 'stop' : undefined;
  };
  while (left() > 0 && !signal.aborted) {
    const answer = await send(pacer, () => {
      end ??= clock.monotonic() + options.waitMs;
      return provider.ask(asked, signal);
    });
    const tasks = { queryTask: (taskId: string, cut?: AbortSignal) => provider.follow(taskId, cut) };
    const meaning =
      answer.kind === 'created'
        ? await followTask(tasks, answer, { clock, pollMs, maxAgeMs, limitMs: left(), signal, onRetry })
        : meaningOf(answer, { now: clock.now(), maxAgeMs });
    if (meaning.kind === 'final') return answerOf(meaning);
    if (meaning.kind === 'retry' || meaning.kind === 'limited') onRetry(meaning);
    if (last !== undefined && isHopeless(last)) return without('UNAVAILABLE', [last.reason], last.detail, true);
    if (meaning.kind === 'gave_up') break;
    failures += 1;
    const pauseMs = Math.min(meaning.kind === 'limited' ? meaning.retryAfterMs : retryDelayMs(failures), Math.max(left(), 0));
    // While the API is unavailable or asks for a pause, no other lookup creates a task either.
    if (meaning.kind === 'retry' || meaning.kind === 'limited') await pacer.pause('second', pauseMs);
    await clock.sleep(pauseMs, signal);
  }
  const reasons: ReasonCode[] = last === undefined ? ['DEADLINE_PASSED'] : [last.reason, 'DEADLINE_PASSED'];
  return without('UNAVAILABLE', reasons, `no answer within ${options.waitMs / 1_000} s: ${last?.detail ?? 'the task still runs'}`);
}

/** As the pipeline asks it; a question of the command line is a transfer of its own, of nobody. */
function questionFor({ factsOf, clock }: AskOptions, question: Question): ProviderQuestion {
  const { chain, coin, address, txid, direction, to_address, amount } = question;
  const about = { chain, coin, direction, ...subjectFor(address, txid) };
  const transfer = {
    occurred_at: clock.now(),
    user_id: null,
    ...(to_address !== null && { to_address }),
    ...(amount !== null && { amount }),
  };
  return { ...about, facts: factsOf({ ...about, screening_id: randomUUID(), transfer }) };
}

function subjectFor(address: string | null, txid: string | null): Pick<ProviderQuestion, 'subject_type' | 'subject'> {
  return address === null ? { subject_type: 'txid', subject: txid ?? '' } : { subject_type: 'address', subject: address };
}

/** For a person: the input that gives a fact. */
function sourceOf(fact: string): string {
  const inputs: Readonly<Record<string, string>> = {
    to_address: 'the receiver (--to-address, or the column to_address)',
    amount: 'the amount (--amount, or the column amount)',
  };
  return inputs[fact] ?? fact;
}

async function send(pacer: Pacer, call: () => Promise<AskAnswer>): Promise<AskAnswer> {
  try {
    return await pacer.send(call);
  } catch (error) {
    if (error instanceof DayIsOver) return { kind: 'limited', window: 'day', retryAfterMs: Number.POSITIVE_INFINITY };
    throw error;
  }
}

export function answerOf(final: Final): Answer {
  if (final.outcome === 'UNSUPPORTED' || final.outcome === 'INVALID') return without(final.outcome, [final.reason], final.detail);
  const { outcome, result, scanned_ts, evidence_sha256 } = final;
  return { outcome, reasons: [], result, scanned_ts, evidence_sha256, said: '', hopeless: false };
}

export function without(
  outcome: Exclude<Outcome, 'SCORED' | 'NO_DATA'>,
  reasons: readonly ReasonCode[],
  said: string,
  hopeless = false,
): Answer {
  return { outcome, reasons, result: null, scanned_ts: null, evidence_sha256: null, said, hopeless };
}
