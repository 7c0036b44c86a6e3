import { compareAmounts, parseAmount } from '@weir/chains';
import type { Standing } from './standing.ts';

/**
 * Whether a second person must approve. One may do where a limit is set, the value is known and below it, and nothing says that the transfer
 * deals with a sanctioned entity. To allow what has turned bad always takes two. `singleBelowUsd`: decimal text; empty for no limit.
 */
export function needsApproval(
  { request, result, decisions, turned_bad: isTurnedBad }: Standing,
  action: 'allow' | 'block',
  singleBelowUsd: string,
): boolean {
  if (isTurnedBad && action === 'allow') return true;
  const limit = parseAmount(singleBelowUsd);
  const value = request.transfer.usd_value === null ? undefined : parseAmount(request.transfer.usd_value);
  if (limit === undefined || value === undefined || compareAmounts(value, limit) >= 0) return true;
  const codes = Object.values(decisions).flatMap(({ reason_codes }) => reason_codes);
  if (codes.includes('SANCTIONED_EXPOSURE') || codes.includes('LOCAL_SANCTIONS_MATCH')) return true;
  if (result?.reasons.includes('LOCAL_SANCTIONS_MATCH') === true) return true;
  // Of any distance: a late result may not have been decided on.
  return result?.risk_detail.some(({ risk_type }) => risk_type === 'sanctioned_entity') === true;
}
