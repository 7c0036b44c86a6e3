import type { ScreeningDecided } from '@weir/contracts';
import { prepared, type Queryable } from '@weir/postgres';

/** A decision of the audit log whose row says something else. */
export interface UnlikeRow<Logged> {
  readonly logged: Logged;
  /** What the row says; undefined: there is none. */
  readonly action: string | undefined;
}

/** What both have. The evidence is compared by making the decision again. */
const compared = ['action', 'rule', 'reason_codes', 'shadow', 'shadow_policy_hash', 'policy_hash'] as const satisfies (keyof Row)[];

interface Row extends Record<string, unknown> {
  readonly n: number;
  readonly action: string | null;
  readonly rule: string | null;
  readonly reason_codes: readonly string[] | null;
  readonly policy_hash: string | null;
  readonly shadow: string | null;
  readonly shadow_policy_hash: string | null;
  /** Of people, or taken over after a restore: it has no policy. */
  readonly is_bare: boolean;
}

/** Compares logged decisions with their rows. `unknownFields`: those that the version of the event did not have yet. */
export async function findUnlikeRows<Logged extends { readonly decided: ScreeningDecided; readonly unknownFields: readonly string[] }>(
  db: Queryable,
  decisions: readonly Logged[],
): Promise<UnlikeRow<Logged>[]> {
  const { rows } = await db.query<Row>(
    prepared(`SELECT u.n::int AS n, d.action, d.rule, d.reason_codes, d.policy_hash, d.shadow, d.shadow_policy_hash, d.evidence IS NULL AS is_bare
       FROM unnest($1::uuid[], $2::int[]) WITH ORDINALITY AS u(screening_id, revision, n)
       LEFT JOIN decision.decisions d ON d.screening_id = u.screening_id AND d.revision = u.revision ORDER BY u.n`),
    [decisions.map(({ decided }) => decided.screening_id), decisions.map(({ decided }) => decided.revision)],
  );
  return rows.flatMap((row) => {
    const logged = decisions[row.n - 1];
    if (logged === undefined || isLike(logged, row)) return [];
    return [{ logged, action: row.action ?? undefined }];
  });
}

function isLike({ decided, unknownFields }: { decided: ScreeningDecided; unknownFields: readonly string[] }, row: Row): boolean {
  const skipped = row.is_bare ? [...unknownFields, 'policy_hash'] : unknownFields;
  return compared.every((name) => skipped.includes(name) || JSON.stringify(decided[name]) === JSON.stringify(row[name]));
}
