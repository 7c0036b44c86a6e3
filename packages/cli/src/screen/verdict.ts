import type { Exposure, RiskLevel } from '@weir/contracts';
import { decide, type Policy, type Verdict } from '@weir/policy';
import type { Answer } from './ask.ts';
import { type Question, subjectOf } from './question.ts';

/** The policy's verdict on this answer. User and history are unknown here, so rules that need them hold. */
export function verdictOf(policy: Policy, question: Pick<Question, 'kind' | 'usd_value'> & Partial<Question>, answer: Answer): Verdict {
  const { kind, usd_value, coin, chain, txid = null, address = null } = question;
  const { outcome, reasons, result } = answer;
  return decide(policy, {
    ...result,
    kind,
    outcome,
    risk_level: levelOf(answer),
    risk_detail: exposuresOf(answer),
    reasons,
    usd_value,
    transfer: {
      ...(coin === undefined ? {} : { coin }),
      ...(chain === undefined ? {} : { chain }),
      txid,
      ...(address === null ? {} : kind === 'deposit' ? { from_address: address } : { to_address: address }),
    },
  });
}

/** Only a score has a level. */
export function levelOf({ outcome, result }: Answer): RiskLevel | null {
  return outcome === 'SCORED' ? (result?.risk_level ?? null) : null;
}

/** One screening for programs; names as in the pipeline's events. */
export function jsonOf(question: Question, answer: Answer, verdict: Verdict, policyHash: string, provider: string): object {
  const { coin, chain, txid, direction, kind, usd_value } = question;
  const { outcome, result, scanned_ts, evidence_sha256 } = answer;
  const { action, reason_codes, rule } = verdict;
  return {
    coin,
    chain,
    address: question.address === null ? null : subjectOf(question),
    txid,
    direction,
    kind,
    usd_value,
    outcome,
    score: result?.score ?? null,
    risk_level: levelOf(answer),
    action,
    reason_codes,
    rule,
    policy_hash: policyHash,
    address_label: result?.address_label ?? '',
    hacking_event: result?.hacking_event ?? '',
    detail_list: result?.detail_list ?? [],
    risk_detail: exposuresOf(answer),
    provider,
    scanned_ts,
    evidence_sha256,
    detail: answer.said,
  };
}

/** As in the events, which have no paths. */
export function exposuresOf({ result }: Answer): Exposure[] {
  return (result?.risk_detail ?? []).map(({ hop_dic: _hops, counterparty: _address, path: _path, ...exposure }) => exposure);
}
