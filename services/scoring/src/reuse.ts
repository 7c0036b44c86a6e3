import { compareAmounts, parseAmount } from '@weir/chains';
import type { ScreeningRequested } from '@weir/contracts';

export interface ReuseSettings {
  readonly freshResultFromUsd: number;
  readonly freshResultForUnknownValue: boolean;
}

/**
 * Whether an earlier result may answer this request. The more is at stake, the fresher the evidence. A re-screening takes what there is: the result that
 * made it necessary is deleted, so any result is newer than that.
 */
export function mayReuse({ lane, transfer: { usd_value } }: ScreeningRequested, settings: ReuseSettings): boolean {
  if (lane === 'rescreen') return true;
  const value = usd_value === null ? undefined : parseAmount(usd_value);
  if (value === undefined) return !settings.freshResultForUnknownValue;
  return compareAmounts(value, String(settings.freshResultFromUsd)) < 0;
}
