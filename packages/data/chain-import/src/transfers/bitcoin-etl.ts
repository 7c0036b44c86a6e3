import { nativeCoin, parseAddress } from '@weir/chains';
import { fromUnits } from '../decimal.ts';
import type { CoSpend, LeftOut, TransferRow } from '../rows.ts';
import { index, optional, required, Unusable, units } from '../source/fields.ts';
import type { Fields, Format, SignedRows } from '../source/records.ts';
import { findCoinJoin, type OwnedValue } from './coin-join.ts';
import { timeOf } from './rows.ts';
import type { Scope } from './scope.ts';
import { divide, type Stake } from './shares.ts';

/** Limits the rows of one transaction: the smallest senders are left out, and the others take their share. */
const mostRows = 10_000;

/**
 * Transactions of bitcoin-etl with resolved inputs. Each output comes from all input addresses in proportion to their inputs.
 * Change, block rewards, fees, and inputs or outputs without exactly one address give no transfer; their value still counts in the
 * proportions. Positions are output indices. Two or more input addresses are a co-spend.
 */
export function bitcoinEtlFormat(scope: Scope): Format<TransferRow> {
  return {
    checkHeader: (columns) => {
      const missing = ['inputs', 'outputs'].find((column) => !columns.includes(column));
      if (missing !== undefined)
        throw new Error(`there is no column ${missing}; the transactions of bitcoin-etl are JSON lines or Parquet`);
    },
    map: (fields) => bitcoinTransaction(scope, fields),
  };
}

interface Coin extends OwnedValue {
  readonly index: number;
}

type Transfers = readonly TransferRow[] | LeftOut;

/** Of a transaction as bitcoin-etl writes it. */
export function bitcoinTransaction(scope: Scope, fields: Fields): Transfers | SignedRows<TransferRow> {
  if (!Object.hasOwn(fields, 'inputs') && !Object.hasOwn(fields, 'outputs')) return 'no transfer';
  const inputs = optional(fields, 'is_coinbase') === 'true' ? [] : coinsOf(scope, fields, 'inputs');
  if (inputs.length === 0) return 'no transfer';
  const outputs = coinsOf(scope, fields, 'outputs');
  const rows = transfersOf(scope, fields, inputs, outputs);
  const co_spend = coSpendOf(scope, fields, inputs, outputs);
  return co_spend === undefined ? rows : { rows, co_spend };
}

function coSpendOf(scope: Scope, fields: Fields, inputs: readonly Coin[], outputs: readonly Coin[]): CoSpend | undefined {
  const addresses = [...new Set(inputs.flatMap(({ owner }) => owner ?? []))];
  if (addresses.length < 2) return undefined;
  return { chain: scope.chain, txid: required(fields, 'hash'), addresses, coin_join: findCoinJoin(inputs, outputs) ?? null };
}

function transfersOf(scope: Scope, fields: Fields, inputs: readonly Coin[], outputs: readonly Coin[]): Transfers {
  const stakes = stakesOf(inputs);
  const owners = new Set(stakes.map(({ owner }) => owner));
  const paid = outputs.filter(({ owner, value }) => owner !== null && !owners.has(owner) && value > 0n);
  if (paid.length === 0) return 'no transfer';
  const kept = stakes.slice(0, Math.max(1, Math.floor(mostRows / paid.length)));
  if (kept.every(({ value }) => value === 0n)) throw new Unusable('the inputs have no value, and yet there are outputs');
  const rows = paid.flatMap((output) => rowsOf(scope, fields, output, kept));
  return rows.length === 0 ? 'no transfer' : rows;
}

/** One output, split over its senders. */
function rowsOf(scope: Scope, fields: Fields, output: Coin, stakes: readonly Stake[]): TransferRow[] {
  const { symbol, decimals } = nativeCoin(scope.chain);
  const common = {
    chain: scope.chain,
    txid: required(fields, 'hash'),
    position: output.index,
    to_address: output.owner ?? '',
    coin: symbol,
  };
  const rest = { usd_value: null, time: timeOf(scope, fields), source: scope.source };
  const parts = divide(output.value, stakes);
  return stakes.flatMap(({ owner }, at) => {
    const part = parts[at] ?? 0n;
    return part === 0n || owner === nobody ? [] : [{ ...common, from_address: owner, amount: fromUnits(part, decimals), ...rest }];
  });
}

/** The owner of inputs without exactly one address. */
const nobody = '';

/** Input sums by address, largest first; inputs without an owner are one nameless stake. */
function stakesOf(inputs: readonly Coin[]): Stake[] {
  const byOwner = new Map<string, bigint>();
  for (const { owner, value } of inputs) byOwner.set(owner ?? nobody, (byOwner.get(owner ?? nobody) ?? 0n) + value);
  const compare = (a: Stake, b: Stake): number => (a.value === b.value ? (a.owner < b.owner ? -1 : 1) : a.value > b.value ? -1 : 1);
  return [...byOwner].map(([owner, value]) => ({ owner, value })).sort(compare);
}

function coinsOf(scope: Scope, fields: Fields, name: 'inputs' | 'outputs'): Coin[] {
  const given = fields[name];
  const list: unknown = typeof given === 'string' ? parseList(given) : given;
  if (!Array.isArray(list)) throw new Unusable(`${name} is no list`);
  return (list as unknown[]).map((item, at) => coinOf(scope, item, at, name));
}

function coinOf(scope: Scope, item: unknown, at: number, name: string): Coin {
  if (typeof item !== 'object' || item === null) throw new Unusable(`${name} holds what is no object`);
  const fields = item as Fields;
  if (optional(fields, 'value') === undefined) throw new Unusable(`${name} have no value; bitcoin-etl's enrich_transactions adds them`);
  const addresses: readonly unknown[] = Array.isArray(fields['addresses']) ? fields['addresses'] : [];
  return {
    owner: ownerOf(scope, addresses, name),
    value: units(fields, 'value'),
    index: name === 'outputs' ? index({ at, ...fields }, 'index', 'at') : at,
  };
}

/** The exporter invents names for scripts without an address. Lower-cased base58 must throw, not pass for such a script. */
function ownerOf(scope: Scope, addresses: readonly unknown[], name: string): string | null {
  const [only] = addresses;
  if (addresses.length !== 1 || typeof only !== 'string' || only.startsWith('nonstandard')) return null;
  const owner = parseAddress(scope.chain, only);
  if (owner === undefined) throw new Unusable(`${name} have an address that is none of ${scope.chain}`);
  return owner;
}

function parseList(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
