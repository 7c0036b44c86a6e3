import { compareAmounts, multiplyAmounts, parseAmount } from '@weir/chains';
import type { ScreeningRequested } from '@weir/contracts';
import type { PriceFound } from './prices.ts';

export interface ReuseSettings {
  readonly freshResultFromUsd: number;
  readonly freshResultForUnknownValue: boolean;
}

/**
 * Whether an earlier result may answer this request. The larger the value (the greater of declared and amount × price), the fresher the
 * evidence must be. A re-screening takes any result: the one that caused it is deleted. A first attempt in that lane, of a token beyond its
 * share, is no re-screening.
 * A renewal needs a new result.
 */
export function mayReuse(request: ScreeningRequested, { known_usd_price, isUnanswered }: PriceFound, settings: ReuseSettings): boolean {
  const { lane, attempt, transfer } = request;
  if (isRenewal(request)) return false;
  if (lane === 'rescreen' && attempt > 1) return true;
  const declared = transfer.usd_value === null ? undefined : parseAmount(transfer.usd_value);
  const known = known_usd_price === null ? undefined : multiplyAmounts(transfer.amount, known_usd_price);
  const values = [declared, known].filter((value) => value !== undefined);
  // Without an answer about the price the declared value proves nothing.
  const isUnknown = values.length === 0 || isUnanswered;
  if (isUnknown && settings.freshResultForUnknownValue) return false;
  return values.every((value) => compareAmounts(value, String(settings.freshResultFromUsd)) < 0);
}

/** Whether an expired allow caused this request. Requests stored by earlier versions lack the field. */
export function isRenewal({ renews_revision }: ScreeningRequested): boolean {
  return renews_revision !== null && renews_revision !== undefined;
}
