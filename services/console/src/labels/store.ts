import { answerLabelRequest, insertLabelRequest, type LabelRequest, lockLabelRequest } from '@weir/chain-store';
import type { Clock } from '@weir/clock';
import { type Pool, transaction } from '@weir/postgres';
import { isSamePerson, isSurelySamePerson, type Person } from '@weir/reviews';
import { recordActivity } from '@weir/service-kit';
import { definedOnly } from '../parameters.ts';

/** Why a request cannot be answered; the message is one line for a person. */
export class AnswerRefused extends Error {
  readonly code: 'NOT_FOUND' | 'FORBIDDEN' | 'SAME_PERSON' | 'ANSWERED';
  readonly retriable = false;

  constructor(code: AnswerRefused['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/** Stores the request, and the act for the audit log. Nothing changes before another person approves. */
export function requestChange(
  { db, clock }: { readonly db: Pool; readonly clock: Clock },
  request: Pick<LabelRequest, 'action' | 'scope' | 'reason'>,
  by: Person,
): Promise<LabelRequest> {
  return transaction(db, async (tx) => {
    const at = new Date(clock.now());
    const stored = await insertLabelRequest(tx, request, by, at);
    const { action, scope, reason } = request;
    await recordActivity(tx, {
      action: 'label_change_requested',
      subjectType: 'labels',
      subject: stored.request_id,
      by,
      details: definedOnly({ action, ...scope, reason }),
      at: at.getTime(),
    });
    return stored;
  });
}

/** The word of an approver, or of the person who requested it and takes it back. Rejects with `AnswerRefused`. */
export function answerChange(
  { db, clock }: { readonly db: Pool; readonly clock: Clock },
  id: string,
  isApproved: boolean,
  { isApprover, ...by }: Person & { readonly isApprover: boolean },
): Promise<LabelRequest> {
  return transaction(db, async (tx) => {
    const found = await lockLabelRequest(tx, id);
    if (found === undefined) throw new AnswerRefused('NOT_FOUND', 'there is no request with this id');
    const requester = { id: found.requested_by, name: found.requested_by_name };
    if (!isApprover && (isApproved || !isSurelySamePerson(by, requester)))
      throw new AnswerRefused('FORBIDDEN', 'only an approver may answer; whoever requested it may take it back');
    if (found.is_approved !== null) throw new AnswerRefused('ANSWERED', 'it was answered before');
    if (isApproved && isSamePerson(by, requester))
      throw new AnswerRefused('SAME_PERSON', 'another person must approve: whoever requested it cannot');
    const at = new Date(clock.now());
    const answered = await answerLabelRequest(tx, id, { isApproved, by, at });
    await recordActivity(tx, {
      action: 'label_change_answered',
      subjectType: 'labels',
      subject: id,
      by,
      details: { answer: isApproved ? 'approved' : 'rejected' },
      at: at.getTime(),
    });
    return answered;
  });
}
