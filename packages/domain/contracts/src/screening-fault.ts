import type { ScreeningRequested, ScreeningScored } from './generated/records.ts';
import { screeningId } from './ids.ts';
import { questionOf } from './question.ts';
import { isRecordTime } from './times.ts';

/** An event that no retry can process. `reason` goes to the dead letter, `detail` is for people. */
export interface ScreeningFault {
  readonly reason: 'INVALID_SCREENING_ID' | 'INVALID_SCREENING' | 'INVALID_SUBJECT';
  readonly detail: string;
}

/** Undefined for a valid event. A fault means a contradiction, or text that no database could store. */
export function screeningFault(event: ScreeningRequested | ScreeningScored): ScreeningFault | undefined {
  const { transfer } = event;
  if (event.kind !== transfer.kind || event.screening_id !== screeningId(event.kind, transfer.source_id)) {
    return { reason: 'INVALID_SCREENING_ID', detail: 'screening_id is not the one of this transfer' };
  }
  if (event.attempt < 1 || ('sequence' in event && event.sequence < 1)) {
    return { reason: 'INVALID_SCREENING', detail: 'attempt and sequence count from 1' };
  }
  if (![event.requested_at, event.deadline_at, transfer.occurred_at].every(isRecordTime)) {
    return { reason: 'INVALID_SCREENING', detail: 'a time is out of range' };
  }
  if ([event, transfer].flatMap((part) => Object.values(part)).some((value) => typeof value === 'string' && value.includes('\0'))) {
    return { reason: 'INVALID_SCREENING', detail: 'a text holds a NUL' };
  }
  // Otherwise the result of a harmless subject would decide another transfer.
  const question = questionOf(transfer);
  if (event.subject_type !== question.subject_type || event.subject !== question.subject || event.direction !== question.direction) {
    return { reason: 'INVALID_SUBJECT', detail: 'subject, its type or direction is not the one of this transfer' };
  }
  if ('chain' in event && (event.chain !== transfer.chain || event.coin !== transfer.coin)) {
    return { reason: 'INVALID_SUBJECT', detail: 'chain or coin is not the one of this transfer' };
  }
  return undefined;
}
