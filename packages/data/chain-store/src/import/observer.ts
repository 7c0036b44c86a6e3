import type { Queryable } from '@weir/postgres';

/** Runs in the transaction of each batch that changed something, as its last statements. */
export interface ImportObserver {
  /** `pg_temp.stored_labels` has the new and corrected labels: chain, address, category, valid_from, valid_to. */
  labelsStored(tx: Queryable): Promise<void>;
  /** `pg_temp.transfer_changes` has the new and raised transfers: chain, txid, from_address, to_address, and what `changesFlows` reads. */
  transfersStored(tx: Queryable): Promise<void>;
}

/** SQL condition: the row of `pg_temp.transfer_changes` changed the flows of its two addresses. */
export const changesFlows = '(dealings <> 0 OR unknown_dealings <> 0 OR usd <> 0) AND from_address <> to_address';
