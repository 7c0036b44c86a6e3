import { eventId, type Question, type ReasonCode, type ScreeningRequested, type ScreeningScored } from '@weir/contracts';
import type { NewEvent } from '@weir/service-kit';
import type { Result } from './result.ts';
import type { FindPrices, PriceFound } from './prices.ts';

export interface Scoring {
  readonly request: ScreeningRequested;
  /** Counts the results of one attempt. */
  readonly sequence: number;
  readonly result: Result;
  /** When the risk API gave a reused result; Unix ms. */
  readonly reusedFrom?: number | undefined;
  /** Both questions of an unknown transaction. */
  readonly questions?: readonly Question[] | undefined;
}

export function scoredEvents(scorings: readonly Scoring[], now: number, findPrices: FindPrices): NewEvent<'screenings.scored'>[] {
  const prices = findPrices(scorings.map(({ request }) => request));
  return scorings.map((scoring, n) => scoredEvent(scoring, now, prices[n] as PriceFound));
}

function scoredEvent(
  { request, sequence, result, reusedFrom, questions = [] }: Scoring,
  now: number,
  { isUnanswered, ...price }: PriceFound,
): NewEvent<'screenings.scored'> {
  // Without a declared value there is nothing to verify.
  const unanswered: ReasonCode[] = isUnanswered && request.transfer.usd_value !== null ? ['PRICE_UNAVAILABLE'] : [];
  const data: ScreeningScored = {
    ...result,
    ...price,
    // Requests stored by earlier versions lack it.
    reasons: [...result.reasons, ...unanswered, ...(request.warnings ?? [])],
    screening_id: request.screening_id,
    attempt: request.attempt,
    sequence,
    kind: request.kind,
    scored_at: reusedFrom ?? now,
    reused: reusedFrom !== undefined,
    reported_at: now,
    subject_type: request.subject_type,
    subject: request.subject,
    direction: request.direction,
    requested_at: request.requested_at,
    deadline_at: request.deadline_at,
    transfer: request.transfer,
    // Requests stored by earlier versions lack it.
    renews_revision: request.renews_revision ?? null,
    questions: [...questions],
  };
  return {
    topic: 'screenings.scored',
    id: scoredEventId(request, sequence),
    key: request.transfer.source_id,
    screeningId: request.screening_id,
    time: now,
    data,
  };
}

export function scoredEventId(request: Pick<ScreeningRequested, 'screening_id' | 'attempt'>, sequence: number): string {
  return eventId('screenings.scored', request.screening_id, request.attempt, sequence);
}
