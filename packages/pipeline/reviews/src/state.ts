import type { Action, ReasonCode } from '@weir/contracts';
import type { ReviewState } from './rules.ts';

/** A decision of a screening, as far as the rules of reviews look at it. */
export interface EarlierDecision {
  readonly revision: number;
  readonly action: Action;
  readonly byPeople: boolean;
  readonly reasonCodes: readonly string[];
  /** Null where that is not known. */
  readonly namesSanctioned: boolean | null;
}

/** Beside them nobody may rely on the declared value. */
const doubts: readonly string[] = ['USD_VALUE_CONTRADICTED', 'PRICE_UNAVAILABLE'] satisfies ReasonCode[];

/** A result or a decision names a sanctioned entity, at any distance. */
export function namesSanctioned(codes: readonly string[], exposures: readonly { readonly risk_type: string }[]): boolean {
  return (
    codes.includes('SANCTIONED_EXPOSURE') ||
    codes.includes('LOCAL_SANCTIONS_MATCH') ||
    exposures.some(({ risk_type }) => risk_type === 'sanctioned_entity')
  );
}

/** Besides the decisions. A result that comes after people decided makes no decision. */
export interface LateResult {
  /** It says that what people allowed should not have been. */
  readonly isAdverse: boolean;
  readonly namesSanctioned: boolean;
}

/**
 * A screening at the last of these decisions, of which there is one at least. The console and decision both judge by this, on the same decisions. A decision
 * that was not read may have been anything, so people are at least as many as if it were known.
 */
export function reviewStateOf(decisions: readonly EarlierDecision[], usdValue: string | null, late: LateResult): ReviewState {
  const ordered = decisions.toSorted((a, b) => a.revision - b.revision);
  const latest = ordered.at(-1);
  const isIncomplete = latest === undefined || ordered.length < latest.revision;
  const wasAllowed = ordered.some(({ action }) => action === 'allow');
  return {
    action: latest?.action ?? 'review',
    usdValue,
    isValueInDoubt: isIncomplete || ordered.some(({ reasonCodes }) => reasonCodes.some((code) => doubts.includes(code))),
    hasAdverseUpdate: latest?.action === 'allow' ? late.isAdverse : latest?.byPeople === false && wasAllowed,
    namesSanctioned: isIncomplete || late.namesSanctioned || ordered.some((decision) => decision.namesSanctioned !== false),
    wasBlocked: isIncomplete || ordered.slice(0, -1).some(({ action }) => action === 'block'),
  };
}
