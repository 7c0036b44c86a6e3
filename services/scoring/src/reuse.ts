import { compareAmounts, multiplyAmounts, parseAmount } from '@weir/chains';
import type { ScreeningRequested } from '@weir/contracts';

export interface ReuseSettings {
  readonly freshResultFromUsd: number;
  readonly freshResultForUnknownValue: boolean;
}

/**
 * Whether an earlier result may answer this request. The more is at stake, the fresher the evidence: the larger counts of the declared value and amount × price. A re-screening takes what there is: the result that
 * made it necessary is deleted, so any result is newer than that. A first attempt in that lane, of a token beyond its share, is no re-screening. To renew an allow takes a new one.
 */
export function mayReuse(request: ScreeningRequested, price: string | null, settings: ReuseSettings): boolean {
  const { lane, attempt, transfer } = request;
  if (isRenewal(request)) return false;
  if (lane === 'rescreen' && attempt > 1) return true;
  const declared = transfer.usd_value === null ? undefined : parseAmount(transfer.usd_value);
  const known = price === null ? undefined : multiplyAmounts(transfer.amount, price);
  const values = [declared, known].filter((value) => value !== undefined);
  if (values.length === 0) return !settings.freshResultForUnknownValue;
  return values.every((value) => compareAmounts(value, String(settings.freshResultFromUsd)) < 0);
}

/** Whether it was asked for because an allow counts no more. What was stored by versions before lacks the field. */
export function isRenewal({ renews_revision }: ScreeningRequested): boolean {
  return renews_revision !== null && renews_revision !== undefined;
}
