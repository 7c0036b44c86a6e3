import { findCoin, hintForAddress, hintForCoin } from '@weir/chains';
import type { ReasonCode } from '@weir/contracts';
import { type CheckedTransfer, isMalformed, type Malformed } from '@weir/intake';

/** A withdrawal that no chain could execute. Nothing has moved, so the caller corrects it and retries. */
export interface Impossible {
  readonly code: Extract<ReasonCode, 'UNSUPPORTED_COIN' | 'INVALID_TRANSFER'>;
  readonly field: string;
  readonly detail: string;
  readonly hint: string | undefined;
}

/** Checks coin, receiver, amount and memo. */
export function findImpossible(checked: CheckedTransfer | Malformed, memo: string): Impossible | undefined {
  if (isMalformed(checked)) {
    const { field, problem } = checked;
    return ['coin', 'to_address', 'amount'].includes(field) ? invalid(field, `${field} ${problem}`) : undefined;
  }
  const { fault, faultField, faultDetail, given } = checked;
  const coin = findCoin(given.coin);
  if (coin === undefined) {
    return { code: 'UNSUPPORTED_COIN', field: 'coin', detail: faultDetail ?? '', hint: hintForCoin(given.coin, given.chain) };
  }
  if (fault !== null) {
    if (faultField === 'amount') return invalid(faultField, faultDetail ?? '');
    return faultField === 'to_address' ? invalid(faultField, faultDetail ?? '', hintForAddress(coin, given.to_address)) : undefined;
  }
  // A memo names the receiver on chains with shared addresses; no supported chain has them.
  if (memo !== '') return invalid('memo', `memo: ${coin.chain} has none`, 'leave it out');
  return undefined;
}

function invalid(field: string, detail: string, hint?: string): Impossible {
  return { code: 'INVALID_TRANSFER', field, detail, hint };
}
