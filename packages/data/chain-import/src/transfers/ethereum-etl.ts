import type { LeftOut, TransferRow } from '../rows.ts';
import { index, optional, required, units } from '../source/fields.ts';
import type { Fields, Format } from '../source/records.ts';
import { logPosition } from './position.ts';
import { logRows, nativeRows, succeeded, takenBack, timeOf, tokenRows, topicsOf } from './rows.ts';
import type { Scope } from './scope.ts';
import { tablesFormat } from './tables.ts';
import { traceTable } from './traces.ts';

/** For every EVM chain. Columns: https://ethereum-etl.readthedocs.io/en/latest/schema/ */
export function ethereumEtlFormat(scope: Scope, table?: string): Format<TransferRow> {
  const tables = tablesOf(scope, table);
  return { checkHeader: (columns) => tables.checkHeader?.(columns), begin: () => tablesOf(scope, table).map };
}

function tablesOf(scope: Scope, table: string | undefined): ReturnType<typeof tablesFormat> {
  return tablesFormat(
    {
      transactions: {
        is: (has) => has('hash') && has('from_address') && has('value'),
        map: (fields) => transaction(scope, fields),
      },
      token_transfers: {
        is: (has) => has('token_address') && has('from_address') && has('log_index'),
        map: (fields) => tokenTransfer(scope, fields),
      },
      logs: {
        is: (has) => has('log_index') && has('data') && (has('topics') || has('topic0')),
        map: (fields) => log(scope, fields),
      },
      traces: {
        is: (has) => has('trace_type') && has('trace_address') && has('value'),
        map: traceTable(scope),
      },
    },
    table,
  );
}

/** A transaction without a receiver creates a contract, which gets the value. */
function transaction(scope: Scope, fields: Fields): readonly TransferRow[] | LeftOut {
  if (!succeeded(fields, 'receipt_status', 'status')) return 'failed';
  const value = units(fields, 'value');
  if (value === 0n) return 'of no value';
  const txid = required(fields, 'hash', 'transaction_hash');
  if (scope.failed?.(txid) === true) return 'failed';
  return nativeRows(scope, {
    txid,
    from: required(fields, 'from_address'),
    to: required(fields, 'to_address', 'receipt_contract_address'),
    value,
    time: timeOf(scope, fields),
  });
}

function tokenTransfer(scope: Scope, fields: Fields): readonly TransferRow[] | LeftOut {
  return tokenRows(scope, {
    txid: required(fields, 'transaction_hash'),
    from: required(fields, 'from_address'),
    to: required(fields, 'to_address'),
    contract: required(fields, 'token_address'),
    value: units(fields, 'value'),
    time: timeOf(scope, fields),
    position: logPosition(index(fields, 'log_index')),
  });
}

function log(scope: Scope, fields: Fields): readonly TransferRow[] | LeftOut {
  if (takenBack(fields)) return 'no transfer';
  const entry = {
    txid: required(fields, 'transaction_hash'),
    contract: required(fields, 'address'),
    topics: topicsOf(fields),
    data: optional(fields, 'data') ?? '',
    logIndex: index(fields, 'log_index'),
  };
  return logRows(scope, entry, () => timeOf(scope, fields));
}
