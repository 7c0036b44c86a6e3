import { unwatchAddresses, watchAddresses, type WatchedAddress } from '@weir/chain-store';
import type { Chain } from '@weir/chains';
import { depositBody } from '@weir/intake';
import { type Pool, type Queryable, transaction } from '@weir/postgres';
import { type NewActivity, recordActivity } from '@weir/service-kit';

/** Who watches an address, and when; for the audit log. */
export type Act = Pick<NewActivity, 'by' | 'at'>;

/** The customer of an address, as a deposit names one; null: none. */
export const customerId = depositBody.shape.user_id;

/** Rows of a statement. */
const rowsAtOnce = 10_000;

/** All of a chain or none. Returns how many were not watched before; only those are an act. */
export function watch(db: Pool, addresses: readonly WatchedAddress[], act: Act): Promise<number> {
  return transaction(db, async (tx) => {
    let added = 0;
    for (let at = 0; at < addresses.length; at += rowsAtOnce) added += await watchAddresses(tx, addresses.slice(at, at + rowsAtOnce));
    const [first] = addresses;
    if (first !== undefined && added > 0) await record(tx, 'addresses_watched', first.chain, added, act);
    return added;
  });
}

/** Returns how many were watched. Deposits that were announced stay. */
export function unwatch(db: Pool, chain: Chain, addresses: readonly string[], act: Act): Promise<number> {
  return transaction(db, async (tx) => {
    const removed = await unwatchAddresses(tx, chain, addresses);
    if (removed > 0) await record(tx, 'addresses_unwatched', chain, removed, act);
    return removed;
  });
}

function record(tx: Queryable, action: 'addresses_watched' | 'addresses_unwatched', chain: Chain, count: number, act: Act): Promise<void> {
  return recordActivity(tx, { action, subjectType: 'chain', subject: chain, details: { addresses: String(count) }, ...act });
}
