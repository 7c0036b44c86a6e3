import type { Queryable } from '@weir/postgres';

/** Erases these screenings in the transaction, with cached results of their subjects. Their ids stay, so that a repeat is not scored. For the owner. */
export async function eraseScored(tx: Queryable, screenings: readonly string[]): Promise<void> {
  await tx.query(
    `DELETE FROM scoring.results r USING (
       SELECT DISTINCT request ->> 'chain' AS chain, s.subject FROM scoring.screenings
       CROSS JOIN LATERAL (VALUES (request ->> 'subject'), (counterparty)) AS s(subject) WHERE screening_id = ANY($1::uuid[])) AS own
     WHERE r.chain = own.chain AND r.subject = own.subject`,
    [screenings],
  );
  await tx.query('DELETE FROM scoring.comparisons WHERE screening_id = ANY($1::uuid[])', [screenings]);
  await tx.query(
    `UPDATE scoring.screenings SET request = '{"erased": true}', lookup_id = NULL, state = 'answered', unknown_transaction = NULL, counterparty = NULL
     WHERE screening_id = ANY($1::uuid[])`,
    [screenings],
  );
}
