import { compareAmounts, parseAmount } from '@weir/chains';
import type { Action, ReasonCode } from '@weir/contracts';
import type { Evidence } from './evidence.ts';
import type { Policy } from './policy.ts';

/** What the policy says of a sanctioned entity on the other side. */
export interface Sanction {
  readonly action: Action;
  readonly rule: string;
  readonly codes: readonly ReasonCode[];
}

export const defaultDustUsd = '0';

/** `verified`: the transfer's value by a known price; a declared value alone may be too low. */
export function sanctionOf(policy: Policy, evidence: Evidence, verified: string | undefined): Sanction | undefined {
  const { kind, reasons, risk_detail } = evidence;
  const isListed = reasons.includes('LOCAL_SANCTIONS_MATCH');
  const exposures = risk_detail.filter(isDirectSanctioned);
  if (!isListed && exposures.length === 0) return undefined;
  const codes: ReasonCode[] = [
    ...(isListed ? (['LOCAL_SANCTIONS_MATCH'] as const) : []),
    ...(exposures.length > 0 ? (['SANCTIONED_EXPOSURE'] as const) : []),
  ];
  const limit = policy.sanctioned_dust_usd ?? defaultDustUsd;
  const isDust = !isListed || isDustDeposit(kind, verified, limit);
  if (isDust && isReceivedBelow(exposures, limit)) return { action: 'review', rule: 'sanctioned_dust_usd', codes };
  const { sanctioned_received_usd } = policy;
  if (isDust && sanctioned_received_usd !== undefined && isReceivedBelow(exposures, sanctioned_received_usd))
    return { action: 'review', rule: 'sanctioned_received_usd', codes };
  return { action: policy.sanctioned_exposure[kind], rule: `sanctioned_exposure.${kind}`, codes };
}

/** One hop is direct, even where a provider calls it indirect. */
function isDirectSanctioned(exposure: Evidence['risk_detail'][number]): boolean {
  return exposure.risk_type === 'sanctioned_entity' && (exposure.exposure_type === 'direct' || exposure.hop_num <= 1);
}

/** Anyone can be paid without asking. Known values add up; one that is unknown (null or 0) may be worth nothing. */
function isReceivedBelow(exposures: Evidence['risk_detail'], limit: string): boolean {
  return (
    exposures.every(({ side }) => side === 'in') && exposures.reduce((sum, { volume_usd }) => sum + (volume_usd ?? 0), 0) < Number(limit)
  );
}

function isDustDeposit(kind: Evidence['kind'], verified: string | undefined, limit: string): boolean {
  return kind === 'deposit' && verified !== undefined && compareAmounts(verified, parseAmount(limit) ?? '0') < 0;
}
