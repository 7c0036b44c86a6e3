import type { ScreeningRequested, Transfer } from './generated/records.ts';

/** The question that a transfer asks: a deposit is asked about by its transaction where it is known, else by its sender; a withdrawal by its receiver. */
export function questionOf(transfer: Transfer): Pick<ScreeningRequested, 'subject_type' | 'subject' | 'direction'> {
  if (transfer.kind === 'withdrawal') return { subject_type: 'address', subject: transfer.to_address, direction: 'withdraw' };
  if (transfer.txid !== null) return { subject_type: 'txid', subject: transfer.txid, direction: 'deposit' };
  return { subject_type: 'address', subject: transfer.from_address ?? '', direction: 'deposit' };
}

/** Whether a result about one of these transfers is a result about the other. */
export function isSameQuestion(one: Transfer, other: Transfer): boolean {
  const [a, b] = [questionOf(one), questionOf(other)];
  return one.chain === other.chain && a.subject_type === b.subject_type && a.subject === b.subject && a.direction === b.direction;
}
