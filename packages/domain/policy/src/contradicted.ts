import { compareAmounts, multiplyAmounts } from '@weir/chains';
import type { Evidence } from './evidence.ts';
import type { Policy } from './policy.ts';

export const defaultTolerance = '1.5';
export const defaultMaxAgeDays = 2;
const dayMs = 86_400_000;

/** Undefined for a price that is too old, or of a day after the transfer's receipt. */
export function valueAtPrice(
  policy: Policy,
  { known_usd_price, price_day, requested_at, transfer }: Pick<Evidence, 'known_usd_price' | 'price_day' | 'requested_at' | 'transfer'>,
): string | undefined {
  if (requested_at === undefined || known_usd_price == null || price_day == null) return undefined;
  const ageDays = Math.floor(requested_at / dayMs) - Date.parse(`${price_day}T00:00:00Z`) / dayMs;
  // Comparisons with NaN are false, so an invalid day fails too.
  if (!(ageDays >= 0 && ageDays <= (policy.price_max_age_days ?? defaultMaxAgeDays))) return undefined;
  return multiplyAmounts(transfer?.amount ?? '', known_usd_price);
}

/** Too low beyond the tolerance. A value that is too high only makes a decision stricter. */
export function isContradicted(policy: Policy, declared: string, known: string): boolean {
  const limit = multiplyAmounts(declared, policy.value_tolerance ?? defaultTolerance);
  return limit !== undefined && compareAmounts(limit, known) < 0;
}
