import type { Codec, ScreeningDecided } from '@weir/contracts';
import type { Queryable } from '@weir/postgres';
import { toDecision } from './evidence.ts';
import { KeptPolicies } from './policies.ts';
import { readDecisions, type Selection, type StoredDecision } from './stored.ts';

export interface Replay {
  readonly count: number;
  /** Byte for byte as stored, and as published if the event still exists. */
  readonly identical: number;
  /** Compared with the published event itself. */
  readonly published: number;
}

/** Bytes of a record that name its schema. */
const headerBytes = 5;

/**
 * Makes every selected decision again from its stored evidence and policies, and compares the bytes. Calls `on.different` for each that
 * differs.
 */
export async function replay(
  db: Queryable,
  codec: Codec,
  selection: Selection,
  on: { different?(stored: StoredDecision, again: ScreeningDecided): void; page?(count: number): void } = {},
): Promise<Replay> {
  const kept = new KeptPolicies();
  let [count, identical, published] = [0, 0, 0];
  for await (const page of readDecisions(db, { ...selection, withPublished: true })) {
    for (const stored of page) {
      const active = await kept.find(db, stored.policy_hash);
      const shadow = stored.shadow_policy_hash === null ? null : await kept.find(db, stored.shadow_policy_hash);
      const again = toDecision({ active, shadow }, stored);
      const bytes = codec.encode('screenings.decided', again);
      const record = comparable(stored.published, bytes);
      if (record !== undefined) published += 1;
      const isAsStored = bytes.equals(codec.encode('screenings.decided', asStored(stored, again)));
      if (isAsStored && (record === undefined || bytes.equals(record))) identical += 1;
      else on.different?.(stored, again);
    }
    count += page.length;
    on.page?.(count);
  }
  return { count, identical, published };
}

/** Another schema version has other bytes for the same decision. */
function comparable(published: Buffer | null, bytes: Buffer): Buffer | undefined {
  const isSameSchema = published?.subarray(0, headerBytes).equals(bytes.subarray(0, headerBytes)) === true;
  return published !== null && isSameSchema ? published : undefined;
}

/** The decision as its columns store it. */
function asStored(stored: StoredDecision, again: ScreeningDecided): ScreeningDecided {
  return {
    ...again,
    action: stored.action,
    rule: stored.rule,
    reason_codes: stored.reason_codes,
    shadow: stored.shadow,
  };
}
