import type { LeftOut, TransferRow } from '../rows.ts';
import { index, optional, required, units } from '../source/fields.ts';
import type { Fields, Format } from '../source/records.ts';
import { internalPosition, logPosition } from './position.ts';
import { logRows, nativeRows, succeeded, takenBack, timeOf, tokenRows, topicsOf } from './rows.ts';
import type { Scope } from './scope.ts';
import { tablesFormat } from './tables.ts';

/**
 * Contract types (TRON's core/Tron.proto) that move TRX from sender to receiver: a transfer, a contract's creation (30) or call (31).
 * Type 2 moves a TRC-10 token; votes, stakes and rewards (13) are no transfers.
 */
const paysTrx = new Set([1, 30, 31]);

/** Of one row of each table. */
export function tronTables(scope: Scope) {
  return {
    transfer: (fields: Fields) => transfer(scope, fields),
    internal: (fields: Fields) => internal(scope, fields),
    log: (fields: Fields) => log(scope, fields),
  };
}

/** Addresses may be in base58, or in hex with or without the leading 41. */
export function tronEtlFormat(scope: Scope, table?: string): Format<TransferRow> {
  return tablesFormat(
    {
      transactions: {
        is: (has) => (has('tx_hash') || has('hash')) && has('from_address') && has('transaction_type') && !has('token_address'),
        map: (fields) => transaction(scope, fields),
      },
      transfers: {
        is: (has) => has('transaction_hash') && has('from_address') && has('token_address') && has('value'),
        map: (fields) => transfer(scope, fields),
      },
      internal_transactions: {
        is: (has) => has('caller_address') && has('call_value'),
        map: (fields) => internal(scope, fields),
      },
      logs: {
        is: (has) => has('log_index') && has('data') && (has('topics') || has('topic0')),
        map: (fields) => log(scope, fields),
      },
    },
    table,
  );
}

function transaction(scope: Scope, fields: Fields): readonly TransferRow[] | LeftOut {
  if (!paysTrx.has(index(fields, 'transaction_type'))) return 'no transfer';
  if (!succeeded(fields, 'receipt_status')) return 'failed';
  const value = units(fields, 'value');
  if (value === 0n) return 'of no value';
  return nativeRows(scope, {
    txid: required(fields, 'tx_hash', 'hash'),
    from: required(fields, 'from_address'),
    to: required(fields, 'to_address', 'receipt_contract_address'),
    value,
    time: timeOf(scope, fields),
  });
}

/** Without a token it is TRX, with a number a TRC-10 token, else a contract. Without a sender it is a reward. */
function transfer(scope: Scope, fields: Fields): readonly TransferRow[] | LeftOut {
  if (!succeeded(fields, 'status')) return 'failed';
  const from = optional(fields, 'from_address');
  if (from === undefined) return 'no transfer';
  const type = optional(fields, 'transaction_type');
  const token = optional(fields, 'token_address');
  if (token === undefined && type !== undefined && !paysTrx.has(Number(type))) return 'no transfer';
  const move = {
    txid: required(fields, 'transaction_hash'),
    from,
    to: required(fields, 'to_address'),
    value: units(fields, 'value'),
    time: timeOf(scope, fields),
  };
  if (token === undefined) return nativeRows(scope, move);
  if (/^\d{1,9}$/.test(token)) return trc10Rows(scope, move, token);
  return tokenRows(scope, { ...move, contract: token, position: logPosition(index(fields, 'log_index')) });
}

/** A contract's payment within a transaction. `rejected` covers the calls above. */
function internal(scope: Scope, fields: Fields): readonly TransferRow[] | LeftOut {
  if (optional(fields, 'rejected')?.toLowerCase() === 'true') return 'failed';
  if (optional(fields, 'call_value') === undefined || units(fields, 'call_value') === 0n) return 'of no value';
  const place = [index(fields, 'internal_index', 'trace_index'), optional(fields, 'call_info_index') ?? '0'] as const;
  const position = internalPosition([place[0]], ['tron', ...place]);
  const move = {
    txid: required(fields, 'transaction_hash', 'tx_hash'),
    from: required(fields, 'caller_address'),
    to: required(fields, 'transferTo_address', 'transferto_address'),
    value: units(fields, 'call_value'),
    time: timeOf(scope, fields),
    position,
  };
  const token = optional(fields, 'call_token_id');
  if (token === undefined || token === '0') return nativeRows(scope, move);
  return trc10Rows(scope, move, token);
}

/** TRC-10 tokens are named by number; their decimals are unknown here. */
function trc10Rows(scope: Scope, move: Parameters<typeof nativeRows>[1], token: string): readonly TransferRow[] | LeftOut {
  const rows = nativeRows(scope, move);
  if (typeof rows === 'string') return rows;
  return rows.map((row) => ({ ...row, coin: `TRC10-${token}`, amount: null }));
}

function log(scope: Scope, fields: Fields): readonly TransferRow[] | LeftOut {
  if (takenBack(fields)) return 'no transfer';
  const entry = {
    txid: required(fields, 'tx_hash', 'transaction_hash'),
    contract: required(fields, 'address'),
    topics: topicsOf(fields),
    data: optional(fields, 'data') ?? '',
    logIndex: index(fields, 'log_index'),
  };
  return logRows(scope, entry, () => timeOf(scope, fields));
}
