import type { LeftOut, TransferRow } from '../rows.ts';
import { index, instant, optional, required, Unusable, units } from '../source/fields.ts';
import type { Fields, Format } from '../source/records.ts';
import { EqualRows } from './equal-rows.ts';
import { derivedPosition, internalPosition, logPosition } from './position.ts';
import { nativeRows, succeeded, tokenRows } from './rows.ts';
import type { Scope } from './scope.ts';

/** More decimals than any coin has. */
const mostDecimals = 60;

/**
 * Lists of Etherscan's API (`txlist`, `txlistinternal`, `tokentx`), distinguished by their fields:
 * https://docs.etherscan.io/api-endpoints/accounts
 */
export function etherscanFormat(scope: Scope): Format<TransferRow> {
  return {
    document: true,
    begin: () => {
      const equal = new EqualRows();
      return (fields) => {
        if (optional(fields, 'tokenID') !== undefined) return 'no transfer';
        if (Object.hasOwn(fields, 'tokenDecimal')) return tokenMove(scope, fields, equal);
        return Object.hasOwn(fields, 'traceId') || isCallType(fields) ? internal(scope, fields, equal) : transaction(scope, fields);
      };
    },
  };
}

const isCallType = (fields: Fields): boolean => Object.hasOwn(fields, 'type') && !Object.hasOwn(fields, 'nonce');

function transaction(scope: Scope, fields: Fields): readonly TransferRow[] | LeftOut {
  if (hasFailed(fields)) return 'failed';
  const value = units(fields, 'value');
  return value === 0n ? 'of no value' : nativeRows(scope, { ...endsOf(fields), value });
}

/** A contract's payment within a transaction. A delegate call has a value but pays nothing. */
function internal(scope: Scope, fields: Fields, equal: EqualRows): readonly TransferRow[] | LeftOut {
  if (hasFailed(fields)) return 'failed';
  if (/^(delegatecall|callcode|staticcall)$/i.test(optional(fields, 'type') ?? '')) return 'no transfer';
  const value = units(fields, 'value');
  if (value === 0n) return 'of no value';
  const ends = endsOf(fields);
  const place = optional(fields, 'traceId');
  const position =
    place === undefined
      ? unplacedInternal(ends.txid, [ends.from, ends.to, String(value)], equal)
      : internalPosition([Number(/^\d+/.exec(place)?.[0] ?? 0)], ['internal', place]);
  return nativeRows(scope, { ...ends, value, position });
}

/** Most explorers omit the log index. */
function tokenMove(scope: Scope, fields: Fields, equal: EqualRows): readonly TransferRow[] | LeftOut {
  const value = units(fields, 'value');
  if (value === 0n) return 'of no value';
  const ends = endsOf(fields);
  const contract = required(fields, 'contractAddress');
  const log = optional(fields, 'logIndex');
  const position =
    log === undefined
      ? unplaced(ends.txid, ['token', contract, ends.from, ends.to, String(value)], equal)
      : logPosition(index(fields, 'logIndex'));
  return tokenRows(scope, { ...ends, contract, value, position, ...decimalsOf(fields) });
}

function unplacedInternal(txid: string, content: readonly string[], equal: EqualRows): number {
  return internalPosition([], ['internal', ...content, equal.before([txid, 'internal', ...content])]);
}

function unplaced(txid: string, content: readonly string[], equal: EqualRows): number {
  return derivedPosition(content, equal.before([txid, ...content]));
}

function decimalsOf(fields: Fields): { decimals?: number } {
  if (optional(fields, 'tokenDecimal') === undefined) return {};
  const decimals = index(fields, 'tokenDecimal');
  if (decimals > mostDecimals) throw new Unusable('tokenDecimal is larger than any can be');
  return { decimals };
}

function endsOf(fields: Fields): { txid: string; from: string; to: string; time: string } {
  return {
    txid: required(fields, 'hash', 'transactionHash'),
    from: required(fields, 'from'),
    to: required(fields, 'to', 'contractAddress'),
    time: instant(required(fields, 'timeStamp'), 'timeStamp'),
  };
}

const hasFailed = (fields: Fields): boolean => optional(fields, 'isError') === '1' || !succeeded(fields, 'txreceipt_status');
