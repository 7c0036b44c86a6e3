import type { Compared, StoredDecision } from '@weir/decision';

/** One transfer and what another policy would do with it. `screening_id` and `revision` are what a review resolves. */
export function itemOf({ stored, verdict }: Compared): object {
  const { kind, source_id, chain, coin, amount, usd_value, user_id } = stored.transfer;
  return {
    screening_id: stored.screeningId,
    revision: stored.revision,
    kind,
    source_id,
    chain,
    coin,
    amount,
    usd_value,
    user_id,
    decided_at: new Date(stored.decidedAt).toISOString(),
    was: { action: stored.action, rule: stored.rule, reason_codes: stored.reasonCodes, policy_hash: stored.policyHash },
    would_be: { action: verdict.action, rule: verdict.rule, reason_codes: verdict.reasonCodes },
  };
}

/** Names one decision, for going on after it. */
export function placeOf({ screeningId, revision }: StoredDecision): string {
  return `${screeningId}/${revision}`;
}
