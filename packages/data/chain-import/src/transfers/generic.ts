import { chainNamed } from '../chain-names.ts';
import type { LeftOut, TransferRow } from '../rows.ts';
import { checkColumns, type Columns, orDefault, renamed } from '../source/columns.ts';
import { decimal, index, instant, optional, required } from '../source/fields.ts';
import type { Fields, Format } from '../source/records.ts';
import { writtenAddress, writtenTxid } from '../written.ts';
import { EqualRows } from './equal-rows.ts';
import { derivedPosition } from './position.ts';

/** Values for absent cells. */
export interface TransferDefaults {
  readonly chain?: string;
  readonly coin?: string;
  readonly source: string;
}

export const transferColumns = [
  'chain',
  'txid',
  'position',
  'from_address',
  'to_address',
  'coin',
  'amount',
  'usd_value',
  'time',
  'source',
] as const;

/** Reads Weir's own columns, or others by `columns`. */
export function transferFormat(columns: Columns, defaults: TransferDefaults): Format<TransferRow> {
  const needed = ['chain', 'from_address', 'to_address', 'coin', 'time'].filter((name) => !Object.hasOwn(defaults, name));
  return {
    checkHeader: (found) => checkColumns(found, columns, needed),
    begin: () => {
      const equal = new EqualRows();
      return (fields) => toRows(renamed(fields, columns, transferColumns), defaults, equal);
    },
  };
}

function toRows(fields: Fields, defaults: TransferDefaults, equal: EqualRows): readonly TransferRow[] | LeftOut {
  const amount = decimal(fields, 'amount') ?? null;
  const usd_value = decimal(fields, 'usd_value') ?? null;
  // A value that was rounded to zero beside an amount is not zero.
  if (amount === '0' || (amount === null && usd_value === '0')) return 'of no value';
  const chain = chainNamed(orDefault(optional(fields, 'chain'), defaults.chain, 'chain'));
  const txid = optional(fields, 'txid');
  const row = {
    chain,
    txid: txid === undefined ? null : writtenTxid(chain, txid),
    from_address: writtenAddress(chain, required(fields, 'from_address')),
    to_address: writtenAddress(chain, required(fields, 'to_address')),
    coin: orDefault(optional(fields, 'coin'), defaults.coin, 'coin'),
    amount,
    usd_value,
    time: instant(required(fields, 'time'), 'time'),
    source: orDefault(optional(fields, 'source'), defaults.source, 'source'),
  };
  const position = optional(fields, 'position') === undefined ? positionOf(row, equal) : index(fields, 'position');
  return [{ ...row, position }];
}

/** By what identifies a stored transfer: without a transaction that is the time and the source too. */
function positionOf(row: Omit<TransferRow, 'position'>, equal: EqualRows): number {
  const { chain, txid, from_address, to_address, coin, amount, usd_value, time, source } = row;
  const size = [amount, amount === null ? usd_value : null];
  const place = txid === null ? [time, source] : [txid];
  return derivedPosition(size, equal.before([chain, from_address, to_address, coin, ...size, ...place]));
}
