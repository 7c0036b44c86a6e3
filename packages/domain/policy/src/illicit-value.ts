import { parseAmount } from '@weir/chains';
import type { Evidence } from './evidence.ts';
import type { Policy } from './policy.ts';

export const defaultIllicitValue = { review_from_usd: '10000', share_of_transfer: '0.5', from_usd: '1000' } as const;

/** The line of the policy by which illicit money counts however diluted it is; undefined if none does, or if the risk API gives no value. */
export function illicitValueRule(
  policy: Policy,
  { illicit_usd, usd_value }: Pick<Evidence, 'illicit_usd' | 'usd_value'>,
): string | undefined {
  if (illicit_usd == null) return undefined;
  const { review_from_usd, share_of_transfer, from_usd } = policy.illicit_value ?? defaultIllicitValue;
  if (illicit_usd >= Number(review_from_usd)) return 'illicit_value.review_from_usd';
  if (illicit_usd < Number(from_usd)) return undefined;
  const value = usd_value === null ? undefined : parseAmount(usd_value);
  // A transfer of unknown value may be a small one.
  const isLarge = value === undefined || illicit_usd >= Number(share_of_transfer) * Number(value);
  return isLarge ? 'illicit_value.share_of_transfer' : undefined;
}
