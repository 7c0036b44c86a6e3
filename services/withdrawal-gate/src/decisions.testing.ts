import type { ScreeningDecided } from '@weir/contracts';
import type { Queryable } from '@weir/postgres';

/** The columns of decision's view that the gate reads. */
export async function createDecisions(owner: Queryable): Promise<void> {
  await owner.query(`CREATE SCHEMA decision; CREATE TABLE decision.decided (
    screening_id uuid NOT NULL, revision integer NOT NULL, kind text NOT NULL, action text NOT NULL, decided_at timestamptz NOT NULL,
    transfer jsonb NOT NULL, reason_codes jsonb NOT NULL, rule text, PRIMARY KEY (screening_id, revision));
    GRANT USAGE ON SCHEMA decision TO PUBLIC; GRANT SELECT ON decision.decided TO PUBLIC`);
}

/** Commits decisions that no topic has yet. */
export async function putDecisions(owner: Queryable, ...decisions: readonly ScreeningDecided[]): Promise<void> {
  for (const { screening_id, revision, kind, action, decided_at, transfer, reason_codes, rule } of decisions)
    await owner.query('INSERT INTO decision.decided VALUES ($1, $2, $3, $4, to_timestamp($5 / 1000.0), $6, $7, $8)', [
      screening_id,
      revision,
      kind,
      action,
      decided_at,
      JSON.stringify(transfer),
      JSON.stringify(reason_codes),
      rule,
    ]);
}
