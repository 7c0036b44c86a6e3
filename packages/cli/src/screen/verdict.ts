import type { Exposure } from '@weir/contracts';
import { decide, type Policy, type Verdict } from '@weir/policy';
import type { RiskExposure } from '@weir/risk-client';
import type { Answer } from './ask.ts';
import { type Question, subjectOf } from './question.ts';

/** The policy's verdict on this answer. User and history are unknown here, so rules that need them hold. */
export function verdictOf(policy: Policy, question: Pick<Question, 'kind' | 'usdValue'> & Partial<Question>, answer: Answer): Verdict {
  const { coin, chain, txid = null, address = null } = question;
  const { result } = answer;
  return decide(policy, {
    kind: question.kind,
    outcome: answer.outcome,
    risk_level: answer.outcome === 'SCORED' ? (answer.result?.riskLevel ?? null) : null,
    risk_detail: exposuresOf(answer),
    reasons: answer.reasons,
    usd_value: question.usdValue,
    score: result?.score ?? null,
    ...(result === null ? {} : { detail_list: result.detailList, address_label: result.addressLabel, hacking_event: result.hackingEvent }),
    transfer: {
      ...(coin === undefined ? {} : { coin }),
      ...(chain === undefined ? {} : { chain }),
      txid,
      ...(address === null ? {} : question.kind === 'deposit' ? { from_address: address } : { to_address: address }),
    },
  });
}

/** One screening for programs; names as in the pipeline's events. */
export function jsonOf(question: Question, answer: Answer, verdict: Verdict, policyHash: string, provider: string): object {
  const { result } = answer;
  return {
    coin: question.coin,
    chain: question.chain,
    address: question.address === null ? null : subjectOf(question),
    txid: question.txid,
    direction: question.direction,
    kind: question.kind,
    usd_value: question.usdValue,
    outcome: answer.outcome,
    score: result?.score ?? null,
    risk_level: answer.outcome === 'SCORED' ? (result?.riskLevel ?? null) : null,
    action: verdict.action,
    reason_codes: verdict.reason_codes,
    rule: verdict.rule,
    policy_hash: policyHash,
    address_label: result?.addressLabel ?? '',
    hacking_event: result?.hackingEvent ?? '',
    detail_list: result?.detailList ?? [],
    risk_detail: exposuresOf(answer),
    provider,
    scanned_ts: answer.scannedTs,
    evidence_sha256: answer.evidenceSha256,
    detail: answer.said,
  };
}

export function exposuresOf({ result }: Answer): Exposure[] {
  return (result?.riskDetail ?? []).map((exposure: RiskExposure) => ({
    entity: exposure.entity,
    risk_type: exposure.riskType,
    exposure_type: exposure.exposureType,
    hop_num: exposure.hopNum,
    volume_usd: exposure.volumeUsd,
    percent: exposure.percent,
  }));
}
