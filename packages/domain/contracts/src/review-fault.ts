import type { ReviewResolved } from './generated/records.ts';
import { isRecordTime } from './times.ts';

/** A resolution that no retry can process. */
export interface ReviewFault {
  readonly reason: 'INVALID_SCREENING_ID' | 'INVALID_REVIEW';
  readonly detail: string;
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Undefined for a valid resolution. */
export function reviewFault(event: ReviewResolved): ReviewFault | undefined {
  if (!uuid.test(event.screening_id)) return { reason: 'INVALID_SCREENING_ID', detail: 'screening_id is not a UUID' };
  const invalid = (detail: string): ReviewFault => ({ reason: 'INVALID_REVIEW', detail });
  if (!uuid.test(event.resolution_id)) return invalid('resolution_id is not a UUID');
  if (event.revision < 1) return invalid('revisions count from 1');
  if (event.reviewer === '') return invalid('nobody resolved it');
  if (event.approver === event.reviewer) return invalid('who resolves cannot approve');
  if (![event.resolved_at, event.approved_at ?? event.resolved_at].every(isRecordTime)) return invalid('a time is out of range');
  return undefined;
}
