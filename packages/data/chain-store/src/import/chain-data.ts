import type { Queryable } from '@weir/postgres';

/** Counts a batch of labels from its temporary tables. Known labels also count as freshly imported. */
export async function recordLabels(tx: Queryable): Promise<void> {
  await tx.query(`
    INSERT INTO chain.chain_data AS d (chain, labels, labels_imported_at)
    SELECT g.chain, coalesce(s.added, 0), now() FROM (SELECT DISTINCT chain FROM pg_temp.given_labels) g
    LEFT JOIN (SELECT chain, count(*) FILTER (WHERE is_new) AS added FROM pg_temp.stored_labels GROUP BY chain) s ON s.chain = g.chain
    ORDER BY g.chain
    ON CONFLICT (chain) DO UPDATE SET labels = d.labels + excluded.labels, labels_imported_at = excluded.labels_imported_at`);
}

/** Counts new transfers from their changes. */
export async function recordTransfers(tx: Queryable, changes: string): Promise<void> {
  await tx.query(`
    INSERT INTO chain.chain_data AS d (chain, transfers, internal_transfers, newest_transfer_at)
    SELECT chain, sum(transfers), sum(internal), max(at) FROM ${changes} GROUP BY chain ORDER BY chain
    ON CONFLICT (chain) DO UPDATE SET transfers = d.transfers + excluded.transfers,
      internal_transfers = d.internal_transfers + excluded.internal_transfers,
      newest_transfer_at = greatest(d.newest_transfer_at, excluded.newest_transfer_at)`);
}

/** A repeated import of the same labels makes them recent. */
export async function confirmLabels(db: Queryable, runKey: string): Promise<void> {
  await db.query(
    `UPDATE chain.chain_data SET labels_imported_at = now()
     WHERE chain IN (SELECT unnest(chains) FROM chain.import_runs WHERE key = $1)`,
    [runKey],
  );
}
