import type { ScreeningRequested, Transfer } from './generated/records.ts';

/** A deposit's transaction where known, else its sender; a withdrawal's receiver. */
export function questionOf(transfer: Transfer): Pick<ScreeningRequested, 'subject_type' | 'subject' | 'direction'> {
  if (transfer.kind === 'withdrawal') return { subject_type: 'address', subject: transfer.to_address, direction: 'withdraw' };
  if (transfer.txid !== null) return { subject_type: 'txid', subject: transfer.txid, direction: 'deposit' };
  return { subject_type: 'address', subject: transfer.from_address ?? '', direction: 'deposit' };
}

/** True when one result serves both transfers. */
export function isSameQuestion(one: Transfer, other: Transfer): boolean {
  const [a, b] = [questionOf(one), questionOf(other)];
  return one.chain === other.chain && a.subject_type === b.subject_type && a.subject === b.subject && a.direction === b.direction;
}
