import { createHash } from 'node:crypto';
import { type Chain, chains, parseAddress, parseTxid } from '@weir/chains';
import type { CoSpend, LabelRow, SourceKind, TransferRow } from './rows.ts';
import { parseInstant } from './time.ts';

/** A checked label: addresses normalised, times parsed. */
export interface Label {
  readonly chain: Chain;
  readonly address: string;
  readonly name: string;
  readonly category: string;
  readonly source: string;
  readonly valid_from: Date | null;
  readonly valid_to: Date | null;
  readonly confidence: number;
  readonly source_kind: SourceKind;
  readonly authority: string | null;
}

export interface Transfer {
  readonly chain: Chain;
  /** The chain's own id, or `derived:` and a hash of the row for a source without one. */
  readonly txid: string;
  readonly position: number;
  readonly from_address: string;
  readonly to_address: string;
  readonly coin: string;
  readonly amount: string | null;
  readonly usd: string | null;
  readonly at: Date;
  readonly source: string;
}

/** The field and its problem, for people. */
export interface Fault {
  readonly fault: string;
}

export function checkLabel(row: LabelRow): Label | Fault {
  const chain = findChain(row.chain);
  if (chain === undefined) return fault('chain', `is none of ${chains.join(', ')}`);
  const address = parseAddress(chain, row.address);
  if (address === undefined) return fault('address', `is no address of ${chain}`);
  const valid_from = row.valid_from === null ? null : parseInstant(row.valid_from);
  const valid_to = row.valid_to === null ? null : parseInstant(row.valid_to);
  if (valid_from === undefined) return fault('valid_from', 'is not an ISO 8601 time');
  if (valid_to === undefined) return fault('valid_to', 'is not an ISO 8601 time');
  if (!(row.confidence >= 0 && row.confidence <= 1)) return fault('confidence', 'must be 0 to 1');
  const text = textFault(row, ['name', 'category', 'source']);
  if (text !== undefined) return text;
  const { name, category, source, confidence, source_kind = 'curated', authority = null } = row;
  return { chain, address, name, category, source, valid_from, valid_to, confidence, source_kind, authority };
}

const decimal = /^\d{1,60}(\.\d{1,40})?$/;
const largestPosition = 2_147_483_647;

export function checkTransfer(row: TransferRow): Transfer | Fault {
  const chain = findChain(row.chain);
  if (chain === undefined) return fault('chain', `is none of ${chains.join(', ')}`);
  const from_address = parseAddress(chain, row.from_address);
  if (from_address === undefined) return fault('from_address', `is no address of ${chain}`);
  const to_address = parseAddress(chain, row.to_address);
  if (to_address === undefined) return fault('to_address', `is no address of ${chain}`);
  const txid = row.txid === null ? derivedId(row) : parseTxid(chain, row.txid);
  if (txid === undefined) return fault('txid', `is no transaction id of ${chain}`);
  const at = parseInstant(row.time);
  if (at === undefined) return fault('time', 'is not an ISO 8601 time');
  if (row.amount !== null && !decimal.test(row.amount)) return fault('amount', 'is not a decimal number');
  if (row.usd_value !== null && !decimal.test(row.usd_value)) return fault('usd_value', 'is not a decimal number');
  if (!Number.isInteger(row.position) || row.position < 0 || row.position > largestPosition)
    return fault('position', 'is not a whole number');
  const text = textFault(row, ['coin', 'source']);
  if (text !== undefined) return text;
  const { position, coin, amount, usd_value: usd, source } = row;
  return { chain, txid, position, from_address, to_address, coin, amount, usd, at, source };
}

/** Addresses and txid normalised. */
export function checkCoSpend(row: CoSpend): (CoSpend & { readonly chain: Chain }) | Fault {
  const chain = findChain(row.chain);
  if (chain === undefined) return fault('chain', `is none of ${chains.join(', ')}`);
  const txid = parseTxid(chain, row.txid);
  if (txid === undefined) return fault('txid', `is no transaction id of ${chain}`);
  const addresses = row.addresses.flatMap((address) => parseAddress(chain, address) ?? []);
  if (addresses.length < row.addresses.length) return fault('addresses', `are not all of ${chain}`);
  return { chain, txid, addresses, coin_join: row.coin_join };
}

function findChain(name: string): Chain | undefined {
  return chains.find((chain) => chain === name);
}

function fault(field: string, problem: string): Fault {
  return { fault: `${field} ${problem}` };
}

const longestText = 500;

/** Accepts text that any database can store: not empty, of limited length, without NUL or a lone surrogate. */
function textFault<Row>(row: Row, fields: readonly (keyof Row & string)[]): Fault | undefined {
  for (const field of fields) {
    const text = row[field];
    if (typeof text !== 'string' || text === '') return fault(field, 'is missing');
    if (text.length > longestText) return fault(field, `is longer than ${longestText} characters`);
    if (text.includes('\0') || !text.isWellFormed()) return fault(field, 'contains an invalid character');
  }
  return undefined;
}

/**
 * Replaces a missing txid and cannot be mistaken for one. Ignores a value beside an amount:
 * it may come from a price file, and the transfer is the same.
 */
function derivedId(row: TransferRow): string {
  const value = row.amount === null ? row.usd_value : null;
  const content = [row.chain, row.position, row.from_address, row.to_address, row.coin, row.amount, value, row.time, row.source];
  return `derived:${createHash('sha256').update(JSON.stringify(content)).digest('hex')}`;
}
