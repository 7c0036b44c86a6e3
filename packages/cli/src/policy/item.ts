import type { Compared, StoredDecision } from '@weir/decision';
import { note } from '../output.ts';

/** One transfer, with another policy's verdict. A review resolves `screening_id` and `revision`. */
export function itemOf({ stored, verdict }: Compared): object {
  const { kind, source_id, chain, coin, amount, usd_value, user_id } = stored.transfer;
  return {
    screening_id: stored.screening_id,
    revision: stored.revision,
    kind,
    source_id,
    chain,
    coin,
    amount,
    usd_value,
    user_id,
    decided_at: new Date(stored.decided_at).toISOString(),
    was: { action: stored.action, rule: stored.rule, reason_codes: stored.reason_codes, policy_hash: stored.policy_hash },
    would_be: { action: verdict.action, rule: verdict.rule, reason_codes: verdict.reason_codes },
  };
}

/** Reports how many decisions have no stored evidence. */
export function noteOlder(count: number): void {
  if (count > 0) note(`${count} decisions of that time are not among them: they are older than Weir's keeping of what they were made on.`);
}

/** The cursor of a decision. */
export function placeOf({ screening_id, revision }: StoredDecision): string {
  return `${screening_id}/${revision}`;
}
