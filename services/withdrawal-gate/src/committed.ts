import { screeningId } from '@weir/contracts';
import { prepared, type Queryable } from '@weir/postgres';
import { GateUnavailable } from './availability.ts';
import { type Applied, applyIn, type Decision, nothingApplied } from './standing.ts';

/** Applies committed decisions about a withdrawal that the gate has not read yet. The caller holds the lock of its row. */
export async function applyCommitted(tx: Queryable, withdrawalId: string, revision: number): Promise<Applied> {
  const { rows } = await tx.query<Decision & Record<string, unknown>>(
    prepared('SELECT screening_id, revision, kind, action, decided_at, transfer, reason_codes, rule FROM gate.later_decisions($1, $2)'),
    [screeningId('withdrawal', withdrawalId), revision],
  );
  for (const decision of rows) requireAsked(decision, withdrawalId);
  return rows.length > 0 ? applyIn(tx, rows) : nothingApplied;
}

/** The screening's id derives from the withdrawal, so its transfer must be that withdrawal. */
function requireAsked({ kind, transfer }: Decision, withdrawalId: string): void {
  if (kind !== 'withdrawal' || transfer.kind !== kind || transfer.source_id !== withdrawalId)
    throw new GateUnavailable('a later decision is stored under the screening of another transfer');
}
