import type { Queryable } from '@weir/postgres';

/**
 * Erases the withdrawals of these screenings in the transaction, which must not be erased in `intake` yet. A permit keeps its id, state and
 * times under another name, so that a redemption stays known. For the owner of the tables.
 */
export async function eraseWithdrawals(tx: Queryable, screenings: readonly string[]): Promise<void> {
  await tx.query(
    `CREATE TEMPORARY TABLE erased_withdrawals ON COMMIT DROP AS
       SELECT request -> 'transfer' ->> 'source_id' AS id, 'erased:' || screening_id AS name FROM intake.transfers
       WHERE kind = 'withdrawal' AND screening_id = ANY($1::uuid[]) AND NOT request ? 'erased'`,
    [screenings],
  );
  await tx.query(`INSERT INTO gate.withdrawals (withdrawal_id, status, revision, decided_at)
    SELECT e.name, 'blocked', w.revision, w.decided_at FROM erased_withdrawals e JOIN gate.withdrawals w ON w.withdrawal_id = e.id ON CONFLICT DO NOTHING`);
  await tx.query(`UPDATE gate.permits p SET withdrawal_id = e.name, token = '', redemption_id = NULL, state = CASE p.state WHEN 'open' THEN 'revoked' ELSE p.state END
    FROM erased_withdrawals e WHERE p.withdrawal_id = e.id`);
  await tx.query('DELETE FROM gate.withdrawals w USING erased_withdrawals e WHERE w.withdrawal_id = e.id');
  await tx.query('DROP TABLE erased_withdrawals');
}

/** Withdrawals with a permit that can still be redeemed. */
export async function findPermitted(db: Queryable, screenings: readonly string[]): Promise<string[]> {
  const { rows } = await db.query<{ screening_id: string }>(
    `SELECT t.screening_id FROM intake.transfers t JOIN gate.permits p ON p.withdrawal_id = t.request -> 'transfer' ->> 'source_id'
     WHERE t.kind = 'withdrawal' AND t.screening_id = ANY($1::uuid[]) AND p.state = 'open' AND p.expires_at > clock_timestamp()`,
    [screenings],
  );
  return rows.map(({ screening_id }) => screening_id);
}
