import type { Question, ScreeningRequested } from '@weir/contracts';
import type { Finished } from './lookups.ts';
import type { Result } from './result.ts';

/** SQL of `counterpartyQuestion` for a screening `s`: it asks about a transaction and names the counterparty. */
export const hasCounterparty = `s.request ->> 'subject_type' = 'txid' AND coalesce(CASE s.request ->> 'kind'
  WHEN 'deposit' THEN s.request -> 'transfer' ->> 'from_address' ELSE s.request -> 'transfer' ->> 'to_address' END, '') <> ''`;

/** The question that follows an unknown transaction: the sender of a deposit, the receiver of a withdrawal. */
export function counterpartyQuestion(request: ScreeningRequested): ScreeningRequested | undefined {
  const { kind, subject_type, transfer } = request;
  const address = kind === 'deposit' ? transfer.from_address : transfer.to_address;
  if (subject_type !== 'txid' || address === null || address === '') return undefined;
  return { ...request, subject_type: 'address', subject: address };
}

/**
 * The stricter of the answers about an unknown transaction and its counterparty. A level below High says nothing about the transaction,
 * which may have other senders: it stays unknown. An answer without a level is never milder.
 */
export function stricterOf(transaction: Result, counterparty: Result): Result {
  const { outcome, risk_level, risk_detail, illicit_usd } = counterparty;
  if (outcome !== 'SCORED' || risk_level === 'High' || risk_level === 'Severe') return counterparty;
  const isExposed = risk_detail.some(
    ({ risk_type, exposure_type, hop_num }) => risk_type === 'sanctioned_entity' && (exposure_type === 'direct' || hop_num <= 1),
  );
  // The policy counts illicit money at any level.
  return isExposed ? counterparty : { ...transaction, illicit_usd };
}

export function bothQuestions(request: ScreeningRequested, transaction: Result, counterparty: Result): Question[] {
  const second = counterpartyQuestion(request);
  return [questionOf(request, transaction), ...(second === undefined ? [] : [questionOf(second, counterparty)])];
}

export function isUnknownTransaction({ lookup, result }: Finished): boolean {
  return lookup.subject_type === 'txid' && result.outcome === 'NO_DATA';
}

export function questionsOf(request: ScreeningRequested, unknownTransaction: Result | null, result: Result): Question[] | undefined {
  return unknownTransaction === null ? undefined : bothQuestions(request, unknownTransaction, result);
}

function questionOf({ subject, subject_type }: ScreeningRequested, { outcome, score, risk_level, evidence_sha256 }: Result): Question {
  return { subject, subject_type, outcome, score, risk_level, evidence_sha256 };
}
