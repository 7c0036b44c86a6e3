import type { ScreeningRequested, ScreeningScored } from './generated/records.ts';
import { screeningId } from './ids.ts';
import { isRecordTime } from './times.ts';

/** Why an event of a screening can never be dealt with. `reason` becomes the dead letter's, `detail` is for people. */
export interface ScreeningFault {
  readonly reason: 'INVALID_SCREENING_ID' | 'INVALID_SCREENING';
  readonly detail: string;
}

/** Undefined for an event that can be dealt with; else what no repeat can help: it contradicts itself, or no database could hold it. */
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
  return undefined;
}
