import { chainNamed } from '../chain-names.ts';
import type { LeftOut, TransferRow } from '../rows.ts';
import { checkColumns, type Columns, orDefault, renamed } from '../source/columns.ts';
import { decimal, index, instant, optional, required } from '../source/fields.ts';
import type { Fields, Format } from '../source/records.ts';
import { writtenAddress, writtenTxid } from '../written.ts';
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
    map: (fields) => toRows(renamed(fields, columns, transferColumns), defaults),
  };
}

function toRows(fields: Fields, defaults: TransferDefaults): readonly TransferRow[] | LeftOut {
  const amount = decimal(fields, 'amount') ?? null;
  const usd_value = decimal(fields, 'usd_value') ?? null;
  // A value that was rounded to zero beside an amount is not zero.
  if (amount === '0' || (amount === null && usd_value === '0')) return 'of no value';
  const chain = chainNamed(orDefault(optional(fields, 'chain'), defaults.chain, 'chain'));
  const txid = optional(fields, 'txid');
  return [
    {
      chain,
      txid: txid === undefined ? null : writtenTxid(chain, txid),
      position:
        optional(fields, 'position') === undefined
          ? derivedPosition([amount, amount === null ? usd_value : null])
          : index(fields, 'position'),
      from_address: writtenAddress(chain, required(fields, 'from_address')),
      to_address: writtenAddress(chain, required(fields, 'to_address')),
      coin: orDefault(optional(fields, 'coin'), defaults.coin, 'coin'),
      amount,
      usd_value,
      time: instant(required(fields, 'time'), 'time'),
      source: orDefault(optional(fields, 'source'), defaults.source, 'source'),
    },
  ];
}
