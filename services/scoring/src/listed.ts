import type { AddressOf, Listing, LocalLists, TransactionOf } from '@weir/chain-store/sanctions';
import type { ScreeningRequested } from '@weir/contracts';
import type { Queryable } from '@weir/postgres';
import { type Result, withoutLevel } from './result.ts';

/**
 * Requests whose counterparty a local sanctions list names now, by the database's clock, with the listings. Rejects when the lists cannot be read.
 */
export async function findListed<R extends ScreeningRequested>(
  tx: Queryable,
  lists: LocalLists,
  requests: readonly R[],
): Promise<Map<R, readonly Listing[]>> {
  const byTxid = requests.flatMap((request) => transactionOf(request).map((of) => ({ request, of })));
  const senders = await lists.sendersOf(
    tx,
    byTxid.map(({ of }) => of),
  );
  const asked = [
    ...requests.flatMap((request) => counterpartiesOf(request).map((of) => ({ request, of }))),
    ...byTxid.flatMap(({ request }, n) => (senders[n] ?? []).map((of) => ({ request, of }))),
  ];
  const found = await lists.find(
    tx,
    asked.map(({ of }) => of),
  );
  const listed = new Map<R, readonly Listing[]>();
  for (const [n, { request }] of asked.entries()) {
    const listings = [...(listed.get(request) ?? []), ...(found[n] ?? [])];
    if (listings.length > 0) listed.set(request, listings);
  }
  return listed;
}

/** The exchange's own address, the receiver of a deposit, is never a counterparty. */
function counterpartiesOf({ kind, chain, subject_type, subject, transfer }: ScreeningRequested): AddressOf[] {
  const known = kind === 'withdrawal' ? [transfer.to_address] : [transfer.from_address, subject_type === 'address' ? subject : null];
  return [...new Set(known)].flatMap((address) => (address === null || address === '' ? [] : [{ chain, address }]));
}

/** The transaction of a deposit: its senders may be known where the caller names none. */
function transactionOf({ kind, chain, transfer: { txid, to_address } }: ScreeningRequested): TransactionOf[] {
  return kind === 'deposit' && txid !== null ? [{ chain, txid, receiver: to_address }] : [];
}

/** Adds the match to a result; `undefined`: there is no result yet. */
export function withMatch(result: Result | undefined, provider: string): Result {
  if (result === undefined) return withoutLevel('UNAVAILABLE', 'LOCAL_SANCTIONS_MATCH', provider);
  return { ...result, reasons: ['LOCAL_SANCTIONS_MATCH', ...result.reasons] };
}
