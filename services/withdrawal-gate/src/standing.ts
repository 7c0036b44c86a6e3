import type { Action, ScreeningDecided, WithdrawalRequested } from '@weir/contracts';
import { PoisonRecord } from '@weir/event-log';
import type { Migration, Queryable } from '@weir/postgres';

/** What a withdrawal may do: nothing until it is `allowed`. */
type WithdrawalStatus = 'pending' | 'allowed' | 'held' | 'blocked';

const statusOf: Readonly<Record<Action, WithdrawalStatus>> = { allow: 'allowed', review: 'held', block: 'blocked' };

export const gateMigrations: readonly Migration[] = [
  {
    id: 'gate/0001-withdrawals',
    sql: `
      CREATE SCHEMA gate;
      CREATE TABLE gate.withdrawals (
        withdrawal_id text PRIMARY KEY,
        status text NOT NULL CHECK (status IN ('pending', 'allowed', 'held', 'blocked')),
        revision integer NOT NULL DEFAULT 0);`,
  },
];

/** A withdrawal that was asked for waits until it is decided. */
export async function holdBack(db: Queryable, requests: readonly WithdrawalRequested[]): Promise<void> {
  await db.query(
    `INSERT INTO gate.withdrawals (withdrawal_id, status)
     SELECT u.id, 'pending' FROM unnest($1::text[]) AS u(id) ORDER BY u.id COLLATE "C" ON CONFLICT DO NOTHING`,
    [[...new Set(requests.map((request) => request.withdrawal_id))]],
  );
}

/** The latest revision is the one in force, in whatever order decisions arrive. Throws `PoisonRecord` for what no database could hold. */
export async function apply(db: Queryable, decisions: readonly ScreeningDecided[]): Promise<void> {
  const latest = new Map<string, ScreeningDecided>();
  for (const decided of decisions.filter((candidate) => candidate.kind === 'withdrawal')) {
    const before = latest.get(decided.transfer.source_id);
    if (before === undefined || before.revision < decided.revision) latest.set(decided.transfer.source_id, decided);
  }
  const rows = [...latest.values()];
  if (rows.some((row) => row.transfer.source_id.includes('\0'))) throw new PoisonRecord('INVALID_DECISION', 'source_id holds a NUL');
  await db.query(
    `INSERT INTO gate.withdrawals AS w (withdrawal_id, status, revision)
     -- One order for all, so that two who write the same rows do not wait for each other.
     SELECT u.id, u.status, u.revision FROM unnest($1::text[], $2::text[], $3::int[]) AS u(id, status, revision) ORDER BY u.id COLLATE "C"
     ON CONFLICT (withdrawal_id) DO UPDATE SET status = excluded.status, revision = excluded.revision WHERE w.revision < excluded.revision`,
    [rows.map((row) => row.transfer.source_id), rows.map((row) => statusOf[row.action]), rows.map((row) => row.revision)],
  );
}
