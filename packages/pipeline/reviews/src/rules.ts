import { compareAmounts, parseAmount } from '@weir/chains';
import type { Action } from '@weir/contracts';

export interface ReviewState {
  readonly action: Action;
  /** Decimal text; null when unknown. */
  readonly usd_value: string | null;
  /** A decision found that the declared value contradicts the price, or that no price could verify it. */
  readonly isValueInDoubt: boolean;
  /** It was allowed, and a later result contradicts that. */
  readonly hasAdverseUpdate: boolean;
  /** It was allowed, and is held now. */
  readonly isHeldAgain: boolean;
  /** A result or a decision names a sanctioned entity, at any distance. */
  readonly namesSanctioned: boolean;
  readonly wasBlocked: boolean;
}

/** Why people cannot resolve it so; undefined if they can. `review` holds it again. */
export function whyNotResolvable({ action, hasAdverseUpdate }: ReviewState, resolution: Action): 'ALREADY_HELD' | 'NOT_HELD' | undefined {
  if (resolution === 'review') return action === 'review' ? 'ALREADY_HELD' : undefined;
  return action === 'review' || hasAdverseUpdate ? undefined : 'NOT_HELD';
}

/**
 * Whether a second person must approve. One may hold again. One may resolve below a set limit if the value is known and not in doubt, no
 * sanctioned entity is named and no earlier decision was a block. Allowing after an adverse update, or once more, takes two.
 * `singleBelowUsd`: decimal text; empty for no limit.
 */
export function needsApproval(state: ReviewState, resolution: Action, singleBelowUsd: string): boolean {
  if (resolution === 'review') return false;
  if (state.namesSanctioned || state.wasBlocked) return true;
  if (resolution === 'allow' && (state.hasAdverseUpdate || state.isHeldAgain)) return true;
  const limit = parseAmount(singleBelowUsd);
  const value = state.usd_value === null || state.isValueInDoubt ? undefined : parseAmount(state.usd_value);
  return limit === undefined || value === undefined || compareAmounts(value, limit) >= 0;
}
