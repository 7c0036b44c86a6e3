import { hintForAddress, hintForCoin, readCoin } from '@weir/chains';
import type { TransferFault } from '@weir/contracts';
import type { CheckedTransfer } from '@weir/intake';
import type { InputProblem } from '@weir/service-kit';

/** A withdrawal that no chain could execute. Nothing has moved, so the caller corrects it and retries. */
export interface Impossible {
  readonly code: TransferFault;
  readonly problems: readonly InputProblem[];
}

/** Fields whose text makes a withdrawal impossible, whatever it is. */
const judged = ['coin', 'to_address', 'amount', 'memo'];

/** Whether the body is a withdrawal, only of a coin, receiver, amount or memo that cannot be. */
export function isImpossible(problems: readonly InputProblem[], given: Readonly<Record<string, unknown>>): boolean {
  return problems.every(({ field }) => judged.includes(field) && typeof given[field] === 'string');
}

/** Checks coin, receiver, amount and memo. Undefined for a withdrawal under another chain's name, which is malformed. */
export function findImpossible({ faults, given }: CheckedTransfer): Impossible | undefined {
  const coin = readCoin(given.coin, given.chain);
  if (coin === undefined) {
    const hint = hintForCoin(given.coin, given.chain);
    return { code: 'UNSUPPORTED_COIN', problems: faults.map((fault) => withHint(fault, hint)) };
  }
  const found = faults.filter(({ field }) => judged.includes(field));
  const problems = found.map((fault) =>
    withHint(fault, fault.field === 'to_address' ? hintForAddress(coin, given.to_address) : fault.hint),
  );
  return problems.length === 0 ? undefined : { code: 'INVALID_TRANSFER', problems };
}

function withHint({ field, detail }: InputProblem, hint: string | undefined): InputProblem {
  return { field, detail, ...(hint !== undefined && { hint }) };
}
