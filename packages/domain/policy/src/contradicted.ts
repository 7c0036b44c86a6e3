import { Decimal } from './decimal.ts';
import type { Evidence } from './evidence.ts';
import type { Policy } from './policy.ts';

export const defaultTolerance = '1.5';
export const defaultMaxAgeDays = 2;
const dayMs = 86_400_000;

/**
 * The value of the transfer at the known price, as text, when the declared value is less than that by more than the tolerance. A declared value that is
 * too high needs no check: it only makes a decision stricter. An old price is no evidence, nor is one of a day after the transfer.
 */
export function contradictingValue(policy: Policy, { usdValue, knownPrice, receivedAt, transfer }: Evidence): string | undefined {
  if (usdValue === null || receivedAt === undefined || knownPrice === null || knownPrice === undefined) return undefined;
  const ageDays = Math.floor(receivedAt / dayMs) - Date.parse(`${knownPrice.day}T00:00:00Z`) / dayMs;
  // Written so that a day that is no date fails too.
  if (!(ageDays >= 0 && ageDays <= (policy.price_max_age_days ?? defaultMaxAgeDays))) return undefined;
  const [declared, amount, price, tolerance] = [
    usdValue,
    transfer?.amount ?? '',
    knownPrice.usd,
    policy.value_tolerance ?? defaultTolerance,
  ].map((text) => Decimal.parse(text));
  if (declared === undefined || amount === undefined || price === undefined || tolerance === undefined) return undefined;
  const known = amount.times(price);
  return declared.times(tolerance).compare(known) < 0 ? known.toString() : undefined;
}
