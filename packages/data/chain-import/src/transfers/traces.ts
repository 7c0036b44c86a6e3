import type { LeftOut, TransferRow } from '../rows.ts';
import { index, optional, required, Unusable, units } from '../source/fields.ts';
import type { Fields } from '../source/records.ts';
import { internalPosition, nativePosition } from './position.ts';
import { nativeRows, succeeded, timeOf } from './rows.ts';
import type { Scope } from './scope.ts';

/** The position of a trace below its transaction; the same for every source that numbers calls as `trace_block` does. */
export function tracePosition(address: readonly number[]): number {
  return address.length === 0 ? nativePosition : internalPosition(address, ['trace', ...address]);
}

/** Calls that ran another's code as their own, or could not pay, have a value too. */
const payingCalls = new Set(['call', '']);
const payingTypes = new Set(['call', 'create', 'create2', 'suicide', 'selfdestruct']);

/** Traces of ethereum-etl. The first trace of a transaction is the transaction's own payment, which its table has too. */
export function traceTable(scope: Scope): (fields: Fields) => readonly TransferRow[] | LeftOut {
  const calls = new CallTree();
  return (fields) => {
    const type = required(fields, 'trace_type').toLowerCase();
    // Rewards and the first allocation belong to no transaction.
    if (!payingTypes.has(type)) return 'no transfer';
    const address = traceAddress(fields['trace_address']);
    if (hasFailed(fields, address, calls)) return 'failed';
    if (type === 'call' && !payingCalls.has(optional(fields, 'call_type')?.toLowerCase() ?? '')) return 'no transfer';
    if (optional(fields, 'value') === undefined || units(fields, 'value') === 0n) return 'of no value';
    const txid = txidOf(scope, fields);
    if (scope.failed?.(txid) === true) return 'failed';
    return nativeRows(scope, {
      txid,
      from: required(fields, 'from_address'),
      to: required(fields, 'to_address'),
      value: units(fields, 'value'),
      time: timeOf(scope, fields),
      position: tracePosition(address),
    });
  };
}

/** As a list, or as text: `0,1`, `[0, 1]` or `{0,1}`. */
function traceAddress(value: unknown): number[] {
  const text = typeof value === 'string' ? value : JSON.stringify(value ?? []);
  const parts = text.match(/[^\s,_[\]{}"]+/g) ?? [];
  const address = parts.map((part) => (/^\d{1,9}$/.test(part) ? Number(part) : Number.NaN));
  if (address.some(Number.isNaN)) throw new Unusable('trace_address is no list of whole numbers');
  return address;
}

/** Traces of geth name the transaction by its place in the block alone. */
function txidOf(scope: Scope, fields: Fields): string {
  const txid = optional(fields, 'transaction_hash', 'tx_hash');
  if (txid !== undefined) return txid;
  const found = scope.txidAt?.(index(fields, 'block_number'), index(fields, 'transaction_index'));
  if (found === undefined) throw new Unusable('transaction_hash is missing, and no file of transactions gives it');
  return found;
}

/** `status` covers the calls above. Without it they must have come before, as in the order of execution. */
function hasFailed(fields: Fields, address: readonly number[], calls: CallTree): boolean {
  if (optional(fields, 'status') !== undefined) return !succeeded(fields, 'status');
  const transaction =
    optional(fields, 'transaction_hash', 'tx_hash') ?? `${required(fields, 'block_number')} ${required(fields, 'transaction_index')}`;
  return calls.fails(transaction, address, optional(fields, 'error') !== undefined);
}

/** The calls of the transaction that is read: a call below a failed one moved nothing. */
class CallTree {
  #transaction = '';
  #failed = new Map<string, boolean>();

  fails(transaction: string, address: readonly number[], hasError: boolean): boolean {
    if (transaction !== this.#transaction) [this.#transaction, this.#failed] = [transaction, new Map()];
    const above = address.length === 0 ? false : this.#failed.get(address.slice(0, -1).join());
    if (above === undefined) throw new Unusable('status is missing, and the call above does not stand before');
    this.#failed.set(address.join(), above || hasError);
    return above || hasError;
  }
}
