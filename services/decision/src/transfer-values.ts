import { compareAmounts, parseAmount } from '@weir/chains';
import type { Policy } from '@weir/policy';
import { prepared, type Queryable } from '@weir/postgres';
import { type Cause, isMachine } from './causes.ts';
import { reasonsOf, valueOf } from './evidence.ts';
import type { ScreeningRow } from './screening-store.ts';

/**
 * History counts a transfer at the larger of its declared value and its known price. Without an answer about the price the declared value
 * proves nothing, so the value is unknown until a result has one.
 */
export async function storeValues(
  tx: Queryable,
  policy: Policy,
  causes: readonly Cause[],
  rows: ReadonlyMap<string, ScreeningRow>,
): Promise<void> {
  // Null: unknown.
  const values = new Map<string, string | null>();
  for (const cause of causes) {
    const row = rows.get(cause.event.screening_id);
    if (!isMachine(cause) || row === undefined || row.transfer.user_id === null) continue;
    const { screening_id, transfer, requested_at, revision } = row;
    const scored = cause.kind === 'scored' ? cause.event : undefined;
    const declared = transfer.usd_value === null ? undefined : parseAmount(transfer.usd_value);
    const known = scored === undefined ? undefined : valueOf(policy, transfer, scored, requested_at);
    const isUnverified = known === undefined && reasonsOf(scored, transfer).includes('PRICE_UNAVAILABLE');
    const before = values.get(screening_id);
    if (isUnverified) values.set(screening_id, before ?? null);
    else if (known !== undefined && (declared === undefined || compareAmounts(known, declared) > 0)) values.set(screening_id, known);
    // An earlier result may have made the declared value unknown.
    else if (declared !== undefined && (revision > 0 || before === null)) values.set(screening_id, declared);
  }
  if (values.size === 0) return;
  await tx.query(
    prepared(`UPDATE decision.transfers t SET usd_value = CASE WHEN u.value IS NOT NULL THEN greatest(t.usd_value, u.value) END
     FROM unnest($1::uuid[], $2::numeric[]) AS u(id, value)
     WHERE t.screening_id = u.id AND t.usd_value IS DISTINCT FROM CASE WHEN u.value IS NOT NULL THEN greatest(t.usd_value, u.value) END
       -- A value that an earlier result verified stays.
       AND (u.value IS NOT NULL OR NOT EXISTS (SELECT FROM decision.decisions d
         WHERE d.screening_id = u.id AND NOT d.evidence::jsonb->'reasons' ? 'PRICE_UNAVAILABLE'))`),
    [[...values.keys()], [...values.values()]],
  );
}
