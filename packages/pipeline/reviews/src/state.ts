import type { Action, ReasonCode } from '@weir/contracts';
import type { ReviewState } from './rules.ts';

export interface EarlierDecision {
  readonly revision: number;
  readonly action: Action;
  readonly by_person: boolean;
  readonly reason_codes: readonly string[];
  /** Null if unknown. */
  readonly names_sanctioned: boolean | null;
}

/** With one of these codes nobody may rely on the declared value. */
const doubts: readonly string[] = ['USD_VALUE_CONTRADICTED', 'PRICE_UNAVAILABLE'] satisfies ReasonCode[];

/** Whether a result or decision names a sanctioned entity, at any distance. */
export function namesSanctioned(codes: readonly string[], exposures: readonly { readonly risk_type: string }[]): boolean {
  return (
    codes.includes('SANCTIONED_EXPOSURE') ||
    codes.includes('LOCAL_SANCTIONS_MATCH') ||
    exposures.some(({ risk_type }) => risk_type === 'sanctioned_entity')
  );
}

/** A result after people decided, which makes no decision. */
export interface LateResult {
  /** It contradicts an allow by people. */
  readonly isAdverse: boolean;
  readonly namesSanctioned: boolean;
}

/**
 * At the last of these decisions (at least one), for the console and decision alike. An unread decision may have been anything, so it never
 * lowers the number of people.
 */
export function reviewStateOf(decisions: readonly EarlierDecision[], usd_value: string | null, late: LateResult): ReviewState {
  const ordered = decisions.toSorted((a, b) => a.revision - b.revision);
  const latest = ordered.at(-1);
  const isIncomplete = latest === undefined || ordered.length < latest.revision;
  const wasAllowed = ordered.some(({ action }) => action === 'allow');
  return {
    action: latest?.action ?? 'review',
    usd_value,
    isValueInDoubt: isIncomplete || ordered.some(({ reason_codes }) => reason_codes.some((code) => doubts.includes(code))),
    hasAdverseUpdate: latest?.action === 'allow' ? late.isAdverse : latest?.by_person === false && wasAllowed,
    isHeldAgain: latest?.action === 'review' && wasAllowed,
    namesSanctioned: isIncomplete || late.namesSanctioned || ordered.some((decision) => decision.names_sanctioned !== false),
    wasBlocked: isIncomplete || ordered.slice(0, -1).some(({ action }) => action === 'block'),
  };
}
